#pragma once

#include "env/grasp/mjcf.h"
#include "env/mujoco/model.h"
#include "saccade/env.h"

/// A table with things on it and a hand over it: MuJoCo's model of all, laid out anew for each episode, and moved. It
/// knows nothing of policies and pictures.

enum
{
    GRASP_MOST_THINGS = 5
};

typedef enum grasp_camera
{
    GRASP_CAMERA,
    GRASP_WRIST,
    GRASP_PEOPLE,
    GRASP_CAMERAS
} grasp_camera;

/// A thing as it lies on the table in an episode.
typedef struct grasp_placed
{
    int index; ///< of the object
    grasp_object object;
    grip_weight weight;
    double position[3], axes[9]; ///< with which the episode began, before it came to rest
} grasp_placed;

/// Which things there are, and how they lie.
typedef struct grasp_layout_def
{
    int things;
    int first, last; ///< objects that are drawn from
    double spread;   ///< m from the middle at most, along x and y
} grasp_layout_def;

typedef struct grasp_table
{
    const sac_mujoco *mj;
    mujoco_model *shared;
    mjModel *model; ///< its own: things are laid out in it
    mjData *data;
    double *state;                                   ///< room for what MuJoCo calls the integration state
    double force;                                    ///< N of each finger
    int hand, fingers[2], things[GRASP_MOST_THINGS]; ///< bodies
    int hand_at, hand_rate;                          ///< where the hand's joint lies in positions and in rates
    int finger_at[2], finger_rate[2], motors[2];
    int cameras[GRASP_CAMERAS];
    grasp_meshes meshes;          ///< that things are; empty: things are of simple solids
    int shelf[GRASP_MOST_MESHES]; ///< their geoms
    grasp_placed placed[GRASP_MOST_THINGS];
    int count;
} grasp_table;

/// @return SAC_ERROR_UNAVAILABLE without MuJoCo, SAC_ERROR_MEMORY, and what sac_grasp_meshes_open says
SAC_CHECKED sac_status sac_grasp_table_create(grasp_table **out, const grasp_model_def *def);

/// NULL is ignored.
void sac_grasp_table_destroy(grasp_table *table);

/// Lay out the things that a seed draws, let them come to rest, and put the hand where it waits.
SAC_CHECKED sac_status sac_grasp_table_reset(grasp_table *table, const grasp_layout_def *layout, uint64_t seed);

/// The work of the calls below runs within sac_mujoco_guard.

/// Put the hand where it waits, out of the camera's sight, with open fingers.
void sac_grasp_table_park(grasp_table *table);

/// Put the hand's tip to a place.
/// @param speed  m/s with which it moves there
void sac_grasp_table_hold(grasp_table *table, const double tip[3], const double axes[9], const double speed[3]);

/// Let things come to rest: steps until nothing moves, a second at most.
void sac_grasp_table_settle(grasp_table *table);

/// The height of a thing's centre of mass.
double sac_grasp_table_height(const grasp_table *table, int thing);

/// Where a thing is: its frame's place and axes.
void sac_grasp_table_pose(const grasp_table *table, int thing, double position[3], double axes[9]);

/// Everything that a reset or a step changes.
/// @param layout, seed  of the episode that is saved or restored
SAC_CHECKED sac_status sac_grasp_table_snapshot(grasp_table *table, sac_snapshot *snapshot,
                                                const grasp_layout_def *layout, uint64_t seed);
