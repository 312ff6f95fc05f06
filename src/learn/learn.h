#pragma once

#include "gemm/gemm.h"
#include "kernels/kernels.h"

/// Gradients: each layer's forward and backward, losses and optimisers, over dense row-major float32.
///
/// A token, a sample or a step is a row: x [N, I]. Where a parameter list has `x_row`, rows lie that many numbers
/// apart. Forward functions write their outputs. Backward functions take the gradient of the loss with respect to the
/// outputs, `dout`, WRITE the gradients of inputs (dx) and ADD to those of parameters (dweights); NULL: not wanted.
/// What backward needs of forward is what it takes: inputs, outputs and, where that is not enough, `kept`, whose size
/// is asked for. Nothing allocates; a workspace is aligned to 64 bytes.
///
/// dx is the gradient of the loss with respect to x.
///
/// Every CPU level gives the same bits. Sums over a row run in SAC_LANES partial sums (kernels.h); sums over rows run
/// in the order of rows, each a chain of fmaf where products are summed; exp, tanh and the like are those of
/// elementary.h. So each layer's file is compiled once a level, and sac_learn is a table of functions as sac_kernels
/// is:
///
///     sac_learn l = sac_learn_create(scratch);
///     l.linear_forward(&l, out, x, weights, bias, rows, inputs, outputs, SAC_ACTIVATION_RELU);
///
/// Threads share nothing: each has a table with scratch of its own. See slices.h for a minibatch over threads.

typedef struct sac_learn sac_learn;

/// What a function of one number does to it.
typedef enum sac_curve
{
    SAC_CURVE_RELU,    ///< max(x, 0), slope 0 at 0
    SAC_CURVE_TANH,    ///< tanh x
    SAC_CURVE_SIGMOID, ///< 1 / (1 + e^-x)
    SAC_CURVE_GELU,    ///< x Phi(x), Phi the normal distribution's: the exact form
} sac_curve;

/// A convolution of pictures [height, width, channels], padded with zeros on all four sides. Out is
/// [rows, columns, outputs] for each; weights are [outputs, patch, patch, channels]. A patch projection is one whose
/// stride is its patch.
typedef struct sac_convolution
{
    int height, width, channels;
    int patch, stride, padding; ///< pixels; padding < patch
    int outputs;
    sac_activation activation; ///< none, relu, tanh or sigmoid, fused
    int pictures;              ///< one behind the other; 0: one
    bool add;                  ///< dx is added to, not written
} sac_convolution;

/// Pooling over squares of pixels, each channel for itself; nothing is padded.
typedef struct sac_pooling
{
    int height, width, channels;
    int patch, stride;
    bool average; ///< else the largest, the first of equals
} sac_pooling;

/// Rows x [N, C] of a minibatch's slice, normalised by moments of all slices: mean m and deviation s of each channel.
typedef struct sac_batch_norm
{
    int rows, size;             ///< N, C
    bool relu;                  ///< out = max(0, ...), and the slope there is 0
    bool add;                   ///< dbeside is added to, not written
    const float *scale, *move;  ///< [C] gain / s, shift - m gain / s
    const float *mean;          ///< [C] m; backward alone, as what follows
    const float *level, *slope; ///< [C] of batch_norm_sums over all N: sums / N, sums along x / (N s^2)
} sac_batch_norm;

/// An LSTM over a segment of steps of several sequences: torch's LSTMCell, gates in the order i f g o.
typedef struct sac_lstm
{
    int steps, sequences, inputs, hidden; ///< T, B, I, H
} sac_lstm;

/// An LSTM's parameters: weight_ih [4 H, I], weight_hh [4 H, H], two biases [4 H].
typedef struct sac_lstm_weights
{
    const float *weight_ih, *weight_hh, *bias_ih, *bias_hh;
} sac_lstm_weights;

/// Gradients of an LSTM's parameters, in the same shapes, which are added to.
typedef struct sac_lstm_gradients
{
    float *weight_ih, *weight_hh, *bias_ih, *bias_hh;
} sac_lstm_gradients;

