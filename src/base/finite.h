#pragma once

#include <string.h>

#include "saccade/base.h"

/// Tell whether all numbers are finite. This is asked of all parameters after every step of training, so the loop has
/// no branch, and it stands here for compilers to use lanes.
static inline bool sac_all_finite(const float *numbers, size_t count)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
    {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        bits &= 0x7fffffff;
        largest = bits > largest ? bits : largest;
    }
    return largest < 0x7f800000; // infinity; NaN is above it
}
