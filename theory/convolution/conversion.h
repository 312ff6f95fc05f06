#pragma once

#include "saccade/filter.h"

/// A convolution turned into a layer of heads and back, measured beside the bounds of saccade/filter.h: for the theorem
/// conv-bound, for `saccade convolution`, and for the plot of both.

/// Largest differences over all outputs, and the bound of each, at one sharpness.
typedef struct theory_conversion
{
    double alpha;
    double error[3], bound[3];         ///< by sac_padding; heads from the convolution. NaN: no place has all taps
    double back_error, back_bound;     ///< a convolution made from the heads, against the heads; zeros around
    double weight_error, weight_bound; ///< its weights against those at the beginning
} theory_conversion;

/// Convert and measure.
/// @param alpha  > 0
SAC_CHECKED sac_status theory_convert(theory_conversion *out, const sac_filter *filter, double alpha,
                                      const sac_planes *planes);

/// What a convolution of K x K, made of a layer of heads, differs by from the layer, zeros around.
typedef struct theory_of_heads
{
    double error, bound;
    double outside; ///< the largest share of attention of any head outside the K x K
} theory_of_heads;

/// Make the convolution and measure.
/// @param      layer    its size is K, its weights are the heads' [count, channels, outputs]
/// @param[out] weights  [K * K, channels, outputs] of the convolution
SAC_CHECKED sac_status theory_convolve_heads(theory_of_heads *out, float *weights, const sac_filter *layer,
                                             const sac_head *heads, int count, const sac_planes *planes);

/// Whether every error is within its bound.
bool theory_conversion_holds(const theory_conversion *c);

/// Draw errors and bounds over alpha into a file that ends in .svg or .png.
SAC_CHECKED sac_status theory_draw_conversion(const theory_conversion *c, int count, const char *subtitle,
                                              const char *path);

/// Draw uniform numbers of -1..1, a function of the seed and the index.
void theory_uniform(float *out, size_t count, uint64_t seed, uint64_t index);
