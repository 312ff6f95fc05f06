#pragma once

#include "saccade/env.h"

/// The world `grasp`: things on a table, a camera, and a hand that grasps one of them. Nothing here needs MuJoCo,
/// because a build without it lists the world, too.

typedef struct grasp_config
{
    char objects[SAC_TEXT_SIZE], only[SAC_TEXT_SIZE], meshes[SAC_TEXT_SIZE], target[SAC_TEXT_SIZE];
    int things, attempts, points;
    double spread, hold_seconds, force, friction, physics_ms, noise, fov, mesh_scale;
    int height, width, wrist_height, wrist_width;
} grasp_config;

sac_status sac_grasp_create(void **self, const void *config, const char *variant);
void sac_grasp_spec(const void *self, sac_env_spec *spec);
sac_status sac_grasp_reset(void *self, uint64_t seed, const sac_env_row *row);
sac_status sac_grasp_step(void *self, const sac_env_row *row);
sac_status sac_grasp_snapshot(void *self, sac_snapshot *snapshot);
void sac_grasp_state(const void *self, double *values);
sac_status sac_grasp_picture(void *self, uint8_t *rgb, int height, int width);
int sac_grasp_moments(const void *self);
sac_status sac_grasp_picture_at(void *self, int moment, uint8_t *rgb, int height, int width);
void sac_grasp_destroy(void *self);
