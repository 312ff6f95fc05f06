#pragma once

#include "gradient/grasp.h"
#include "gradient/speech.h"
#include "learn/learn.h"
#include "policy/parts.h"
#include "saccade/learn.h"

/// Gradients of policies. A pass is cut into the parts of a policy, and each part is a pair of functions, forward and
/// backward, in one file: look.c (frames to tokens), mixed.c, kept.c or layers.c (tokens to what is told), told.c
/// (numbers, motion and normaliser), steer.c (the controller). They hand on arrays of a minibatch, which lie in the
/// caller's workspace. F = T B frames.

/// What is fixed after creation.
struct sac_gradient
{
    const sac_policy *policy;
    sac_policy_state *state; ///< only its parts are read; it never acts
    sac_policy_parts parts;
    sac_choosing choosing;
    sac_column_map maps[2]; ///< of a linear form, by side
    int told, inputs, outputs;
};

/// The arrays of a minibatch. What a policy does without is empty.
typedef struct sac_gradient_room
{
    void *scratch; ///< of the table of layers (learn.h)
    // look
    sac_projector_weights weights; ///< the projector's weights, laid out as in an embedding's state
    float *offsets;                ///< [O, token_stride] the projected positions, laid out as in an embedding's state
    sac_projector_scratch project_scratch;
    uint8_t *resized;     ///< [F, image] pictures, resized, before they are cut into patches
    float *floats;        ///< [F, image] pictures of floats, resized, before they are cut into patches
    float *scaled;        ///< [height, width, channels] one of them before it is resized
    float *float_patches; ///< [N, I] the patches of one of them
    void *resize_workspace;
    float *tokens;   ///< [F, O, token_stride] planar tokens
    float *dtokens;  ///< [O, token_stride] gradient with respect to the tokens of one frame
    float *dtotal;   ///< [O, token_stride] the sum of dtokens over frames, where positions are added
    float *dweights; ///< [O, I] gradient with respect to the projector's weights
    float *dbias;    ///< [O] gradient with respect to its biases
    float *patches;  ///< the pixels of some patches of one frame
    // mixed
    float *rows;  ///< [F, H, M + V, token_stride] features of queries, then values; of softmax A V, M = V, then values
    float *keys;  ///< [F, H, M, token_stride] features of keys
    float *sides; ///< [F, H, M + V, l] rows times P
    float *products; ///< [F, H, V, M] values times features of keys
    float *plain;    ///< [F, H, l, V] before the norm
    float *moments;  ///< [F, H, l, 2]
    float *gain;     ///< [H V]
    void *attention_workspace;
    float *token_values, *dtoken_values, *dattended; ///< [N, V] of softmax
    float *dplain;                                   ///< [l, V] of one frame
    float *dproducts;                                ///< [V, M]
    float *drows;                                    ///< [M + V, token_stride]
    float *dkeys;                                    ///< [M, token_stride]
    float *dsides;                                   ///< [F, H, M + V, l]
    float *units;                                    ///< [D, token_stride] tokens of length 1
    float *map_workspace;
    sac_attention *maps; ///< [H] of learned maps, set by forward; NULL: all heads have the agent's
    float *dmatrix;      ///< [M, D] of one side of a head
    // mixed and kept: rows of attention that are divided by their sums
    float *key_sums;         ///< [M]
    float *inverses, *along; ///< [token_stride] one over each row's sum, 0 where that is zero; scratch
    float *undivided;        ///< [M, token_stride] features of queries
    // kept: scores and choices
    float *scores;                                        ///< [F, token_stride]
    int *top;                                             ///< [F, K]
    float *head_scores;                                   ///< [token_stride]
    float *votes;                                         ///< [token_stride] what each query counts
    float *summary;                                       ///< [M]
    float *pixels, *part_scratch;                         ///< of a patch
    float *all, *dall;                                    ///< [N, size] of what is told of a patch
    float *all_pixels;                                    ///< [N, I]
    float *dvalues;                                       ///< [N, V]
    float *choices, *dchoices;                            ///< [K, N]
    float *dscores;                                       ///< [token_stride]
    float *query_features, *key_features;                 ///< [M, token_stride]
    float *dquery_features, *dkey_features;               ///< likewise
    float *queries, *token_keys, *dqueries, *dtoken_keys; ///< [N, D] of softmax
    float *ones, *attended, *dones;                       ///< [N]; attended of mixed [N, V]
    float *attend_kept, *attend_workspace;                ///< kept of mixed [F, H, 2 N]
    // layers
    float *images[SAC_MAX_IMAGE_LAYERS];       ///< [F, pixels, outputs] that each layer gives; the last one's are told
    float *plain_images[SAC_MAX_IMAGE_LAYERS]; ///< likewise, before they are pooled
    float *dimage, *dnext;                     ///< of one frame
    float *layer_workspace;
    // told
    float *told, *dtold;      ///< [F, told]
    float *inputs, *dinputs;  ///< [F, inputs]
    float *inverse_deviation; ///< [inputs]
    // steer
    float *inner;            ///< [hidden layers, F, H] units
    float *dinner, *dbefore; ///< [F, H] of one layer, and of the one before it
    float *squashed;         ///< [F, outputs] before they are stretched to the bounds
    float *doutputs;         ///< [F, outputs]
    float *hidden, *cell, *dhidden, *dcell;
    float *lstm_kept, *lstm_workspace;
    sac_speech_room speech;
    sac_grasp_room grasp;
} sac_gradient_room;

/// One pass: what its parts share.
typedef struct sac_pass
{
    const sac_gradient *g;
    sac_learn l;
    const float *parameters;
    const sac_batch *batch;
    int frames; ///< F
    sac_gradient_room room;
    float *sums; ///< of backward
} sac_pass;

