#pragma once

#include "files/arrays/safetensors.h"

/// The list that a reader of arrays fills; safetensors and npz use it.

/// Largest header that is read or written, in bytes.
#define SAC_TENSORS_HEADER_LIMIT (4 << 20)

struct sac_tensors
{
    char *where;
    bool borrowed;     ///< data lies in the caller's bytes
    sac_tensor *items; ///< names are owned, and data where it is not borrowed
    int count, capacity;
    sac_metadata *metadata; ///< keys and values are owned
    int metadata_count, metadata_capacity;
};

/// An empty list with room for so many.
SAC_CHECKED sac_status sac_tensors_create(sac_tensors **out, const char *where, int capacity, int metadata_capacity);

/// Add a copy of an array whose shape was checked; its data may be unaligned.
SAC_CHECKED sac_status sac_tensors_add(sac_tensors *tensors, const sac_tensor *tensor);

SAC_CHECKED sac_status sac_tensors_add_metadata(sac_tensors *tensors, const char *key, const char *value);

/// Bytes of an array; false when a size is negative or the product does not fit.
bool sac_tensor_bytes(const sac_tensor *tensor, size_t *bytes);

/// The checksum of arrays and metadata, "checksum" itself left out, as 16 hexadecimal digits.
void sac_tensors_checksum(char text[17], const sac_tensor *tensors, int count, const sac_metadata *metadata,
                          int metadata_count);
