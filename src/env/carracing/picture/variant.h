#pragma once

#include "env/carracing/picture/picture.h"

/// The generalisation tests of the attention agent's paper: the same car and track, another look.
///
///     original      nothing changed
///     color         road and grass each brighter or darker by up to 0.2 of full scale, drawn once an episode
///     bars          a black bar at each side, 7.2 of 96 pixels wide
///     blob          a red square of 8 x 8 world units that goes with the car, ahead of it to the right
///     noise         every pixel that is wholly grass shows random colours, new in every step
///     video=PATH    every such pixel shows a frame of a video file or of a folder of images, one a step
///     video=procedural   the same with a clip of moving waves that needs no file
///     fake-lane     a second, bluish road 20 world units to the outside
///     any           each episode has one of these at random, video=procedural among them
///     any=A+B+...   each episode has one of A, B and so on
///
/// What a variant shows is a pure function of the episode's seed and the scene's time, so it may be drawn at any size
/// and any number of times; it draws from random numbers of its own, never from the track's. Grass that is wholly grass
/// means a pixel with exactly one of the two colours of grass.

/// Names for listings, NULL at the end.
extern const char *const sac_car_variant_names[];

/// Create a variant from its name.
/// @param[out] out  released by sac_car_variant_destroy; NULL for "original" and on failure
/// @return SAC_ERROR_ARGUMENT for an unknown name (with "did you mean"), or what sac_footage_read says
SAC_CHECKED sac_status sac_car_variant_create(car_variant **out, const char *name);

/// NULL is ignored.
void sac_car_variant_destroy(car_variant *variant);

/// Start an episode. NULL is ignored.
void sac_car_variant_reset(car_variant *variant, uint64_t seed);
