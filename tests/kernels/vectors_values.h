#pragma once

#include <stdint.h>

/// What the words of base/lanes/vectors.h give for 16 numbers, by vectors.h itself and by plain.h.
/// @param[out] out  [16, 16]
/// @param numbers   [16]
/// @param others    [16]
/// @param small     [16], below 2^30 in magnitude
/// @return the rows that were written
typedef int vectors_values_fn(uint32_t *out, const float *numbers, const float *others, const float *small);

vectors_values_fn vectors_values, vectors_values_plain;
