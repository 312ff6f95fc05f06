#include "base/memory.h"
#include "files/arrays/safetensors.h"

#include "fuzz.h"

// what reads can be written, and what was written reads back the same
static void round_trip(const sac_tensors *tensors)
{
    int count = sac_tensors_count(tensors), metadata_count = sac_tensors_metadata_count(tensors);
    sac_tensor *list = calloc((size_t)count + 1, sizeof *list);
    sac_metadata *metadata = calloc((size_t)metadata_count + 1, sizeof *metadata);
    fuzz_require(list && metadata);
    for (int i = 0; i < count; i++) list[i] = *sac_tensors_at(tensors, i);
    for (int i = 0; i < metadata_count; i++) metadata[i] = sac_tensors_metadata_at(tensors, i);
    uint8_t *bytes;
    size_t size;
    fuzz_require(sac_tensors_write(&bytes, &size, list, count, metadata, metadata_count) == SAC_OK);
    sac_tensors *again;
    fuzz_require(sac_tensors_read(&again, bytes, size, "again") == SAC_OK);
    fuzz_require(sac_tensors_count(again) == count && sac_tensors_metadata_count(again) == metadata_count);
    for (int i = 0; i < count; i++)
    {
        const sac_tensor *a = &list[i], *b;
        fuzz_require(sac_tensors_get(&b, again, a->name, a->dtype, a->rank, a->shape) == SAC_OK);
        fuzz_require(memcmp(a->data, b->data, sac_tensor_count(a) * sac_dtype_size(a->dtype)) == 0);
    }
    fuzz_require((sac_tensors_verify(tensors) == SAC_OK) == (sac_tensors_verify(again) == SAC_OK));
    sac_tensors_destroy(again);
    sac_free(bytes);
    free(list);
    free(metadata);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_tensors *tensors;
    sac_status status = sac_tensors_read(&tensors, data, size, "input");
    fuzz_check_result(status, tensors);
    if (tensors) round_trip(tensors);
    sac_tensors_destroy(tensors);
    return 0;
}
