#pragma once

#include "learn/learn.h"
#include "policy/point_cloud/pct.h"

/// The arrays of a minibatch of a policy that looks at point clouds: F frames of N points at most, as rows of W
/// numbers.
typedef struct sac_grasp_room
{
    float *gains;        ///< [layers, 2, W] of norms: gains themselves
    int *counts;         ///< [F] points
    float *frames;       ///< [F] of what forward keeps
    float *planar;       ///< [3, stride] points of one frame
    float *workspace;    ///< of attention
    float *dx, *dmiddle; ///< [N, W]
    float *dplain;       ///< [N, W]
    float *dgathered;    ///< [N, W]
    float *dunits;       ///< [N, units]
    float *dmixed;       ///< [N, 3 W]
    float *dpooled;      ///< [2 W + told]
    float *dhidden;      ///< [hidden]
    float *draw;         ///< [7]
} sac_grasp_room;

/// A layer's arrays for one frame, [N, ...].
typedef struct sac_grasp_layer
{
    float *x, *mixed, *kept, *gathered, *first_sum, *first_moments, *middle, *units, *last_sum, *last_moments;
} sac_grasp_layer;

/// What forward keeps of a frame.
typedef struct sac_grasp_frame
{
    float *points; ///< [N, 3]
    float *near;   ///< [N, W] between the two layers before the first one
    float *last;   ///< [N, W] that are pooled
    float *pooled; ///< [2 W + told]
    float *hidden; ///< [hidden]
    float *raw;    ///< [7]
    sac_grasp_layer layers[SAC_PCT_MAX_LAYERS];
} sac_grasp_frame;

/// Take the room's arrays from a workspace.
void sac_grasp_place(sac_grasp_room *room, const sac_pct *pct, size_t frames, sac_workspace *workspace);

/// Whether the policy has gradients.
SAC_CHECKED sac_status sac_grasp_check(const sac_pct *pct);

struct sac_pass;

/// Clouds to grasps [F, 7], and back.
void sac_grasp_forward(struct sac_pass *p, float *outputs);
void sac_grasp_backward(struct sac_pass *p, const float *doutputs);