/// Attention of several heads. Head h of a token begins at number h * size of its row (h * value_size in values and
/// out), so the heads of a joint projection need no copies. The row steps also hold for the gradients.
typedef struct sac_attend
{
    int heads, queries, keys, size, value_size;       ///< H, M, N, D, V
    ptrdiff_t query_row, key_row, value_row, out_row; ///< from token to token
    float scale;                                      ///< of q.k; softmax alone
} sac_attend;

/// Heads over a picture of L = height width pixels that look at places whatever is there; see heads.c.
typedef struct sac_place_heads
{
    int heads, height, width; ///< H
} sac_place_heads;

/// Floats in the tables of such heads: [H, 2 height - 1, 2 width - 1], over differences of places, row first.
size_t sac_place_heads_tables(const sac_place_heads *g);

/// Feature maps phi of linear attention, from u = W x:
enum sac_phi
{
    SAC_PHI_RELU,     ///< max(u, 0)
    SAC_PHI_EXP,      ///< exp(u)
    SAC_PHI_SQUARE,   ///< u^2
    SAC_PHI_POSITIVE, ///< exp(u - |x|^2 / 2)
    SAC_PHI_TRIG,     ///< exp(|x|^2 / 2) (sin u, cos u), [M, 2]
    SAC_PHI_HYBRID,   ///< [trig | positive | s_r trig, [M, R, 2] | s_r positive, [M, R]], s_r = 1 where
                      ///< directions_r.x >= 0, else -1, of slope 0
};

/// A side's map: F features of a token, gains * phi.
typedef struct sac_map_side
{
    enum sac_phi phi;
    int count;               ///< M; F = M, of trig 2 M, of hybrid 3 M (1 + R)
    int size;                ///< D
    const float *matrix;     ///< W [M, D]; NULL: u = x, M = D
    const float *gains;      ///< [F]; NULL: ones
    const float *directions; ///< [R, D]
    int direction_count;     ///< R
} sac_map_side;

/// Gradients of a side's parameters, added to; NULL: not wanted.
typedef struct sac_map_gradients
{
    float *matrix, *gains;
} sac_map_gradients;

/// An attention's map over planar tokens: what the kernels are given (kernels.h), and gains.
typedef struct sac_column_map
{
    enum sac_phi phi;
    const sac_features *features;
    const double *gains; ///< [F]; a sine and its cosine have one gain
} sac_column_map;

/// Numbers F in a token's features.
int sac_map_features(const sac_map_side *side);

/// Rates of an optimiser's step.
typedef struct sac_step
{
    float rate;
    float momentum;              ///< SGD
    float beta1, beta2, epsilon; ///< Adam
    float decay;                 ///< of weights
    bool decoupled;              ///< AdamW: the decay does not pass through the moments
    uint64_t number;             ///< 1, 2, 3, ... for Adam's corrections
} sac_step;

