#pragma once

#include "saccade/env.h"

/// The world `rooms`. Nothing here needs MuJoCo, because a build without it lists this world, too.

enum
{
    ROOMS_MOST_STEPS = 2000,
    ROOMS_MOST_THINGS = 24 ///< with names, in a plan
};

typedef struct rooms_config
{
    char plan[SAC_TEXT_SIZE];
    double level, least_level, loops, nearest, farthest;
    double speed, turn, control_ms, physics_ms;
    double angle, near, far, turned;
    int furniture, steps, height, width, things, detail;
    char goals[SAC_TEXT_SIZE];
} rooms_config;

extern const sac_option sac_rooms_options[]; ///< over a rooms_config

sac_status sac_rooms_create(void **self, const void *config, const char *variant);
void sac_rooms_spec(const void *self, sac_env_spec *spec);
sac_status sac_rooms_reset(void *self, uint64_t seed, const sac_env_row *row);
sac_status sac_rooms_step(void *self, const sac_env_row *row);
sac_status sac_rooms_snapshot(void *self, sac_snapshot *snapshot);
void sac_rooms_state(const void *self, double *values);
sac_status sac_rooms_picture(void *self, uint8_t *rgb, int height, int width);
void sac_rooms_destroy(void *self);
