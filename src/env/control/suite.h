#pragma once

#include "saccade/env.h"

/// The control suite's environments: a world, its pictures and what distracts from it.

typedef struct control_task control_task;

typedef struct control_config
{
    int height, width, camera, action_repeat, frame_stack, control_steps, redraw;
    double weakest, strongest;
    bool circular, shadows, reflections, antialias;
    char observe[SAC_TEXT_SIZE], subtract[SAC_TEXT_SIZE], renderer[SAC_TEXT_SIZE], background[SAC_TEXT_SIZE],
        models[SAC_TEXT_SIZE];
} control_config;

sac_status sac_control_create(void **self, const void *config, const char *variant, const control_task *task);
void sac_control_spec(const void *self, sac_env_spec *spec);
sac_status sac_control_reset(void *self, uint64_t seed, const sac_env_row *row);
sac_status sac_control_step(void *self, const sac_env_row *row);
void sac_control_precise(void *self, const double *action);
sac_status sac_control_set_state(void *self, const sac_env_field *fields, int count, const sac_env_row *row);
sac_status sac_control_snapshot(void *self, sac_snapshot *snapshot);
void sac_control_state(const void *self, double *values);
sac_status sac_control_picture(void *self, uint8_t *rgb, int height, int width);
void sac_control_destroy(void *self);