#define SAC_LEARN_LIST(X)                                                                                              \
    /* out [N, O] = f(x [N, I] weights [O, I]^T + bias [O]); bias may be NULL */                                       \
    X(linear_forward, (const sac_learn *l, float *out, const float *x, const float *weights, const float *bias,        \
                       int rows, int inputs, int outputs, sac_activation activation))                                  \
    /* dout is the gradient with respect to the pre-activation, which curve_backward gives */                          \
    X(linear_backward, (const sac_learn *l, float *dx, float *dweights, float *dbias, const float *dout,               \
                        const float *x, const float *weights, int rows, int inputs, int outputs))                      \
    /* out[i] = f(x[i]); out may be x */                                                                               \
    X(curve_forward, (const sac_learn *l, float *out, const float *x, sac_curve curve, size_t count))                  \
    /* dx[i] = f'(x[i]) dout[i]; `known` is f's output, of GELU its input; dx may be dout */                           \
    X(curve_backward,                                                                                                  \
      (const sac_learn *l, float *dx, const float *dout, const float *known, sac_curve curve, size_t count))           \
    /* out = (x - mean) / sqrt(variance + epsilon) * gain + shift over each row; kept [N, 2]: mean, 1 / deviation */   \
    X(norm_forward, (const sac_learn *l, float *out, float *kept, const float *x, const float *gain,                   \
                     const float *shift, float epsilon, int rows, int size))                                           \
    X(norm_backward, (const sac_learn *l, float *dx, float *dgain, float *dshift, const float *dout, const float *x,   \
                      const float *kept, const float *gain, int rows, int size))                                       \
    /* adds to sums [2, C] those of x [N, C] and of its squares, for the moments of a minibatch */                     \
    X(moments, (const sac_learn *l, double *sums, const float *x, int rows, int size))                                 \
    /* out = f(x scale + move + beside); beside [N, C] may be NULL */                                                  \
    X(batch_norm_forward,                                                                                              \
      (const sac_learn *l, const sac_batch_norm *n, float *out, const float *x, const float *beside))                  \
    /* adds to sums [2, C] those of d and of d (x - m), d being dout where f has a slope; x is not dx */               \
    X(batch_norm_sums, (const sac_learn *l, const sac_batch_norm *n, double *sums, const float *dout,                  \
                        const float *out, const float *x))                                                             \
    /* dbeside may be NULL */                                                                                          \
    X(batch_norm_backward, (const sac_learn *l, const sac_batch_norm *n, float *dx, float *dbeside, const float *dout, \
                            const float *out, const float *x))                                                         \
    /* out = scale x / |x| over each row; a row of zeros stays; kept [N]: scale / |x| */                               \
    X(unit_forward, (const sac_learn *l, float *out, float *kept, const float *x, float scale, int rows, int size))    \
    X(unit_backward, (const sac_learn *l, float *dx, const float *dout, const float *out, const float *kept,           \
                      float scale, int rows, int size))                                                                \
    /* out = e^x / sum e^x over each row */                                                                            \
    X(softmax_forward, (const sac_learn *l, float *out, const float *x, int rows, int size))                           \
    X(softmax_backward, (const sac_learn *l, float *dx, const float *dout, const float *out, int rows, int size))      \
    /* workspace: sac_convolution_workspace floats */                                                                  \
    X(convolution_forward, (const sac_learn *l, const sac_convolution *c, float *out, const float *x,                  \
                            const float *weights, const float *bias, float *workspace))                                \
    X(convolution_backward, (const sac_learn *l, const sac_convolution *c, float *dx, float *dweights, float *dbias,   \
                             const float *dout, const float *x, const float *weights, float *workspace))               \
    /* the same by tiles, where sac_winograd_fits, without bias and activation; u: sac_winograd_weights floats that    \
       winograd_weights makes of weights, for forward or `back` */                                                     \
    X(winograd_weights, (const sac_learn *l, const sac_convolution *c, float *u, const float *weights, bool back))     \
    X(winograd_forward,                                                                                                \
      (const sac_learn *l, const sac_convolution *c, float *out, const float *x, const float *u, float *workspace))    \
    X(winograd_backward, (const sac_learn *l, const sac_convolution *c, float *dx, float *dweights, const float *dout, \
                          const float *x, const float *u, float *workspace))                                           \
    X(pooling_forward, (const sac_learn *l, const sac_pooling *p, float *out, const float *x))                         \
    X(pooling_backward, (const sac_learn *l, const sac_pooling *p, float *dx, const float *dout, const float *x))      \
    /* out [T, B, H], all h; hidden and cell [B, H] are those before the segment and become those after it; starts     \
       [T, B]: not zero where a sequence begins anew, from zeros, NULL: nowhere; x [T, B, I]; kept:                    \
       sac_lstm_kept floats; workspace: sac_lstm_workspace floats */                                                   \
    X(lstm_forward, (const sac_learn *l, const sac_lstm *s, float *out, float *hidden, float *cell, float *kept,       \
                     const float *x, const uint8_t *starts, const sac_lstm_weights *weights, float *workspace))        \
    /* dhidden and dcell [B, H] hold the gradient with respect to the state after the segment (zeros where it is       \
       cut off) and become that with respect to the state before it; kept is spent */                                  \
    X(lstm_backward, (const sac_learn *l, const sac_lstm *s, float *dx, float *dhidden, float *dcell,                  \
                      const sac_lstm_gradients *gradients, const float *dout, float *kept, const uint8_t *starts,      \
                      const sac_lstm_weights *weights, float *workspace))                                              \
    /* out = softmax(scale q k^T) v; kept [H, M, 2]; workspace: sac_attend_workspace floats, M and few more */         \
    X(attend_forward, (const sac_learn *l, const sac_attend *a, float *out, float *kept, const float *q,               \
                       const float *k, const float *v, float *workspace))                                              \
    /* rows of the softmax are computed again; dq overlaps nothing that is read */                                     \
    X(attend_backward,                                                                                                 \
      (const sac_learn *l, const sac_attend *a, float *dq, float *dk, float *dv, const float *dout, const float *out,  \
       const float *kept, const float *q, const float *k, const float *v, float *workspace))                           \
    /* out = phi(q) (phi(k)^T v) / (phi(q) . sum phi(k) + epsilon), all heads by the same maps; kept:                  \
       sac_attend_linear_kept floats; workspace: sac_attend_linear_workspace floats */                                 \
    X(attend_linear_forward,                                                                                           \
      (const sac_learn *l, const sac_attend *a, const sac_map_side *query_map, const sac_map_side *key_map,            \
       float epsilon, float *out, float *kept, const float *q, const float *k, const float *v, float *workspace))      \
    X(attend_linear_backward,                                                                                          \
      (const sac_learn *l, const sac_attend *a, const sac_map_side *query_map, const sac_map_side *key_map, float *dq, \
       float *dk, float *dv, const sac_map_gradients *dquery_map, const sac_map_gradients *dkey_map,                   \
       const float *dout, const float *out, const float *kept, const float *q, const float *k, const float *v,         \
       float *workspace))                                                                                              \
    /* the gradient with respect to planar tokens x [D, stride] of x / |x| of each of N columns; workspace: 2 stride   \
       floats; dx may be dout */                                                                                       \
    X(unit_columns_backward, (const sac_learn *l, float *dx, const float *dout, const float *x, int size, int n,       \
                              int stride, float *workspace))                                                           \
    /* the gradient with respect to x of phi [F, stride], the features that the kernels computed of x, with their      \
       gains; dphi is spent; workspace: (M + 1) stride floats */                                                       \
    X(map_columns_backward, (const sac_learn *l, const sac_column_map *map, float *dx, float *dphi, const float *phi,  \
                             const float *x, int n, int stride, float *workspace))                                     \
    /* adds the gradients with respect to W [M, D] and gains [F] of SARA's maps; called after map_columns_backward of  \
       the same arrays, whose workspace it reads */                                                                    \
    X(map_columns_parameters,                                                                                          \
      (const sac_learn *l, const sac_column_map *map, float *dmatrix, float *dgains, const float *dphi,                \
       const float *phi, const float *x, int n, int stride, const float *workspace))                                   \
    /* adds the gradients with respect to weights [O, patch size] and bias [O] of tokens [O, stride] of an image of    \
       bytes; dweights is that of weights of bytes, 255 times that of numbers in 0..1; workspace:                      \
       sac_pixels_workspace floats */                                                                                  \
    X(pixels_backward, (const sac_learn *l, const sac_patches *p, float *dweights, float *dbias, const float *dtokens, \
                        int stride, const uint8_t *image, float *workspace))                                           \
    /* weights [K, N] of a soft choice of K by scores [N], whose best are `top`; see choose.c */                       \
    X(choose_forward, (const sac_learn *l, float *weights, const float *scores, const int *top, int kept, int count,   \
                       float temperature))                                                                             \
    X(choose_backward, (const sac_learn *l, float *dscores, const float *dweights, const float *weights,               \
                        const float *scores, int kept, int count, float temperature))                                  \
    /* losses give share * sum of the terms and write the gradient; share = 1 / count is the mean */                   \
    /* (x - target)^2 */                                                                                               \
    X(square_loss,                                                                                                     \
      (const sac_learn *l, double *loss, float *dx, const float *x, const float *target, size_t count, double share))  \
    /* d^2 / 2 within `knee`, else knee (|d| - knee / 2) */                                                            \
    X(huber_loss, (const sac_learn *l, double *loss, float *dx, const float *x, const float *target, float knee,       \
                   size_t count, double share))                                                                        \
    /* -log softmax(x)[label], a term a row of logits x [N, classes] */                                                \
    X(cross_entropy_loss, (const sac_learn *l, double *loss, float *dx, const float *x, const int *labels, int rows,   \
                           int classes, double share))                                                                 \
    /* KL(softmax(target) | softmax(x)), a term a row of logits; the gradient is with respect to x alone */            \
    X(categorical_loss, (const sac_learn *l, double *loss, float *dx, const float *x, const float *target, int rows,   \
                         int classes, double share))                                                                   \
    /* softmax(x) . (cost - its least), a term a row of logits; the gradient is with respect to x */                   \
    X(expected_cost_loss, (const sac_learn *l, double *loss, float *dx, const float *x, const float *cost, int rows,   \
                           int classes, double share))                                                                 \
    /* KL(N(target) | N(x)) of diagonal Gaussians, a term a number; means and logs of deviations */                    \
    X(gaussian_loss,                                                                                                   \
      (const sac_learn *l, double *loss, float *dmean, float *dlog, const float *mean, const float *log,               \
       const float *target_mean, const float *target_log, size_t count, double share))                                 \
    /* out [N] = log of the density of x [N, A] under a diagonal Gaussian; log_row: from row to row of the logs of     \
       deviations, 0 where all rows share one */                                                                       \
    X(likelihood_forward, (const sac_learn *l, float *out, const float *x, const float *mean, const float *log,        \
                           ptrdiff_t log_row, int rows, int size))                                                     \
    /* dmean is written, dlog added to */                                                                              \
    X(likelihood_backward, (const sac_learn *l, float *dmean, float *dlog, const float *dout, const float *x,          \
                            const float *mean, const float *log, ptrdiff_t log_row, int rows, int size))               \
    /* out [N] = the entropy of softmax(x [N, classes]); workspace: [classes] */                                       \
    X(entropy_forward, (const sac_learn *l, float *out, const float *x, int rows, int classes, float *workspace))      \
    X(entropy_backward, (const sac_learn *l, float *dx, const float *dout, const float *x, int rows, int classes))     \
    /* out [N] = the entropy of a diagonal Gaussian by logs of deviations; log_row as above; dlog is added to */       \
    X(gaussian_entropy_forward,                                                                                        \
      (const sac_learn *l, float *out, const float *log, ptrdiff_t log_row, int rows, int size))                       \
    X(gaussian_entropy_backward,                                                                                       \
      (const sac_learn *l, float *dlog, const float *dout, ptrdiff_t log_row, int rows, int size))                     \
    /* weights [H, L, L] = softmax over j of tables[h][p_i - p_j] */                                                   \
    X(place_heads_forward, (const sac_learn *l, const sac_place_heads *g, float *weights, const float *tables))        \
    /* dtables is added to, dweights [H, L, L] is spent */                                                             \
    X(place_heads_backward,                                                                                            \
      (const sac_learn *l, const sac_place_heads *g, float *dtables, float *dweights, const float *weights))           \
    /* tables[h][d] = -|R_h (d - mu_h)|^2 / 2 of targets mu [H, 2] and roots R [H, 2, 2] */                            \
    X(gaussian_forward,                                                                                                \
      (const sac_learn *l, const sac_place_heads *g, float *tables, const float *targets, const float *roots))         \
    /* dtargets and droots are added to */                                                                             \
    X(gaussian_backward, (const sac_learn *l, const sac_place_heads *g, float *dtargets, float *droots,                \
                          const float *dtables, const float *targets, const float *roots))                             \
    /* v = momentum v + (g + decay x); x -= rate v */                                                                  \
    X(sgd_step,                                                                                                        \
      (const sac_learn *l, float *x, float *velocity, const float *gradient, size_t count, const sac_step *step))      \
    /* Kingma and Ba 2015; decoupled: Loshchilov and Hutter 2019 */                                                    \
    X(adam_step, (const sac_learn *l, float *x, float *first, float *second, const float *gradient, size_t count,      \
                  const sac_step *step))                                                                               \
    /* average += share (x - average) */                                                                               \
    X(average_step, (const sac_learn *l, float *average, const float *x, float share, size_t count))                   \
    /* scales the gradient to a norm of at most `largest`; norm: what it was */                                        \
    X(clip, (const sac_learn *l, double *norm, float *gradient, double largest, size_t count))                         \
    /* out += x */                                                                                                     \
    X(add, (const sac_learn *l, float *out, const float *x, size_t count))

