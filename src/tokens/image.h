#pragma once

#include "saccade/tokens.h"

/// Resize along one axis: output i is the sum of weights[i * taps + t] * input[first[i] + t] over t < count[i], in
/// units of 1 / 2^22, with half a unit of the result added so that it is rounded.
typedef struct sac_resize_axis
{
    int in, out, taps;
    const int *first, *count;
    const int32_t *weights;
} sac_resize_axis;

sac_resize_axis sac_resize_get_axis(const sac_resize *resize, bool rows);

/// The byte of a pixel that holds a channel.
int sac_pixel_byte(sac_pixel_order order, int channel);
