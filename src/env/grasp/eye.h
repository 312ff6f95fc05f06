#pragma once

#include "env/grasp/table.h"
#include "env/mujoco/view.h"
#include "saccade/cloud.h"

/// What is seen of a table: the camera's depth picture, and from it one thing's points (saccade/cloud.h).

typedef struct grasp_eye_def
{
    int height, width;             ///< of the camera's picture
    int wrist_height, wrist_width; ///< of the hand's
    double fov;                    ///< degrees of the camera, vertically
    double noise;                  ///< of depth, times the usual
    bool nearest;                  ///< of the clusters the one nearest to the table's middle; else the largest one
    float far;                     ///< m: what is farther in the hand's picture counts as this far
} grasp_eye_def;

/// What was found.
typedef struct grasp_found
{
    const float *points; ///< [3, stride] planar, metres in the world
    int stride, count;   ///< count 0: nothing
    int clusters;
    float center[3], axis[3];
} grasp_found;

typedef struct grasp_eye grasp_eye;

/// @param[out] out    released by sac_grasp_eye_destroy; NULL on failure
/// @param      table  must outlive it
SAC_CHECKED sac_status sac_grasp_eye_create(grasp_eye **out, grasp_table *table, const grasp_eye_def *def);

/// NULL is ignored.
void sac_grasp_eye_destroy(grasp_eye *eye);

/// Take a picture and find a thing in it. What was found is the eye's own and stays until it looks again.
/// @param seed, index  that the picture's noise is drawn from
SAC_CHECKED sac_status sac_grasp_eye_look(grasp_eye *eye, grasp_found *found, uint64_t seed, uint64_t index);

/// The camera's last picture, metres along the view [height, width].
const float *sac_grasp_eye_depth(const grasp_eye *eye);

/// The hand's picture, metres along the view [wrist_height, wrist_width].
SAC_CHECKED sac_status sac_grasp_eye_wrist(grasp_eye *eye, float *depth);

/// The table for people, rgb [height, width, 3].
/// @param data  as things are in it: the table's own, or a moment's
SAC_CHECKED sac_status sac_grasp_eye_poster(grasp_eye *eye, mjData *data, uint8_t *rgb, int height, int width);
