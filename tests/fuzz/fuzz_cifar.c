#include "images/readers.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // a copy of just this size, so that the sanitizer sees a step beyond it
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy);
    if (size) memcpy(copy, data, size);
    int pictures;
    const sac_status status = sac_cifar_read(&pictures, copy, size, "input");
    fuzz_check_result(status, status == SAC_OK ? copy : NULL);
    fuzz_require(status == SAC_OK ? (size_t)pictures * SAC_CIFAR_RECORD == size : pictures == 0);
    for (int i = 0; i < pictures; i++) fuzz_require(copy[(size_t)i * SAC_CIFAR_RECORD] < SAC_CIFAR_CLASSES);
    free(copy);
    return 0;
}
