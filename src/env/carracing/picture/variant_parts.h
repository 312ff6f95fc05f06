#pragma once

#include "env/carracing/picture/picture_parts.h"
#include "env/carracing/picture/variant.h"

/// What the picture asks of a variant.

typedef enum car_variant_kind
{
    CAR_VARIANT_COLOR,
    CAR_VARIANT_BARS,
    CAR_VARIANT_BLOB,
    CAR_VARIANT_NOISE,
    CAR_VARIANT_VIDEO,
    CAR_VARIANT_FAKE_LANE,
    CAR_VARIANT_ORIGINAL, ///< in an episode of "any" that shows the world as it is
    CAR_VARIANT_KINDS
} car_variant_kind;

struct car_variant
{
    car_variant_kind kind;                       ///< of this episode
    car_variant_kind choices[CAR_VARIANT_KINDS]; ///< "any": the kinds that episodes have
    int choice_count;                            ///< 0: the same kind in every episode
    uint64_t seed;                               ///< of this episode's own random numbers
    float road, grass;                           ///< color: what is added, 0..255
    uint8_t *frames;                             ///< video: [frame_count, 96, 96, 3]
    int frame_count;
    int first_frame; ///< video: which frame the episode starts with
};

/// Change the colours.
void sac_car_variant_ink(const car_variant *variant, car_inks *inks);

/// Draw over the finished field, before the bar.
void sac_car_variant_overlay(const car_variant *variant, car_picture *p, const car_scene *scene,
                             const car_camera *camera, uint8_t *rgb);

/// A clip of moving waves, [frame_count, 96, 96, 3].
void sac_car_clip_draw(uint8_t *frames, int frame_count);
