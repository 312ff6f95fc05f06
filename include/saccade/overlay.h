#pragma once

#include "saccade/policy.h"

/// Where a policy looks, drawn over a picture.
///
/// show.h describes pictures.

/// Compute the overlay of Tang et al. 2020: the K top patches are blended with white in the order of rank, the patch of
/// rank r (from 0) with weight 1 - r/K. All blends are with white, so they leave of a pixel the product of r/K over the
/// patches that cover it, and 1 where none does.
/// @param[out] keep  [height, width], of the observation
SAC_API void sac_overlay_keep(float *keep, int height, int width, const sac_gaze *gaze);

/// Blend a picture of any size with white: v keep + 255 (1 - keep), rounded to nearest. The map is stretched over the
/// picture by nearest neighbour, so an enlarged observation gets the same patches as one of the original size.
/// @param strength  0..1, multiplies the weight of white; 1 is the paper's
SAC_API void sac_overlay_blend(uint8_t *rgb, int height, int width, const float *keep, int keep_height, int keep_width,
                               float strength);

/// Compute the overlay of a policy that keeps no patch but mixes them all, so that none can be marked as chosen. It
/// leaves a picture bright where the levels are high and dims it where they are low: a pixel is multiplied by 0.3 plus
/// 0.7 times the level of the patch whose centre is nearest.
/// @param[out] keep    [height, width], of the observation
/// @param      levels  [N], of sac_heat_levels
SAC_API void sac_overlay_light(float *keep, int height, int width, const sac_gaze *gaze, const float *levels);

/// Dim a picture of any size: v keep, rounded to nearest; the rest is as in sac_overlay_blend.
SAC_API void sac_overlay_dim(uint8_t *rgb, int height, int width, const float *keep, int keep_height, int keep_width,
                             float strength);

/// The colour of a value in 0..1 (others are clamped): from near black over violet and orange to pale yellow. Lightness
/// (of the colour space OKLab) rises in proportion to the value, so equal steps look equal, in grey as well.
SAC_API void sac_heat_color(float value, uint8_t rgb[3]);

/// Compute how bright every patch is in a heat map, 0..1, by its rank and not by its amount. A level is the number of
/// patches that are less important, where all patches of the least importance count as one, divided by that number for
/// the most important patch. So equal patches are equally bright, the least are 0, and all colours are used however
/// attention is spread. Where all are equal all are 0; a NaN counts as the least.
/// @param[out] levels      [count]
/// @param[out] sorted      [count] the importances, rising; must not overlap an input
/// @param      importance  [count], count >= 1
/// @return the share of all importance that the best twentieth of the patches gets (rounded up to whole patches): what
///         the ranks do not say; 0.05 where attention is even, NaN where the sum is no positive number
SAC_API double sac_heat_levels(float *levels, float *sorted, const float *importance, int count);

/// Draw levels as a heat map over the extent of the image that the policy looks at; pixels take the colour of the patch
/// whose centre is nearest.
/// @param levels  [N], of sac_heat_levels
SAC_API void sac_heat_map(uint8_t *rgb, int height, int width, const sac_gaze *gaze, const float *levels);

/// Draw points in space, the nearer ones over the farther ones, at the largest scale at which all of them have room. x
/// is away from those who look, y to the left and z up, and they look down from somewhat to the right.
/// @param[out] rgb     [height, width, 3], of which nothing stays
/// @param      points  [count, 3]; rows that are not finite are no points
/// @param      levels  [count], of sac_heat_levels: the colours of a heat map; NULL: points are as bright as they are
/// near
SAC_API void sac_overlay_points(uint8_t *rgb, int height, int width, const float *points, int count,
                                const float *levels);
