#pragma once

#include "saccade/base.h"

/// These kinds of attention depend on the positions of pixels: Gaussian heads, which can be convolutions, and
/// Transformer-XL's relative positions. Equation numbers are those of the paper "Attention layer can implement CNN".
///
///     A_ij = softmax_j(-1/2 (x - mu)^T S (x - mu)), x = p_i - p_j, S = (a b; b c)
///
/// p = (row, column). x is query minus key, so a head with target mu looks at pixel p_i - mu, as a convolution in the
/// mathematical sense does. At the border the softmax is over the pixels inside. There a sharp head sees the nearest
/// pixel, so nine heads become a 3 x 3 convolution with replicate padding, not with zeros.
///
/// Planes are [channels, stride] float32 with the L = height * width pixels in row-major order in the first columns. No
/// L x L matrix is ever held. Heads are immutable once created, so threads may share them, each with its own workspace.
/// The bits are the same on every machine and CPU level.

/// A Gaussian head: mu and S.
typedef struct sac_head
{
    double target[2];    ///< mu: rows, columns
    double precision[3]; ///< a, b, c with a, c >= 0 and a c >= b^2; a = c = INFINITY, b = 0: all on the nearest pixel
} sac_head;

/// Make an isotropic head (equation 7): its logit is -alpha |x - mu|^2, so a = c = 2 alpha. (The paper's remark after
/// equation 12 says a = c = alpha, which is off by a factor of 2.) alpha may be INFINITY, which gives the limit, a
/// shift.
SAC_API sac_head sac_head_isotropic(double alpha, double row, double column);

/// Make a head with S = root^T root (equation 9), which is positive semi-definite for any root [2, 2].
SAC_API sac_head sac_head_from_root(const double root[4], double row, double column);

/// Make nine heads that see p_i + o, o row-major in {-1, 0, 1}^2: the taps of a 3 x 3 convolution.
SAC_API void sac_heads_nine(sac_head heads[9], double alpha);

/// An encoding writes the logit as a dot product R_x . t of one vector for the offset and one for the head.
typedef enum sac_head_encoding
{
    SAC_HEAD_ISOTROPIC = 6, ///< equations 5, 6: R = (x1, x2, x1^2, x2^2, 1, 1); for a = c, b = 0
    SAC_HEAD_GENERAL = 10,  ///< equations 10, 11: R = (x1, x2, x1, x2, x1^2, x2^2, x1 x2, 1, 1, 1)
    SAC_HEAD_SHORT = 5,     ///< R = (x1, x2, x1^2, x2^2, x1 x2): without the constant, which softmax cancels
} sac_head_encoding;

/// @param[out] t  [encoding]: as many numbers as the encoding's value
SAC_API void sac_head_encode(double *t, const sac_head *head, sac_head_encoding encoding);

/// @param[out] r  [encoding], for the offset x = p_i - p_j
SAC_API void sac_offset_encode(double *r, double row, double column, sac_head_encoding encoding);

typedef struct sac_heads_def
{
    int height, width;     ///< of the planes, 1..4096; no default
    int count;             ///< heads, 1..256; no default
    const sac_head *heads; ///< [count], copied; no default
    uint32_t internal;     ///< marks a def that came from the default; do not set
} sac_heads_def;

typedef struct sac_heads sac_heads;

SAC_API sac_heads_def sac_heads_default_def(void);

/// Create heads for planes of one size.
/// @param[out] out  owned by the caller, released by sac_heads_destroy; NULL on failure
/// @return SAC_OK, SAC_ERROR_ARGUMENT (sac_last_error names the field) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_heads_create(sac_heads **out, const sac_heads_def *def);

/// NULL is ignored.
SAC_API void sac_heads_destroy(sac_heads *heads);

/// Bytes of workspace for planes of up to `channels` channels (of sac_heads_layer: the larger of its two counts).
SAC_API size_t sac_heads_workspace_size(const sac_heads *heads, int channels);

