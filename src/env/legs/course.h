#pragma once

#include "env/legs/terrain.h"
#include "saccade/env.h"

/// The worlds `legs:*`: a robot, a course, a map of actions, and what is seen. Nothing here needs MuJoCo, because a
/// build without it lists these worlds, too.

typedef struct legs_config
{
    char robot[SAC_TEXT_SIZE], action[SAC_TEXT_SIZE], feet[SAC_TEXT_SIZE], gait[SAC_TEXT_SIZE], stones[SAC_TEXT_SIZE];
    char walls[SAC_TEXT_SIZE], camera[SAC_TEXT_SIZE], eyes[SAC_TEXT_SIZE];
    double level, least_level, length, seconds, speed_cap, noise;
    double physics_ms, control_ms, camera_latency_ms, period;
    int repeat, heights;
    int height, width, depth_height, depth_width;
    double far;
    bool released_stance, instant, told_speed;
} legs_config;

/// What a course asks of a robot beside its ground.
typedef struct legs_rules
{
    const char *id;
    const sac_option *options; ///< over a legs_config
    legs_course course;
    double roll, pitch; ///< rad beyond which an episode ends
    double low;         ///< m above the course that the trunk must keep, in shares of its height at the start
    bool may_touch;     ///< trunk and thighs may touch the ground and walls
} legs_rules;

sac_status sac_legs_create(void **self, const void *config, const char *variant, const legs_rules *rules);
void sac_legs_spec(const void *self, sac_env_spec *spec);
sac_status sac_legs_reset(void *self, uint64_t seed, const sac_env_row *row);
sac_status sac_legs_step(void *self, const sac_env_row *row);
sac_status sac_legs_snapshot(void *self, sac_snapshot *snapshot);
void sac_legs_state(const void *self, double *values);
sac_status sac_legs_picture(void *self, uint8_t *rgb, int height, int width);
void sac_legs_destroy(void *self);