struct sac_learn
{
    sac_kernels kernels;
    sac_gemm_fn *gemm;
    void *scratch; ///< SAC_LEARN_SCRATCH bytes, aligned to 64
#define X(name, parameters) void(*name) parameters;
    SAC_LEARN_LIST(X)
#undef X
};

enum
{
    SAC_LEARN_SCRATCH = SAC_GEMM_SCRATCH,
    SAC_ATTEND_ROWS = 96,            ///< queries that softmax attention takes at a time
    SAC_ATTEND_KEYS = 1024,          ///< keys, likewise, in forward: below it a row's largest score is known at once
    SAC_ATTEND_KEYS_BACK = 512,      ///< in backward, where their number changes no bit
    SAC_ATTEND_STRIP = 64,           ///< keys of a product of scores
    SAC_CONVOLUTION_BLOCK = 1 << 16, ///< floats of patches at a time, see sac_convolution_block
    SAC_WINOGRAD_CHANNELS = 4096,
    SAC_WINOGRAD_BLOCK = 96, ///< tiles at a time
    SAC_PIXELS_BLOCK = 64,   ///< patches that a projection takes at a time, at most; a row of the grid at least
};

/// The table of the CPU level in use.
/// @param scratch  belongs to the table's one thread
sac_learn sac_learn_create(void *scratch);

