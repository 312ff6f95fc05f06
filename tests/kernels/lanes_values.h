#pragma once

#include "saccade/base.h"

/// What every word of base/lanes/lanes.h gives for the same numbers, one file a CPU level: lanes_bits.c compares them
/// with those of plain.h.

enum
{
    LANES_ROWS = 128 ///< room for the results of all words, 16 each
};

/// Numbers that the words are tried on.
typedef struct lanes_scene
{
    float x[16], y[16], z[16]; ///< any, infinities and NaN among them
    float small[16];           ///< below 2^30 in magnitude
    float whole[16];           ///< whole numbers in -126..127
    int32_t a[16], b[16];      ///< any
    int32_t places[16];        ///< 0..15
    uint8_t blocks[16 * 16];
    int count; ///< 1..16
} lanes_scene;

/// @param[out] out  [LANES_ROWS, 16]
/// @return the rows that were written
typedef int lanes_values_fn(uint32_t *out, const lanes_scene *scene);

lanes_values_fn lanes_values_scalar, lanes_values_neon, lanes_values_avx2, lanes_values_avx512;
