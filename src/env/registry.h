#pragma once

#include "saccade/env.h"

/// The built-in environments: one row each in env.c.

extern const sac_env_ops sac_car_racing_ops;
extern const sac_env_ops sac_gym_ops;
extern const sac_env_ops sac_take_cover_ops;
extern const sac_env_ops sac_toy_ops;
