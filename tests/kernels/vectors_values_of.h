#include <string.h>

#include "vectors_values.h"

/// The body of one way to write the words that lanes of any count have, VECTORS_VALUES, after its header.

static void put(uint32_t *out, const void *from)
{
    memcpy(out, from, 64);
}

int VECTORS_VALUES(uint32_t *out, const float *numbers, const float *others, const float *small)
{
    lanes x, y, s;
    memcpy(&x, numbers, sizeof x);
    memcpy(&y, others, sizeof y);
    memcpy(&s, small, sizeof s);
    lanes results[] = {lanes_min(x, y),
                       lanes_max(x, y),
                       lanes_choose(VECTORS_LESS(x, y), x, y),
                       lanes_set(numbers[0]),
                       lanes_sqrt(VECTORS_SQUARE(s)),
                       lanes_cast(words_truncate(s)),
                       lanes_cast(words_cast(x)),
                       lanes_set((float)mask_any(VECTORS_LESS(x, y))),
                       lanes_set((float)mask_any(VECTORS_LESS(x, x)))};
    int rows = (int)(sizeof results / sizeof *results);
    for (int i = 0; i < rows; i++) put(out + 16 * i, &results[i]);
    return rows;
}
