#pragma once

#include "env/carracing/world.h"

/// CarRacing's picture: the 96 x 96 observation, as like Gymnasium's as grey levels go, and a larger one for people.
/// Both show the same 1000 x 800 scene: the observation squeezed into a square, the larger one in its own proportions.

typedef struct car_picture car_picture;
typedef struct car_variant car_variant; ///< variant.h

enum
{
    CAR_CAMERA_SIDE = 96
}; ///< side of the observation

typedef enum car_style
{
    CAR_STYLE_AGENT,  ///< Gymnasium's picture at any size: scene stretched to it, grey levels cut as Gymnasium does
    CAR_STYLE_PEOPLE, ///< proportions kept (a wider or higher picture shows more of the field), colours rounded
} car_style;

/// Create a picture with all its memory; drawing then never allocates.
/// @param[out] out     released by sac_car_picture_destroy; NULL on failure
/// @param      height  pixels, 32..4096
/// @param      width   pixels, 32..4096
SAC_CHECKED sac_status sac_car_picture_create(car_picture **out, int height, int width, car_style style);

/// NULL is ignored.
void sac_car_picture_destroy(car_picture *picture);

/// Draw a scene. The same bits on every CPU level; at 96 x 96 about 15 us.
/// @param      variant  NULL: the original
/// @param[out] rgb      [height, width, 3]
void sac_car_draw(car_picture *picture, const car_scene *scene, const car_variant *variant, uint8_t *rgb);

/// The same, with the planes of another picture where it has the same size and style: pictures that are drawn one after
/// the other on the same planes find them in the cache.
void sac_car_draw_on(car_picture *picture, const car_picture *paper, const car_scene *scene, const car_variant *variant,
                     uint8_t *rgb);
