#include "files/arrays/npy.h"
#include "files/arrays/npz.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sac_tensors *tensors;
    sac_status status = sac_npz_read(&tensors, data, size, "input");
    fuzz_check_result(status, tensors);
    for (int i = 0; tensors && i < sac_tensors_count(tensors); i++)
        fuzz_require(sac_tensors_find(tensors, sac_tensors_at(tensors, i)->name) == sac_tensors_at(tensors, i));
    sac_tensors_destroy(tensors);

    // the same bytes as a member, which a zip's checksum would keep from most inputs
    sac_tensor tensor = {.name = "a"};
    if (sac_npy_read(&tensor, data, size, "input") == SAC_OK)
    {
        const uint8_t *end = (const uint8_t *)tensor.data + sac_tensor_count(&tensor) * sac_dtype_size(tensor.dtype);
        fuzz_require((const uint8_t *)tensor.data >= data && end == data + size);
    }
    return 0;
}
