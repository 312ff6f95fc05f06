#pragma once

#include "learn/learn.h"
#include "policy/parts.h"
#include "saccade/learn.h"

/// Gradients of policies. A pass is cut into the parts of a policy, and each part is a pair of functions, forward and
/// backward, in one file: look.c (frames to tokens), mixed.c, kept.c or layers.c (tokens to what is told), told.c
/// (motion and filter), steer.c (the controller). They hand on arrays of a minibatch, which lie in the caller's
/// workspace. F = T B frames. Comments have the short form that learn.h explains: "by x of: f".

/// What is fixed after creation.
struct sac_gradient
{
    const sac_policy *policy;
    sac_policy_state *state; ///< of which only the parts are used
    sac_policy_parts parts;
    sac_choosing choosing;
    sac_column_map maps[2]; ///< of a linear form, by side
    int told, inputs, outputs;
};

/// The arrays of a minibatch. What a policy does without is empty.
typedef struct sac_gradient_room
{
    void *scratch; ///< of the table of layers
    // look
    sac_projector_weights weights; ///< as an embedding's state has them
    float *offsets;                ///< [O, stride] likewise
    sac_projector_scratch project_scratch;
    uint8_t *resized; ///< [F, image] frames as they are cut
    void *resize_workspace;
    float *tokens;   ///< [F, O, stride]
    float *dtokens;  ///< [O, stride] of one frame
    float *dtotal;   ///< [O, stride] the sum over frames, where positions are added
    float *dweights; ///< [O, I]
    float *dbias;    ///< [O]
    float *patches;  ///< of some patches of one frame
    // mixed
    float *rows;     ///< [F, H, M + V, stride] features of queries, then values
    float *keys;     ///< [F, H, M, stride] features of keys
    float *sides;    ///< [F, H, M + V, l] rows times P
    float *products; ///< [F, H, V, M] values times features of keys
    float *plain;    ///< [F, H, l, V] before the norm
    float *moments;  ///< [F, H, l, 2]
    float *gain;     ///< [H V]
    void *attention_workspace;
    float *dplain;    ///< [l, V] of one frame
    float *dproducts; ///< [V, M]
    float *drows;     ///< [M + V, stride]
    float *dkeys;     ///< [M, stride]
    float *dsides;    ///< [F, H, M + V, l]
    float *units;     ///< [D, stride] tokens of length 1
    float *map_workspace;
    // kept: scores and choices
    float *scores;                                        ///< [F, stride]
    int *top;                                             ///< [F, K]
    float *head_scores;                                   ///< [stride]
    float *votes;                                         ///< [stride] what each query counts
    float *summary;                                       ///< [M]
    float *pixels, *part_scratch;                         ///< of a patch
    float *all, *dall;                                    ///< [N, size] of what is told of a patch
    float *all_pixels;                                    ///< [N, I]
    float *dvalues;                                       ///< [N, V]
    float *choices, *dchoices;                            ///< [K, N]
    float *dscores;                                       ///< [stride]
    float *query_features, *key_features;                 ///< [M, stride]
    float *dquery_features, *dkey_features;               ///< likewise
    float *queries, *token_keys, *dqueries, *dtoken_keys; ///< [N, D] of softmax
    float *ones, *attended, *dones;                       ///< [N]
    float *attend_kept, *attend_workspace;
    // layers
    float *images[SAC_MAX_IMAGE_LAYERS]; ///< [F, pixels, outputs] after each layer
    float *dimage, *dnext;               ///< of one frame
    float *layer_workspace;
    // told
    float *told, *dtold;     ///< [F, told]
    float *inputs, *dinputs; ///< [F, inputs]
    float *whitening;        ///< [inputs]
    // steer
    float *inner, *dinner; ///< [F, H] units
    float *squashed;       ///< [F, outputs] before they are stretched to the bounds
    float *doutputs;       ///< [F, outputs]
    float *hidden, *cell, *dhidden, *dcell;
    float *lstm_kept, *lstm_workspace;
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
void sac_layers_forward(sac_pass *p);
void sac_layers_backward(sac_pass *p);

/// A frame's tokens to scores of its patches [stride]; backward spends dscores and writes room.dtokens.
void sac_scores_forward(sac_pass *p, int frame, float *scores);
void sac_scores_backward(sac_pass *p, int frame, float *dscores);

/// What is told to the controller's inputs.
void sac_told_forward(sac_pass *p);
void sac_told_backward(sac_pass *p);

/// The controller's inputs to outputs.
void sac_steer_forward(sac_pass *p, float *outputs);
void sac_steer_backward(sac_pass *p, const float *doutputs);

/// Tokens of a frame: row `row` of [O, stride].
static inline float *sac_pass_tokens(const sac_pass *p, int frame, int row)
{
    const sac_embedding *e = p->g->parts.embedding;
    return p->room.tokens + ((size_t)frame * (size_t)e->patches.outputs + (size_t)row) * (size_t)e->token_stride;
}
