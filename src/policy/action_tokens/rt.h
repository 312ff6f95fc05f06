#pragma once

#include "attention/form.h"
#include "policy/actor.h"
#include "policy/look.h"

/// A small robotics transformer (RT; Brohan et al. 2023, Leal et al. 2024, Fig. 7): it says its action token by token.
///
/// The patches of a frame become L tokens of W numbers, which an encoder mixes within the frame: `layers` blocks of
/// attention and an MLP. The keys and values of a frame's encoded tokens stay for as many steps as the history has
/// frames. The decoder then says the tokens of the action, dimension by dimension: a token attends to all tokens of the
/// history's frames, to those that were said before it in this step and to itself, and its B logits say which word of
/// the vocabulary it is. There are two spellings (saccade/action_codec.h). `bins` has one token a dimension, the bin
/// that the number is in. `decimals` writes the number: its sign, the digits before the point and four behind it.
///
/// Frames are encoded each by itself, so nothing that is kept of an older frame changes when a new one comes, and what
/// is computed from the cache is what all frames together would give. Softmax keeps the keys and values. A linear form
/// keeps sums over a frame's tokens, phi(k) v^T and phi(k), whose size does not depend on L; the sums of the frames are
/// added anew in each step, the oldest first, so that leaving out the oldest frame rounds nothing. How much a frame
/// counts by its age is learned, a factor of its attention for each head.
///
/// A block is x + Wo attention(norm(x)), then that plus W2 relu(W1 norm(x)). A norm is a layer norm with a gain and
/// without a bias. Tokens are planar here, [W, stride].

enum
{
    SAC_RT_MAX_HISTORY = 64,
    SAC_RT_MAX_LAYERS = 16,
    SAC_RT_MAX_WIDTH = 256
};

#define SAC_RT_LEAST_VARIANCE 1e-5f ///< added to the variance by norms: torch's default
#define SAC_RT_EPSILON        1e-6f ///< added to the sums by which linear attention is divided

typedef struct sac_rt_config
{
    int crop_top, crop_height, image_size;
    int patch, stride;
    char position_encoding[SAC_TEXT_SIZE];
    double position_size;
    bool centre_pixels;
    int history, width, heads, layers, units;
    char spelling[SAC_TEXT_SIZE];
    int bins;
    char attention[SAC_TEXT_SIZE];
    double scale;
    int attention_features, attention_directions;
    uint64_t attention_seed;
} sac_rt_config;

/// Where a block's tensors lie; those of several blocks lie one behind the other in each tensor.
typedef struct sac_rt_block
{
    size_t norm, middle_norm; ///< [W] gains less 1
    sac_layer mix;            ///< [3 W, W] queries, keys, values
    sac_layer out;            ///< [W, W]
    sac_layer up, down;       ///< [units, W], [W, units]
} sac_rt_block;

/// What is fixed after creation.
typedef struct sac_rt
{
    sac_rt_config config;
    sac_kernels kernels;
    sac_embedding embedding;
    sac_attention *attention; ///< of one head
    int head_size;            ///< d = W / heads
    int features;             ///< F of a linear form; 0: softmax
    int tokens, bins;         ///< a step's, and B, the words that there are
    int whole;                ///< digits before the point of `decimals`; 0: the spelling is `bins`
    sac_layer patches;        ///< [W, numbers of a patch]
    sac_rt_block encoder, decoder;
    size_t frame_norm; ///< [W] gain less 1 of the encoded tokens
    sac_layer memory;  ///< [2 W, W] their keys and values for the decoder
    size_t ages;       ///< [heads, history] logarithms of the factors of frames by age
    size_t dimensions; ///< [tokens, W] what the decoder starts a token with
    size_t words;      ///< [B, W] a word's numbers, which are added to those of the token behind it
    size_t last_norm;  ///< [W] gain less 1 before the logits
    sac_layer logits;  ///< [tokens, B], [B, W]
    sac_actor actor;   ///< what gradients ask of every policy: it is told nothing and puts out the logits
} sac_rt;

