#pragma once

#include "saccade/heads.h"

/// A convolution turned into a layer of Gaussian heads, and such a layer turned into the convolution that it is.
/// "Attention layer can implement CNN", section 1.1, says that K x K heads do it; it gives no bound and no padding.
///
///     out_o(p) = bias_o + sum_t sum_c weights[t][c][o] x_c(p + s_t),  s_t = (t / K, t mod K) - (K - 1) / 2 each
///
/// Head t of sharpness alpha has its centre at -s_t (x is query minus key) and the matrix weights[t] behind it, so the
/// weights of the layer are those of the convolution as they stand. Let q = e^-alpha and let
/// theta = 1 + 2 (q + q^4 + q^9 + ...), a theta function of Jacobi. Along one axis the token that a head is to see gets
/// at least the share 1 / theta: the other logits are at most -alpha n^2, n = 1, 2, ... on both sides of it. Where the
/// head looks past the border by d tokens, the nearest one gets more: the others are below it by
/// alpha ((n + d)^2 - d^2) >= alpha n^2. A softmax over both axes is the product of both, so at most
///
///     leak(alpha) = 1 - theta^-2,  about 4 e^-alpha
///
/// of a head's attention is elsewhere, and each output is off by at most leak sum_t sum_c |weights[t][c][o]| (max x_c -
/// min x_c), plus what rounding does in float32. sac_filter_bound computes both.
///
/// A layer over the picture alone pads as the softmax does: by repeating the border. It pads with zeros where the
/// picture is given a frame of zero tokens and only the picture's own tokens ask; it does not pad ("none") where only
/// those ask whose neighbours all exist.

enum
{
    SAC_FILTER_MAX = 16 ///< K at most: 256 heads
};

/// A convolution. Arrays are the caller's.
typedef struct sac_filter
{
    int size;             ///< K, 1..SAC_FILTER_MAX
    int channels;         ///< of x, >= 1
    int outputs;          ///< >= 1
    const float *weights; ///< [K * K, channels, outputs], taps row-major
    const float *bias;    ///< [outputs]; NULL: zero
} sac_filter;

/// What is seen beyond the border.
typedef enum sac_padding
{
    SAC_PADDING_NONE,   ///< nothing: outputs only where all taps are inside
    SAC_PADDING_ZEROS,  ///< zeros
    SAC_PADDING_REPEAT, ///< the nearest pixel
} sac_padding;

/// Planes [channels, height * width] without gaps.
typedef struct sac_planes
{
    const float *x;
    int height, width; ///< 1..4096 each, the frame included
} sac_planes;

/// Turn a picture's height and width into the outputs'; below 1 where no place has all its taps inside.
SAC_API void sac_filter_size(int size, sac_padding padding, int *height, int *width);

/// Convolve in double: the definition above, to compare with.
/// @param[out] out  [outputs, height' * width'] of sac_filter_size
SAC_API void sac_filter_convolve(const sac_filter *filter, double *out, const sac_planes *planes, sac_padding padding);

/// Make the K * K heads of a convolution.
/// @param[out] heads  [K * K]
/// @param      alpha  > 0; INFINITY: shifts, which are exact
SAC_API void sac_filter_heads(sac_head *heads, int size, double alpha);

/// The largest share of a head's attention that is not on the token it is to see: leak(alpha) above, in 0..1.
SAC_API double sac_heads_leak(double alpha);

/// Compute a layer of heads, see sac_heads_layer, with padding: over the picture, or over the picture in a frame of
/// zeros.
/// @param[out] out      [outputs, height' * width'] of sac_filter_size
/// @param      filter   its size says how wide the frame is and which places ask; its weights are [count, ...]
/// @param      heads    [count]; sac_filter_heads makes those of the convolution
/// @return SAC_OK; SAC_ERROR_ARGUMENT where there is no output, or the picture or a head cannot be; SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_filter_attend(const sac_filter *filter, float *out, const sac_head *heads, int count,
                                                 const sac_planes *planes, sac_padding padding);

/// The largest difference there can be between sac_filter_attend with the heads of sharpness alpha and the convolution:
/// the leak as derived above, and n u / (1 - n u) (|bias| + sum |weights| max |x|) for rounding, where u = 2^-24 and n
/// counts the sums' terms: K K channels, the tokens in both axes' windows, and 4 for weights, bias and their products.
SAC_API double sac_filter_bound(const sac_filter *filter, double alpha, const sac_planes *planes, sac_padding padding);

/// Find the convolution that a layer of heads is: tap s of the result is sum_h g_h(s) weights[h], where g_h(s) is
/// e^logit of the shift s divided by the sum over all K x K shifts. Away from borders a layer of heads of any targets
/// and precisions equals that convolution but for what its heads put on other shifts.
/// @param[out] weights  [K * K, channels, outputs] of the result, as in sac_filter
/// @param[out] outside  [count]; the largest share of attention that head h can have on shifts outside the K x K, over
///                      pictures of this height and width, a frame included; NULL: not asked for
/// @param      layer    [count, channels, outputs]: the layer's weights
SAC_API void sac_filter_of_heads(float *weights, double *outside, int size, const sac_head *heads, int count,
                                 const float *layer, int channels, int outputs, int height, int width);

/// The largest difference there can be, where the whole K x K window of a query is inside (SAC_PADDING_NONE and
/// SAC_PADDING_ZEROS), between a layer of heads and the convolution that sac_filter_of_heads made of it: sum_h
/// outside_h sum_c |layer[h][c][o]| (max x_c - min x_c), and rounding as in sac_filter_bound. Attention is a mixture of
/// what the convolution does, with the share 1 - outside_h, and of tokens elsewhere.
/// @param layer    its size is K, its weights are the layer's, [count, channels, outputs]
/// @param outside  [count], of sac_filter_of_heads for the picture's height + K - 1 and width + K - 1
SAC_API double sac_filter_outside_bound(const sac_filter *layer, const double *outside, const sac_head *heads,
                                        int count, const sac_planes *planes, sac_padding padding);
