#pragma once

#include "saccade/env.h"

/// The built-in environments, in the order in which they are listed: WORLD(name) stands for sac_<name>_ops, which the
/// world's own room defines. A new world adds a row here and a line to src/CMakeLists.txt.
#define SAC_BUILT_IN_WORLDS(WORLD) \
    WORLD(car_racing)              \
    WORLD(toy)                     \
    WORLD(take_cover)              \
    WORLD(gym)                     \
    WORLD(cheetah_run)             \
    WORLD(walker_walk)             \
    WORLD(cartpole_swingup)        \
    WORLD(ball_in_cup_catch)       \
    WORLD(reacher_easy)            \
    WORLD(finger_spin)             \
    WORLD(quadruped_walk)          \
    WORLD(legs_flat)               \
    WORLD(legs_obstacles)          \
    WORLD(legs_stones)             \
    WORLD(legs_grid)               \
    WORLD(legs_stairs)             \
    WORLD(rooms)                   \
    WORLD(grasp)

#define SAC_DECLARE_WORLD(name) extern const sac_env_ops sac_##name##_ops;
SAC_BUILT_IN_WORLDS(SAC_DECLARE_WORLD)
#undef SAC_DECLARE_WORLD