/// The bytes of the arrays, which are set into `block`; NULL: only counted.
size_t sac_gradient_place(sac_gradient_room *room, const sac_gradient *g, int steps, int sequences,
                          unsigned char *block);

/// A pass over a minibatch, before anything was computed.
sac_pass sac_gradient_begin(const sac_gradient *g, const float *parameters, const sac_batch *batch, void *workspace);

/// What attention gives of frames, without what the controller makes of it: of the reading trans the tokens that are
/// told, else the scores of patches. Forward and backward are like those of the whole policy.
/// @param[out] out  [T, B, sac_attended_size]
int sac_attended_size(const sac_gradient *g);
void sac_attended_forward(const sac_gradient *g, float *out, const float *parameters, const sac_batch *batch,
                          void *workspace);
void sac_attended_backward(const sac_gradient *g, float *sums, const float *dout, const float *parameters,
                           const sac_batch *batch, void *workspace);

/// The attention of a head, and its map of a side; where the map is learned, `set` first gives it its numbers (maps.c).
void sac_maps_set(const sac_pass *p);
const sac_attention *sac_pass_attention(const sac_pass *p, int head);

/// Features of a side of a head's tokens [M, token_stride].
void sac_maps_features(const sac_pass *p, int head, sac_attention_side side, float *phi, const float *tokens);

/// Back from features to tokens [D, token_stride], and to G and v where they are learned; dphi is spent.
void sac_maps_backward(const sac_pass *p, int head, sac_attention_side side, float *dtokens, const float *tokens,
                       float *dphi, const float *phi);

/// Tokens as the form sees them, of length 1 where it wants that, and back.
const float *sac_maps_units(const sac_pass *p, const float *tokens, float *units);
void sac_maps_units_backward(const sac_pass *p, float *dtokens, const float *tokens);

/// Divide features of queries in place so that each row of attention sums to 1, and back: dqueries, the gradient with
/// respect to the divided features, becomes that with respect to the undivided ones, and the gradient that goes through
/// the sums is added to dkeys. `queries` of backward are the undivided ones. Both functions do nothing where rows are
/// not divided.
void sac_maps_divide(const sac_pass *p, float *queries, const float *keys);
void sac_maps_divide_backward(const sac_pass *p, float *dqueries, float *dkeys, const float *queries,
                              const float *keys);

/// Frames to tokens. `frame` of backward takes room.dtokens.
void sac_look_begin(sac_pass *p);
void sac_look_frame(sac_pass *p, int frame);
void sac_look_backward_begin(sac_pass *p);
void sac_look_frame_backward(sac_pass *p, int frame);
void sac_look_backward_end(sac_pass *p);

/// Tokens to what is told, for every reading.
void sac_mixed_forward(sac_pass *p);
void sac_mixed_backward(sac_pass *p);
void sac_kept_forward(sac_pass *p);
void sac_kept_backward(sac_pass *p);
/// Offset of the learned values among the numbers that are told of a kept patch; -1: there are none.
int sac_kept_values_at(const sac_agent *agent);
void sac_layers_forward(sac_pass *p);
void sac_layers_backward(sac_pass *p);

/// A frame's tokens to scores of its patches [token_stride]; backward spends dscores and writes room.dtokens.
void sac_scores_forward(sac_pass *p, int frame, float *scores);
void sac_scores_backward(sac_pass *p, int frame, float *dscores);

/// The numbers of vectors behind what was read of the frames.
void sac_told_vectors(sac_pass *p);

/// What is told to the controller's inputs.
void sac_told_forward(sac_pass *p);
void sac_told_backward(sac_pass *p);

/// The controller's inputs to outputs.
void sac_steer_forward(sac_pass *p, float *outputs);
void sac_steer_backward(sac_pass *p, const float *doutputs);

/// Of a policy that says its actions by tokens: frames to logits, for all of the above.
void sac_speech_forward(sac_pass *p, float *outputs);
void sac_speech_backward(sac_pass *p, const float *doutputs);

/// The image of a frame as it is cut into patches, for sac_embedding_patch, once it has been looked at.
sac_embedding_state sac_pass_image(const sac_pass *p, int frame);

/// The inputs of a frame, [input_count]; `one` is room for the only one of the simple form.
static inline const void *const *sac_pass_inputs(const sac_pass *p, int frame, const void **one)
{
    if (p->batch->parts) return p->batch->parts + (ptrdiff_t)frame * p->g->policy->def.input_count;
    *one = p->batch->frames[frame];
    return one;
}

/// The controller's inputs [F, inputs] that the last forward pass with a workspace has left there.
const float *sac_gradient_inputs(const sac_gradient *g, const sac_batch *batch, void *workspace);
/// Planar [size, stride] to tokens [N, size], or back.
static inline void sac_turn(float *tokens, const float *planar, int n, int size, int stride)
{
    for (int i = 0; i < n; i++)
        for (int d = 0; d < size; d++) tokens[i * size + d] = planar[d * stride + i];
}

static inline void sac_turn_back(float *planar, const float *tokens, int n, int size, int stride)
{
    for (int i = 0; i < n; i++)
        for (int d = 0; d < size; d++) planar[d * stride + i] = tokens[i * size + d];
}

/// Tokens of a frame: row `row` of [O, token_stride].
static inline float *sac_pass_tokens(const sac_pass *p, int frame, int row)
{
    const sac_embedding *e = p->g->parts.embedding;
    return p->room.tokens + ((size_t)frame * (size_t)e->patches.outputs + (size_t)row) * (size_t)e->token_stride;
}
