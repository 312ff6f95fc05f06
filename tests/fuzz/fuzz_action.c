#include <math.h>

#include "saccade/action_codec.h"

#include "fuzz.h"

enum
{
    MAX_COUNT = 16,
    TEXT = MAX_COUNT * 32
};

// The first byte is how many numbers the action has.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const int count = 1 + data[0] % MAX_COUNT;
    char *text = calloc(size, 1);
    fuzz_require(text);
    memcpy(text, data + 1, size - 1);
    double action[MAX_COUNT], again[MAX_COUNT];
    for (int i = 0; i < MAX_COUNT; i++) action[i] = NAN;
    const sac_status status = sac_action_parse(action, count, text, "input");
    fuzz_check_result(status, status == SAC_OK ? action : NULL);
    for (int i = 0; i < MAX_COUNT; i++) fuzz_require((status == SAC_OK && i < count) == (bool)isfinite(action[i]));
    if (status == SAC_OK)
    {
        // what was read, written and read again is the same
        char written[TEXT];
        fuzz_require(sac_action_format(written, sizeof written, action, count) == SAC_OK);
        fuzz_require(sac_action_parse(again, count, written, "again") == SAC_OK);
        fuzz_require(memcmp(action, again, (size_t)count * sizeof *action) == 0);
    }
    free(text);
    return 0;
}
