#pragma once

#include "saccade/base.h"

/// Bilinear resizing as Pillow does it (a triangle that widens when shrinking; columns first, then rows), to the bit
/// for 8-bit images: weights in 22-bit fixed point, rounded to 8 bits between the passes.

typedef struct sac_resize sac_resize;

/// From [height, width, channels] to [new_height, new_width, channels].
SAC_CHECKED sac_status sac_resize_create(sac_resize **out, int height, int width, int channels, int new_height,
                                         int new_width);

/// NULL is ignored.
void sac_resize_destroy(sac_resize *resize);

/// Elements that sac_resize_bytes and sac_resize_floats need as scratch.
size_t sac_resize_scratch(const sac_resize *resize);

void sac_resize_bytes(const sac_resize *resize, uint8_t *out, const uint8_t *in, uint8_t *scratch);
void sac_resize_floats(const sac_resize *resize, float *out, const float *in, float *scratch);
