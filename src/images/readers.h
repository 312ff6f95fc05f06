#pragma once

#include "saccade/base.h"

/// Files of pictures with labels. Readers take (bytes, size), check every size before they use it, and copy nothing.

/// An array of an IDX file, the format of the MNIST family: two zero bytes, a type, a rank, then each size as a number
/// of four bytes, the highest first, and the elements, the last index fastest. Bytes are the one type that is read.
typedef struct sac_idx
{
    int rank;            ///< 1..4
    int sizes[4];        ///< each >= 1; 1 past the rank
    const uint8_t *data; ///< [product of sizes], inside the bytes that were read
    size_t count;
} sac_idx;

/// @param where  names the source in errors, such as its path
/// @return SAC_ERROR_FORMAT
SAC_CHECKED sac_status sac_idx_read(sac_idx *out, const uint8_t *bytes, size_t size, const char *where);

/// An IDX file that is packed by gzip, unpacked. Memory is taken once the sizes inside have been checked.
/// @param[out] unpacked  released by sac_free; NULL on failure
/// @return SAC_ERROR_FORMAT or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_idx_unpack(uint8_t **unpacked, size_t *unpacked_size, const uint8_t *bytes, size_t size,
                                      const char *where);

/// Tell whether bytes begin as those of gzip do.
bool sac_is_packed(const uint8_t *bytes, size_t size);

/// CIFAR-10's binary form: for each picture a label 0..9 and 32 x 32 bytes each of red, green and blue.
enum
{
    SAC_CIFAR_SIDE = 32,
    SAC_CIFAR_PLANE = SAC_CIFAR_SIDE * SAC_CIFAR_SIDE,
    SAC_CIFAR_RECORD = 1 + 3 * SAC_CIFAR_PLANE,
    SAC_CIFAR_CLASSES = 10,
};

/// Check a file of that form. @return SAC_ERROR_FORMAT where it is cut short or a label is none
SAC_CHECKED sac_status sac_cifar_read(int *pictures, const uint8_t *bytes, size_t size, const char *where);
