#pragma once

#include "env/carracing/world.h"

/// Draw one lap of road as Gymnasium's CarRacing-v3 does, from NumPy's generator: the same numbers in, the same track
/// out, rejected attempts included.
/// @return SAC_ERROR_ENVIRONMENT when no attempt closes the loop
SAC_CHECKED sac_status sac_car_track_draw(car_track *track, sac_pcg64 *random);
