#pragma once

#include "kernels/kernels.h"

/// What the definitions share.

// lane l takes the values l, l + 16, l + 32, ...; then 16 -> 8 -> 4 -> 2 -> 1, each lane with the one half the width on
static inline float sum_lanes(float sums[SAC_LANES])
{
    for (int width = SAC_LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++) sums[i] += sums[i + width];
    return sums[0];
}
