#pragma once

#include "attention/form.h"
#include "kernels/kernels.h"
#include "policy/actor.h"
#include "policy/kind.h"

/// A policy that looks at a point cloud and says a grasp: the point-cloud transformer of SARA-RT (Leal et al. 2023,
/// section IV-A), which has two layers of width 16.
///
///     x = relu(W2 relu(W1 p))                               for each point p, 3 numbers
///     x = norm(x + Wo attention(Wq x, Wk x, Wv x) + bo)     in each layer, and then
///     x = norm(x + Wd relu(Wu x))
///     raw = Wr tanh(Wh [max over points of x, mean over points of x, what is told beside it])
///     tip = tip_unit raw[0..2], approach = (raw[3..5] - (0, 0, down)) / its length, roll = pi tanh raw[6]
///
/// Order and number of the points do not matter. Tokens are planar here, [W, stride].

enum
{
    SAC_PCT_MAX_LAYERS = 8,
    SAC_PCT_MAX_WIDTH = 256,
    SAC_PCT_OUTPUTS = 7, ///< tip, approach, roll
    SAC_PCT_CENTER = 6   ///< numbers of a centre and an axis
};

#define SAC_PCT_LEAST_VARIANCE 1e-5f ///< added to the variance by norms: torch's default
#define SAC_PCT_EPSILON        1e-6f ///< added to the sums by which linear attention is divided

typedef struct sac_pct_config
{
    int width, layers, units, hidden;
    bool center;
    char attention[SAC_TEXT_SIZE];
    double scale, unit, down, tip_unit;
    int attention_features, attention_directions;
    uint64_t attention_seed;
} sac_pct_config;

/// Where a norm's tensors lie: gains less 1, and shifts.
typedef struct sac_pct_norm
{
    size_t gain, shift;
} sac_pct_norm;

/// Where a layer's tensors lie; those of several lie one behind the other in each tensor.
typedef struct sac_pct_block
{
    size_t mix;    ///< [3 W, W] queries, keys, values; without bias
    sac_layer out; ///< [W, W]
    sac_pct_norm middle;
    sac_layer up, down; ///< [units, W], [W, units]
    sac_pct_norm last;
} sac_pct_block;

/// What is fixed after creation.
typedef struct sac_pct
{
    sac_pct_config config;
    sac_kernels kernels;
    sac_attention *attention;
    int features;          ///< F of a linear form; 0: softmax
    int points, stride;    ///< N at most, and in whole lanes
    int told;              ///< numbers beside what is pooled
    sac_layer near, embed; ///< [W, 3], [W, W]
    sac_pct_block blocks;  ///< of all layers
    sac_layer head, grasp; ///< [hidden, 2 W + told], [7, hidden]
    sac_actor actor;       ///< what gradients ask of every policy: it is told nothing and puts out the grasp
} sac_pct;

/// What changes.
typedef struct sac_pct_state
{
    sac_policy_state base; // first
    const sac_pct *pct;
    float *parameters; ///< [parameter_count]
    float *cloud;      ///< [N, 3] the last one as it came, for the gaze
    float *importance; ///< [N] of its rows
    float *received;   ///< [N] of its points
    float *gain;       ///< [W]
    float *x;          ///< [W, stride]
    float *mixed;      ///< [3 W, stride] queries, keys, values
    float *gathered;   ///< [W, stride]
    float *units;      ///< [units, stride]
    void *workspace;   ///< of attention
    float *pooled;     ///< [2 W + told]
    float *hidden;     ///< [hidden]
    float *raw;        ///< [7]
    float *output;     ///< [7] the grasp before bounds
    int count;         ///< points of the last cloud
} sac_pct_state;

/// The tensors of one layer.
sac_pct_block sac_pct_block_at(const sac_pct *pct, int layer);

/// The points of a cloud [N, 3], of which rows that are not finite are left out, and what is told beside them.
/// @param[out] points  [3, stride] planar
/// @param[out] told    [told]
/// @return how many points there are
int sac_pct_read(const sac_pct *pct, const sac_policy *policy, float *points, int stride, float *told,
                 const void *const *inputs);

/// The grasp from the head's numbers.
void sac_pct_finish(const sac_pct *pct, const sac_kernels *kernels, float *grasp, const float *raw);

/// The approach before it is divided by its length, [3].
void sac_pct_lean(const sac_pct *pct, float *approach, const float *raw);

/// From a cloud to the grasp, into state->output.
void sac_pct_run(sac_pct_state *state, const void *const *inputs);

/// How much attention each row of the last cloud received, into state->importance: the mean over layers, in which the
/// shares of each point add up to 1. Rows that are no points have none.
void sac_pct_look_back(sac_pct_state *state);
