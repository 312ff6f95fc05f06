#pragma once

#include "saccade/env.h"

/// The built-in environments: one row each in env.c.

extern const sac_env_ops sac_car_racing_ops;
extern const sac_env_ops sac_gym_ops;
extern const sac_env_ops sac_take_cover_ops;
extern const sac_env_ops sac_toy_ops;
extern const sac_env_ops sac_cheetah_run_ops, sac_walker_walk_ops, sac_cartpole_swingup_ops, sac_ball_in_cup_catch_ops,
    sac_reacher_easy_ops, sac_finger_spin_ops, sac_quadruped_walk_ops;

/// Take the last `count` registered environments back. While no other thread creates any.
void sac_env_unregister_last(int count);
