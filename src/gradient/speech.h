#pragma once

#include "learn/learn.h"
#include "policy/action_tokens/rt.h"

/// The arrays of a minibatch of a policy that says its actions by tokens: F frames of L tokens of W numbers, A tokens
/// of an action. Those of the encoder's blocks lie layer by layer, and in a layer frame by frame.
typedef struct sac_speech_room
{
    float *gains, *zeros; ///< of norms: gains themselves, and shifts
    float *factors;       ///< [heads, history] by age
    float *encoder;       ///< [layers, F] blocks of L rows, and then the encoder's outputs [F, L, W]
    float *decoder;       ///< [F] blocks of A rows
    float *memory;        ///< [F] of what the decoder attends to
    float *dkeys;         ///< [F, L, 2 W]
    float *end;           ///< [F] behind the decoder
    int *said;            ///< [F, A]
    float *attention;     ///< [F, A, heads, history L + A] shares of softmax, or weights of linear forms
    float *totals;        ///< [F, A, heads] by which the weights of linear forms are divided
    float *dattention;    ///< [history L + A]
    float *phi, *dphi;    ///< [d] of a query
    float *workspace;     ///< of attention among the tokens of a frame
    float *dx, *dnormed, *dplain, *dgathered; ///< [larger of L and A, W]
    float *dunits;                            ///< [likewise, units]
    float *dmixed;                            ///< [likewise, 3 W]
} sac_speech_room;

/// A block's arrays for one frame, [rows, ...].
struct sac_speech_block
{
    float *x, *normed, *moments, *mixed, *kept, *gathered, *middle, *middle_normed, *middle_moments, *units;
};

/// What the decoder attends to of a frame: keys and values lie side by side, [L, 2 W].
typedef struct sac_speech_memory
{
    float *normed, *moments, *keys, *dkeys;
} sac_speech_memory;

/// Behind the decoder's block, [A, ...].
typedef struct sac_speech_end
{
    float *x, *normed, *moments;
    int *said;
} sac_speech_end;

struct sac_gradient;
struct sac_pass;

/// Take the room's arrays from a workspace.
void sac_speech_place(sac_speech_room *room, const sac_rt *rt, size_t frames, sac_workspace *workspace);

/// Where the arrays of a frame lie: block `layer` of the encoder, of which the one behind the last has x alone, or,
/// for layer + 1 of that, the decoder's.
struct sac_speech_block sac_speech_block_at(const struct sac_pass *p, int layer, int frame);
sac_speech_memory sac_speech_memory_at(const struct sac_pass *p, int frame);
sac_speech_end sac_speech_end_at(const struct sac_pass *p, int frame);

/// The shape of attention among the tokens of a frame, and the map of a linear form.
sac_attend sac_speech_attend(const sac_rt *rt);
sac_map_side sac_speech_map(const sac_rt *rt);

/// Whether the policy has gradients.
SAC_CHECKED sac_status sac_speech_check(const sac_rt *rt);

/// What a token of an action attends to: the history of its frame and the tokens up to itself, whose queries, keys and
/// values are mixed [A, 3 W]. Backward adds to dmixed, to the frames' dkeys and to the sums of the ages.
void sac_speech_gather(const struct sac_pass *p, int frame, int token, int history, const float *mixed, float *out);
void sac_speech_gather_backward(const struct sac_pass *p, int frame, int token, int history, const float *mixed,
                                const float *out, const float *dout);
