#pragma once

#include "saccade/base.h"

/// The inner loops: one table of functions, filled from scalar.c upward by CPU level.
///
/// scalar.c is the definition. Every level gives the same bits: integers where they serve, otherwise the same
/// operations in the same order. Sums over columns run in SAC_LANES partial sums, column j into lane j % SAC_LANES, and
/// the lanes are added as a fixed tree; products are fused into sums with fmaf. The functions exp, sigmoid and tanh are
/// our own (elementary.h) and NaN passes through them.
///
/// Tokens (patches) are planar: matrices [D, stride], one row a dimension, N columns in use. N tokens, D query/key
/// size, M features, O outputs, K kept.

enum
{
    SAC_MAX_DIRECTIONS = 64, ///< largest R
    SAC_LANES = 16,          ///< partial sums of a reduction over columns
    SAC_MAX_TOP = 128,       ///< largest K
    SAC_ROW_BLOCK = 4,       ///< rows of A that the softmax kernels take at a time
    SAC_NEAR = 60,           ///< 2^x of |x| up to here and sums of them are far from the ends of float
};

/// `count` rounded up to whole lanes.
static inline int sac_round_up(int count)
{
    return (count + SAC_LANES - 1) / SAC_LANES * SAC_LANES;
}

/// How an image is cut into patches and projected. Patches are in row-major order of the grid; inside a patch the order
/// is row, column, channel; there is no padding: rows = (height - patch) / stride + 1.
typedef struct sac_patches
{
    int height, width, channels; ///< of the image
    ptrdiff_t pitch;             ///< elements from an image row to the next; negative: the rows go backwards
    int patch, stride;           ///< pixels
    int outputs;                 ///< O
    int rows, columns;           ///< of the grid, N = rows * columns
} sac_patches;

/// Fill in the grid of an image whose rows follow each other without a gap. All sizes >= 1, patch <= height and width.
sac_patches sac_patches_create(int height, int width, int channels, int patch, int stride, int outputs);

/// Numbers in a patch: patch * patch * channels.
int sac_patch_size(const sac_patches *p);

/// Bytes of scratch for project_bytes and project_floats, 64-byte aligned.
size_t sac_project_scratch_size(const sac_patches *p);

/// The order of packed weights: [ceil(O / 8)][patch row][pair][8 outputs], one int32 holds two int16: pair 2k (2k + 1)
/// belongs to bytes 4k and 4k + 2 (4k + 1 and 4k + 3) of the patch's row of patch * channels bytes.
enum
{
    SAC_PROJECT_BLOCK = 8
};

/// Number of int32 in packed weights.
size_t sac_project_packed_count(const sac_patches *p);

/// Pack weights [O, patch size] for project_bytes.
/// @param weights  |sum over a patch of 255 |w|| < 2^31 for each output
void sac_project_pack(int32_t *packed, const int16_t *weights, const sac_patches *p);

/// Quantise and pack float weights [O, patch size], each output with its own scale (as large as int16 and the sums
/// allow): weight ~ scale[o] * int16, off by at most scale[o] / 2. Not finite: all weights of that output become 0 and
/// its scale NaN.
void sac_project_quantise(int32_t *packed, float *scales, const float *weights, const sac_patches *p);

/// What a row of `size` weights is multiplied by there before it is rounded, half away from zero; 0: all become 0.
double sac_project_inverse(const float *weights, int size);

/// Bias and weights of an LSTM, [ceil(H / 16)][1 + inputs + hidden][gate i f g o][16]: the first of the middle rows is
/// the bias, lanes past H are zero.
size_t sac_lstm_packed_count(int inputs, int hidden);

/// Pack torch's LSTMCell: weight_ih [4H, inputs], weight_hh [4H, H], two biases [4H]; gate blocks in order i, f, g, o.
void sac_lstm_pack(float *packed, const float *weight_ih, const float *weight_hh, const float *bias_ih,
                   const float *bias_hh, int inputs, int hidden);

/// A map of tokens to features. It starts from u_m = sum_d matrix[m][d] x_d.
typedef struct sac_features
{
    const float *matrix;     ///< [M, D]; NULL, for relu alone: u = factor x, M = D
    int count;               ///< M
    int size;                ///< D
    float factor;            ///< where there is no matrix
    float square;            ///< factor of |x|^2 in exponents of 2
    float turn;              ///< trigonometric maps: from u to quarter turns
    const float *directions; ///< [R, D] hybrid map: the sides of these planes
    int direction_count;     ///< R, at most SAC_MAX_DIRECTIONS
} sac_features;

