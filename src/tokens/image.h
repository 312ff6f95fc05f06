#pragma once

#include "saccade/tokens.h"

/// One axis of a resizing: output i is the sum of weights[i * taps + t] * input[first[i] + t] over t < count[i], in
/// parts of 2^22, half a part of a unit added.
typedef struct sac_resize_axis
{
    int in, out, taps;
    const int *first, *count;
    const int32_t *weights;
} sac_resize_axis;

sac_resize_axis sac_resize_get_axis(const sac_resize *resize, bool rows);

/// The byte of a pixel that holds a channel.
int sac_pixel_byte(sac_pixel_order order, int channel);
