#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saccade/base.h"

/// A fuzz target: any bytes, no crash, no leak, and what must hold for every input.

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Stop where a property fails, in every build.
#define fuzz_require(condition)                                                                                \
    do                                                                                                         \
    {                                                                                                          \
        if (!(condition))                                                                                      \
        {                                                                                                      \
            fprintf(stderr, "%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #condition, sac_last_error()); \
            abort();                                                                                           \
        }                                                                                                      \
    } while (0)

/// After a call: out is set exactly when it succeeded, and a failure says why in one line.
static inline void fuzz_check_result(sac_status status, const void *out)
{
    fuzz_require((status == SAC_OK) == (out != NULL));
    if (status == SAC_OK) return;
    fuzz_require(status != SAC_ERROR_FILE && status != SAC_ERROR_INTERRUPTED);
    fuzz_require(sac_last_error()[0] && !strpbrk(sac_last_error(), "\n\r\x1b"));
}