/// Rows and columns of what a convolution or a pooling gives.
void sac_convolution_size(const sac_convolution *c, int *rows, int *columns);
void sac_pooling_size(const sac_pooling *p, int *rows, int *columns);

/// Whether a convolution can be done by tiles: 3 x 3 with stride 1 and padding 1, channels and outputs multiples of
/// SAC_LANES, SAC_WINOGRAD_CHANNELS at most. Floats of its filters and of its workspace.
bool sac_winograd_fits(const sac_convolution *c);
size_t sac_winograd_weights(const sac_convolution *c);
size_t sac_winograd_workspace(const sac_convolution *c);

/// Places whose patches a convolution holds at a time.
int sac_convolution_block(const sac_convolution *c);

/// Rows of the grid of patches whose pixels a projection takes at a time.
int sac_pixels_rows(const sac_patches *p);

/// Floats in what is kept and in workspaces.
size_t sac_convolution_workspace(const sac_convolution *c);
size_t sac_pixels_workspace(const sac_patches *p);
size_t sac_lstm_kept(const sac_lstm *s);
size_t sac_lstm_workspace(const sac_lstm *s);
size_t sac_attend_kept(const sac_attend *a);
size_t sac_attend_workspace(const sac_attend *a);
size_t sac_attend_linear_kept(const sac_attend *a, const sac_map_side *query_map, const sac_map_side *key_map);
size_t sac_attend_linear_workspace(const sac_attend *a, const sac_map_side *query_map, const sac_map_side *key_map);

/// The rate at a step: rising in a straight line over `warm` steps to 1, then falling along half a cosine to `last` at
/// step `steps`, where it stays. Steps count from 0.
double sac_schedule(uint64_t step, uint64_t warm, uint64_t steps, double last);
