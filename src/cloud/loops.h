#pragma once

#include "saccade/cloud.h"

/// The inner loops over points, compiled once for each CPU level. Nothing is summed across points and nothing is fused,
/// so all levels give the same bits.

enum
{
    SAC_CLOUD_STRIP = 256 // points at a time
};

/// A row of a depth picture, read from column `first` on.
typedef struct sac_cloud_row
{
    const sac_depth *depth;
    int row, step;
    float focal, center; ///< along the row: 1 / focal_column, center_column / focal_column
    float base[3];       ///< R (0, y, 1) of the row
    float along[3];      ///< R (1, 0, 0)
    float position[3];
    const sac_bounds *bounds;
} sac_cloud_row;

typedef struct sac_cloud_loops
{
    /// Write the points of `count` <= SAC_CLOUD_STRIP pixels of a row from the first-th on that is read.
    /// @param[out] points  [3, SAC_CLOUD_STRIP]
    /// @param[out] valid   [SAC_CLOUD_STRIP] 1 or 0
    void (*project)(float *points, int *valid, const sac_cloud_row *row, int first, int count);
    /// Whether `count` points lie within bounds.
    void (*within)(int *valid, const float *x, const float *y, const float *z, const sac_bounds *bounds, int count);
    /// Whether they are farther from a plane than `distance`.
    void (*beyond)(int *valid, const float *x, const float *y, const float *z, const float plane[4], float distance,
                   int count);
    /// How many points are within `distance` of a plane.
    int (*count_near)(const float *x, const float *y, const float *z, const float plane[4], float distance, int count);
    /// How many points have a number that is not finite.
    int (*count_broken)(const float *x, const float *y, const float *z, int count);
    /// floor(x * inverse), whose size is below 2^30.
    void (*floors)(int *out, const float *x, float inverse, int count);
    void (*floors_exactly)(int *out, const float *x, double inverse, int count);
    /// The bits before each word's, and of all.
    int (*number)(int *starts, const uint64_t *words, int count);
    /// Bits become numbers: each of `count` numbers of bits becomes the count of bits before it that are set, which is
    /// counted.
    void (*look_up)(uint32_t *bits, int *counts, const uint64_t *words, const int *starts, int count);
} sac_cloud_loops;

extern const sac_cloud_loops sac_cloud_loops_scalar, sac_cloud_loops_neon, sac_cloud_loops_avx2, sac_cloud_loops_avx512;