/// Compute the logits of one query pixel, without any constant left out: -1/2 (x - mu)^T S (x - mu).
/// @param[out] logits  [L]
SAC_API void sac_heads_logits(const sac_heads *heads, int head, float *logits, int query);

/// Compute the attention of one query pixel to every pixel.
/// @param[out] weights  [L]
SAC_API void sac_heads_row(const sac_heads *heads, int head, float *weights, int query, void *workspace);

/// Compute out = A values for one head. A head whose axes are the image's (b = 0) is a blur along columns and one along
/// rows. It takes time L (height' + width') a channel, where height' x width' is the window in which weights exceed
/// e^-40 of the largest. Other heads take time L height' width'. Their exponentials are computed once for the middle of
/// the image, and anew for each pixel whose window reaches past the border.
/// @param[out] out     [channels, out_stride]; must not overlap values
/// @param      values  [channels, stride]
SAC_API void sac_heads_mix(const sac_heads *heads, int head, float *out, int out_stride, const float *values,
                           int channels, int stride, void *workspace);

/// Compute a layer of all heads: out_o = bias_o + sum_h sum_c weights[h][c][o] (A_h x_c). In the limit of nine sharp
/// heads it is a 3 x 3 convolution.
/// @param[out] out      [outputs, out_stride]; must not overlap x
/// @param      x        [channels, stride]
/// @param      weights  [heads, channels, outputs]
/// @param      bias     [outputs]; NULL: zero
SAC_API void sac_heads_layer(const sac_heads *heads, float *out, int outputs, int out_stride, const float *x,
                             int channels, int stride, const float *weights, const float *bias, void *workspace);

/// Transformer-XL's attention logits, equation 3: (a) q_i.k_j  (b) q_i.r_{i-j}  (c) u.k_j  (d) v.r_{i-j}, with q = Wq
/// E, k = Wk E, r = Wr R; there is no factor 1/sqrt(D). Only position is left, as a convolution needs it, where Wq and
/// Wk vanish. (The paper says W_k,E and W_k,R, but (d) contains W_k,R.) Equation 2, absolute positions, is term (a) of
/// E + U.
typedef struct sac_relative
{
    int size;                  ///< C, of tokens and of encodings
    int key_size;              ///< D
    const float *query;        ///< Wq [D, C]
    const float *key;          ///< W_k,E [D, C]
    const float *position_key; ///< W_k,R [D, C]
    const float *content_bias; ///< u [D]; NULL: zero
    const float *place_bias;   ///< v [D]; NULL: zero
} sac_relative;

/// The terms of the sum, joined by |.
typedef enum sac_relative_terms
{
    SAC_RELATIVE_A = 1,
    SAC_RELATIVE_B = 2,
    SAC_RELATIVE_C = 4,
    SAC_RELATIVE_D = 8,
    SAC_RELATIVE_ALL = 15,
} sac_relative_terms;

/// Bytes of workspace of the two functions below, a multiple of 64.
SAC_API size_t sac_relative_workspace_size(const sac_relative *relative, int token_count);

/// Compute the sum of some terms, for every query and key.
/// @param[out] logits   [N, N]
/// @param      tokens   E [C, stride], N columns
/// @param      offsets  R [C, offsets_stride], 2 N - 1 columns: the encoding of i - j is column i - j + N - 1; NULL
///                      where neither (b) nor (d) is asked for
SAC_API void sac_relative_logits(const sac_relative *relative, float *logits, int terms, const float *tokens,
                                 int token_count, int stride, const float *offsets, int offsets_stride,
                                 void *workspace);

/// Compute out = softmax_j(scale * the sum of all four terms) values, one row at a time and without an N x N matrix.
/// scale >= 0.
/// @param[out] out     [channels, out_stride]
/// @param      values  [channels, values_stride]
SAC_API void sac_relative_output(const sac_relative *relative, float *out, int out_stride, double scale,
                                 const float *tokens, int token_count, int stride, const float *offsets,
                                 int offsets_stride, const float *values, int channels, int values_stride,
                                 void *workspace);