/// What changes.
typedef struct sac_rt_state
{
    sac_policy_state base; // first
    const sac_rt *rt;
    sac_embedding_state embedding;
    sac_look_state look;
    float *parameters; ///< [parameter_count]
    float *factors;    ///< [heads, history] of frames by age
    // a frame on its way through the encoder
    float *normed;         ///< [W, stride]
    float *mixed;          ///< [3 W, stride] queries, keys, values
    float *gathered;       ///< [W, stride]
    float *units;          ///< [units, stride]
    float *features;       ///< [F, stride] of keys
    float *query_features; ///< [F]
    void *workspace;       ///< of attention
    // the history: frames in a ring
    float *memory;      ///< softmax: [history][2 W, stride] keys and values
    float *memory_sums; ///< linear: [history][heads][d + 1, F] sums of phi(k) v^T, and of phi(k) in the last row
    int frames, newest; ///< that there are, and the place of the last one
    float *seen_keys;   ///< linear: [W, stride] keys of the newest frame, for the gaze
    // what is being said
    float *own;        ///< softmax: [2 W, tokens in whole lanes] keys and values of the tokens of this step
    float *sums;       ///< linear: [heads][d + 1, F] of the history and the tokens of this step
    float *token;      ///< [W]
    float *logits;     ///< [tokens, B]
    float *queries;    ///< [tokens, W] for the gaze
    float *shifts;     ///< [tokens, heads] of softmax, likewise
    float *totals;     ///< [tokens, heads] by which attention was divided, likewise
    float *weights;    ///< [stride or tokens in whole lanes] a row of attention
    float *importance; ///< [stride]
    int *said;         ///< [tokens] words
} sac_rt_state;

/// Norm, layer, and the MLP of a block on `count` columns of x.
/// @param[out] out  [W, stride]
void sac_rt_norm(const sac_rt_state *state, float *out, const float *x, size_t gain, int count, int stride);
void sac_rt_layer(const sac_rt_state *state, float *out, sac_layer layer, int rows, const float *x, int size, int count,
                  int stride);
void sac_rt_mlp(sac_rt_state *state, float *x, const sac_rt_block *block, int count, int stride);
sac_rt_block sac_rt_block_at(const sac_rt *rt, int layer); ///< of the encoder

void sac_rt_scale(const sac_rt *rt, float *scaled, const float *query); ///< as the kernels of softmax take queries [d]

/// Mix the tokens of the frame that was looked at, and put them in the place of the history's oldest frame.
void sac_rt_encode(sac_rt_state *state);

/// Say the tokens of an action, into state->said, with their logits.
void sac_rt_speak(sac_rt_state *state);

/// Plan the spelling: tokens, words and digits. Bounds must be finite, which the caller has checked.
/// @return SAC_ERROR_ARGUMENT where a number has more digits before the point than `decimals` writes
SAC_CHECKED sac_status sac_rt_plan_spelling(sac_rt *rt, const sac_policy_def *def);

/// The likeliest word of those that can stand in the place of `token`, of equals the first one. Where a logit is not a
/// number, it is the middle bin, choice 0, or of `decimals` a digit 0 or the plus.
/// @param logits  [B]
int sac_rt_likeliest(const sac_rt *rt, const sac_policy_def *def, const float *logits, int token);

/// The tokens [tokens] of an action, whose numbers are cut to their bounds (NaN is the middle), and back.
void sac_rt_spell(const sac_rt *rt, const sac_policy_def *def, int *tokens, const float *action);
void sac_rt_read(const sac_rt *rt, const sac_policy_def *def, float *action, const int *tokens);

/// The place in the ring of the frame of an age, 0 for the newest one.
int sac_rt_place(const sac_rt_state *state, int age);

void sac_rt_gaze(sac_policy_state *state, sac_gaze *gaze);
