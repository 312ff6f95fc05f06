#pragma once

#include "env/mujoco/model.h"
#include "env/rooms/plan.h"
#include "saccade/env.h"

/// The robot on its wheels in MuJoCo, in a plan that is drawn or in a model of a user's. It moves in the plane: slides
/// along x and y and a turn about z, pushed by what its wheels can grip. Of a plan that is drawn, the model has only
/// the pieces near the robot, so that a step of physics costs the same in each plan.

enum
{
    ROOMS_NEAR_BOXES = 12, ///< of a plan that is drawn, which are in the model
    ROOMS_NEAR_ROUNDS = 4,
};

typedef struct rooms_place
{
    double x, y, cosine, sine; ///< its middle, and its heading
} rooms_place;

typedef struct rooms_body
{
    const sac_mujoco *mj;
    mujoco_model *shared;
    mjModel *model; ///< its own: pieces of the plan are laid out in it
    mjData *data;
    double *state;            ///< room for what MuJoCo calls the integration state
    const rooms_plan *plan;   ///< NULL: the model has a plan of a user's
    int robot, boxes, rounds; ///< bodies' ids: the robot's, and those of the first box and the first round piece
    int joints;               ///< the first of the robot's three numbers among positions
    int rates;                ///< and among velocities
} rooms_body;

/// @param file  a model of a user's, an MJCF file, that the robot stands in; NULL or "": plans are drawn
/// @param step  seconds of physics
/// @return SAC_ERROR_UNAVAILABLE without MuJoCo, SAC_ERROR_FILE, SAC_ERROR_FORMAT, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_rooms_body_create(rooms_body **out, const char *file, double step);

/// NULL is ignored.
void sac_rooms_body_destroy(rooms_body *body);

/// Put the robot somewhere, standing still, in a plan that was drawn (NULL: in the user's).
SAC_CHECKED sac_status sac_rooms_body_reset(rooms_body *body, const rooms_plan *plan, double x, double y, double yaw);

/// So many steps of physics, in which each wheel tries to roll at the speed that it is told.
/// @param      speeds  m/s, left and right
/// @param[out] bumped  it touched something in one of the steps
/// @param[out] broken  the physics broke down
SAC_CHECKED sac_status sac_rooms_body_advance(rooms_body *body, const double speeds[2], int count, bool *bumped,
                                              bool *broken);

rooms_place sac_rooms_body_place(const rooms_body *body);

/// How fast it goes ahead, m/s, and turns, rad/s.
void sac_rooms_body_speed(const rooms_body *body, double *ahead, double *turning);

/// Compute where everything is, for pictures of a user's model.
SAC_CHECKED sac_status sac_rooms_body_settle(rooms_body *body);

/// Whether the robot would touch something within `margin` if it stood at (x, y). The model is left as it was but for
/// what follows from positions.
SAC_CHECKED sac_status sac_rooms_body_touches(rooms_body *body, double x, double y, double margin, bool *touches);

/// Everything that a step changes.
/// @param plan  of the episode that is saved or restored; NULL: the user's
SAC_CHECKED sac_status sac_rooms_body_snapshot(rooms_body *body, sac_snapshot *snapshot, const rooms_plan *plan);
