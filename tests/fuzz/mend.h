#pragma once

#include "base/memory.h"
#include "files/arrays/safetensors.h"

#include "fuzz.h"

/// Give a parser the same content under a right checksum, so that changes get past the check of it.
static inline void fuzz_mend(const uint8_t *data, size_t size, void (*read)(const uint8_t *data, size_t size))
{
    sac_tensors *tensors;
    if (sac_tensors_read(&tensors, data, size, "input") != SAC_OK) return;
    int count = sac_tensors_count(tensors), metadata_count = sac_tensors_metadata_count(tensors);
    sac_tensor *list = calloc((size_t)count + 1, sizeof *list);
    sac_metadata *metadata = calloc((size_t)metadata_count + 1, sizeof *metadata);
    fuzz_require(list && metadata);
    for (int i = 0; i < count; i++) list[i] = *sac_tensors_at(tensors, i);
    for (int i = 0; i < metadata_count; i++)
    {
        metadata[i] = sac_tensors_metadata_at(tensors, i);
        if (strcmp(metadata[i].key, "checksum") == 0) metadata[i].value = NULL;
    }
    uint8_t *bytes;
    size_t mended_size;
    fuzz_require(sac_tensors_write(&bytes, &mended_size, list, count, metadata, metadata_count) == SAC_OK);
    read(bytes, mended_size);
    sac_free(bytes);
    free(list);
    free(metadata);
    sac_tensors_destroy(tensors);
}
