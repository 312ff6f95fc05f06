#pragma once

#include "env/legs/changes.h"
#include "env/legs/robots.h"
#include "env/legs/terrain.h"
#include "env/mujoco/model.h"
#include "saccade/env.h"

/// A robot on its course: MuJoCo's model of both, moved by motors. It knows nothing of policies and pictures.

enum
{
    LEGS_MOTORS = SAC_LEGS * SAC_LEG_JOINTS,
    LEGS_LATE = 128 ///< past steps of physics that are kept: 8 ms (changes.c) are 80 of the shortest, 0.1 ms
};

typedef enum legs_camera
{
    LEGS_FRONT, ///< down, in front
    LEGS_BELLY, ///< down, under the belly
    LEGS_AHEAD,
    LEGS_CHASE, ///< for people
    LEGS_CAMERAS
} legs_camera;

typedef struct legs_body
{
    const legs_robot *robot;
    const sac_mujoco *mj;
    mujoco_model *shared;
    mjModel *model; ///< its own: the ground is laid out in it
    mjData *data;
    double *state; ///< room for what MuJoCo calls the integration state
    legs_terrain *terrain;
    int room, first;   ///< places for boxes, and the first box that has one
    int trunk, pieces; ///< bodies' ids; pieces: of the first box
    int trunk_geom, thighs[SAC_LEGS];
    int cameras[LEGS_CAMERAS];
    legs_changes changes;
    int late;                               ///< physics steps that motors know joints late
    int steps;                              ///< physics steps of this episode
    double past[LEGS_LATE][2][LEGS_MOTORS]; ///< joints and rates of the last steps
} legs_body;

/// @param step  seconds of physics
/// @return SAC_ERROR_UNAVAILABLE without MuJoCo, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_legs_body_create(legs_body **out, const legs_robot *robot, legs_course course, double step);

/// NULL is ignored.
void sac_legs_body_destroy(legs_body *body);

/// Lay out a course and put the robot to its start, with what is changed in this episode.
SAC_CHECKED sac_status sac_legs_body_reset(legs_body *body, const legs_terrain_def *course, uint64_t seed,
                                           const legs_changes *changes);

/// So many steps of physics, in which each motor does what it is told by what it knows then.
/// @param[out] broken  the physics broke down
SAC_CHECKED sac_status sac_legs_body_advance(legs_body *body, sac_motor motors[SAC_LEGS][SAC_LEG_JOINTS], int count,
                                             bool *broken);

/// What is measured of it now, without noise. Touches are those of the last step of physics.
void sac_legs_body_sense(const legs_body *body, sac_walk_senses *senses);

/// What the accelerometer of the trunk shows, m/s^2 in the frame of the body: at rest 10 upwards.
void sac_legs_body_acceleration(const legs_body *body, double acceleration[3]);

/// Where it is: x, y and z of the trunk, and its yaw.
void sac_legs_body_place(const legs_body *body, double place[4]);

/// Height of the ground under (x, y).
double sac_legs_body_ground(const legs_body *body, double x, double y);

/// Whether the trunk or a thigh touches anything.
bool sac_legs_body_hits(const legs_body *body);

/// Compute where everything is, for pictures.
SAC_CHECKED sac_status sac_legs_body_settle(legs_body *body);

/// Everything that a reset or a step changes.
/// @param course, seed, changes  of the episode that is saved or restored
SAC_CHECKED sac_status sac_legs_body_snapshot(legs_body *body, sac_snapshot *snapshot, const legs_terrain_def *course,
                                              uint64_t seed, const legs_changes *changes);