#define SAC_SUMS_PARAMETERS (float *sums, const float *x, int n, int stride, const sac_features *f)
#define SAC_SCORES_PARAMETERS \
    (float *scores, const float *weights, const float *x, int n, int stride, const sac_features *f)
#define SAC_FEATURES_PARAMETERS \
    (float *features, int features_stride, const float *x, int n, int stride, const sac_features *f)

/// Every kernel: name, parameters.
#define SAC_KERNEL_LIST(X)                                                                                             \
    /* out[o * out_stride + n] = sum over patch n of weight * byte; writes N columns of O rows, exact */               \
    X(project_bytes, (int32_t * out, int out_stride, const uint8_t *image, const int32_t *packed,                      \
                      const sac_patches *p, void *scratch))                                                            \
    /* the same from floats with weights [O, patch size]: one fmaf an element, in the order of the patch */            \
    X(project_floats,                                                                                                  \
      (float *out, int out_stride, const float *image, const float *weights, const sac_patches *p, void *scratch))     \
    /* out[i] = in[i] * scale + bias, rounded twice */                                                                 \
    X(rescale, (float *out, const int32_t *in, float scale, float bias, int count))                                    \
    /* hash[i] of the bits of column i of queries and keys, in whole numbers */                                        \
    X(hash_columns, (uint32_t * hash, const float *queries, const float *keys, int size, int n, int stride))           \
    /* changes[i] is 0 where column i of queries and keys has the bits of column i - 1; changes[0] = 1 */              \
    X(compare_columns, (uint32_t * changes, const float *queries, const float *keys, int size, int n, int stride))     \
    /* largest[0] = max_j |x_j|^2; not a number where one of them is none or their sum is no finite float */           \
    X(largest_square, (float *largest, const float *x, int size, int n, int stride))                                   \
    /* largest[r] = max_j q_r . k_j, queries [count, size], count <= SAC_ROW_BLOCK, keys [size, stride] */             \
    X(largest_scores,                                                                                                  \
      (float *largest, const float *queries, int count, const float *keys, int size, int n, int stride))               \
    /* rows[r][j] = 2^(q_r . k_j - shift[r]), sums[r] = sum_j weights[j] rows[r][j], queries and keys as above;        \
       rows [count, sac_round_up(n)], zero past n; weights NULL: 1; shift NULL: |q_r . k_j| <= SAC_NEAR, no shift, and \
       rows in units of SAC_NEAR_UNIT */                                                                               \
    X(softmax_rows, (float *rows, float *sums, const float *queries, const float *shift, int count, const float *keys, \
                     const float *weights, int size, int n, int stride))                                               \
    /* out[j] += sum_r shares[r] rows[r][j], rows as above */                                                          \
    X(add_rows, (float *out, const float *rows, const float *shares, int count, int n))                                \
    /* out[j] += sum_r numbers[r] rows[r][j] / sums[r] with the rows and sums of softmax_rows without a shift, for     \
       `count` queries, a multiple of SAC_ROW_BLOCK; rows: scratch [SAC_ROW_BLOCK, sac_round_up(n)], aligned */        \
    X(add_softmax, (float *out, const float *queries, const float *numbers, int count, const float *keys,              \
                    const float *weights, int size, int n, int stride, float *rows))                                   \
    /* out[r * value_size + v] += sum_j rows[r][j] values[v][j], rows as above, values [value_size, stride] */         \
    X(weigh_rows, (float *out, const float *rows, int count, const float *values, int value_size, int n, int stride))  \
    /* maps phi of F rows; relu: phi_m = max(u_m, 0), F = M; exp: 2^(u_m + square |x|^2); square: u_m^2;               \
       trig, F = 2 M: phi_2m, phi_2m+1 = 2^(-square |x|^2) (sin, cos)(turn u_m quarter turns);                         \
       hybrid, F = 3 M (1 + R): [trig | exp | s_l trig, [M, R, 2] | s_l exp, [M, R]], s_l = 1 where directions_l.x     \
         >= 0, else -1. Of each: sums[f * SAC_LANES + i % SAC_LANES] += phi_f(x_i) */                                  \
    X(relu_sums, SAC_SUMS_PARAMETERS)                                                                                  \
    X(exp_sums, SAC_SUMS_PARAMETERS)                                                                                   \
    X(square_sums, SAC_SUMS_PARAMETERS)                                                                                \
    X(trig_sums, SAC_SUMS_PARAMETERS)                                                                                  \
    X(hybrid_sums, SAC_SUMS_PARAMETERS)                                                                                \
    /* scores[j] = sum_f weights[f] phi_f(x_j) */                                                                      \
    X(relu_scores, SAC_SCORES_PARAMETERS)                                                                              \
    X(exp_scores, SAC_SCORES_PARAMETERS)                                                                               \
    X(square_scores, SAC_SCORES_PARAMETERS)                                                                            \
    X(trig_scores, SAC_SCORES_PARAMETERS)                                                                              \
    X(hybrid_scores, SAC_SCORES_PARAMETERS)                                                                            \
    /* features[f * features_stride + i] = phi_f(x_i) */                                                               \
    X(relu_features, SAC_FEATURES_PARAMETERS)                                                                          \
    X(exp_features, SAC_FEATURES_PARAMETERS)                                                                           \
    X(square_features, SAC_FEATURES_PARAMETERS)                                                                        \
    X(trig_features, SAC_FEATURES_PARAMETERS)                                                                          \
    X(hybrid_features, SAC_FEATURES_PARAMETERS)                                                                        \
    /* out[r * out_stride + i] /= divisors[i] + epsilon, as a product with the inverse; where that sum is zero: 0 */   \
    X(divide_rows, (float *out, int out_stride, int rows, const float *divisors, float epsilon, int n))                \
    /* rows of n numbers divided by one number */                                                                      \
    X(divide, (float *out, int out_stride, int rows, float divisor, int n))                                            \
    /* each column divided by its length; zero stays zero */                                                           \
    X(normalise, (float *out, int out_stride, const float *x, int size, int n, int stride))                            \
    /* one step of torch's LSTMCell, h and c in place [hidden]; scratch: sac_round_up(hidden) floats, aligned */       \
    X(lstm_step, (float *h, float *c, const float *x, const float *packed, int inputs, int hidden, float *scratch))    \
    /* out [outputs] = weights [outputs, inputs] x + bias */                                                           \
    X(dense, (float *out, const float *weights, const float *bias, const float *x, int outputs, int inputs))           \
    /* of quarter turns */                                                                                             \
    X(sin_cos, (float *sine, float *cosine, const float *turns, int count))                                            \
    /* element by element; out may be in */                                                                            \
    X(exp, (float *out, const float *in, int count))                                                                   \
    X(exp2, (float *out, const float *in, int count))                                                                  \
    X(sigmoid, (float *out, const float *in, int count))                                                               \
    X(tanh, (float *out, const float *in, int count))                                                                  \
    /* out [R, N] = weights [R, M] x [M, N], in the order of M */                                                      \
    X(mix, (float *out, int out_stride, const float *weights, int weight_stride, int rows, const float *x, int size,   \
            int n, int stride))                                                                                        \
    /* sums [R, M] += a [R, N] b [M, N]^T; a may be NULL: one row of ones */                                           \
    X(contract, (float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b, int size,       \
                 int n, int stride))                                                                                   \
    /* carried [R, M, SAC_LANES] += the same products, token n's into lane n % SAC_LANES: the sums of contract block   \
       by block; n is a multiple of SAC_LANES but in the last block */                                                 \
    X(carry, (float *carried, const float *a, int a_stride, int rows, const float *b, int size, int n, int stride))    \
    /* bit b of token n, bits[b / 32 * bits_stride + n] >> b % 32 & 1: whether matrix [bit_count, M] x [M, N] >= 0     \
       there; the bits past the last are 0 */                                                                          \
    X(sign_bits, (uint32_t * bits, int bits_stride, const float *matrix, int bit_count, const float *x, int size,      \
                  int n, int stride))                                                                                  \
    /* distances[n] = the number of bits in which token n differs from query [words] */                                \
    X(hamming, (int32_t * distances, const uint32_t *bits, int bits_stride, const uint32_t *query, int words, int n))  \
    /* indices of the k largest, in falling order, ties to the lower index, NaN last; k <= min(n, SAC_MAX_TOP) */      \
    X(top, (int *top, int k, const float *values, int n))

/// The table.
typedef struct sac_kernels
{
#define X(name, parameters) void(*name) parameters;
    SAC_KERNEL_LIST(X)
#undef X
} sac_kernels;

/// The table of a level: scalar, overwritten by each level up to `level`. Objects keep a copy of
/// sac_kernels_create(sac_get_cpu_level()) from their creation on.
sac_kernels sac_kernels_create(sac_cpu_level level);

/// The sums of `count` rows of SAC_LANES partial sums, as every kernel adds them.
void sac_sum_lanes(float *sums, const float *lanes, int count);

/// What each level supplies.
void sac_kernels_add_neon(sac_kernels *k);
void sac_kernels_add_avx2(sac_kernels *k);
void sac_kernels_add_avx512(sac_kernels *k);
