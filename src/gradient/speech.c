#include <math.h>
#include <string.h>

#include "gradient/gradient.h"
#include "gradient/speech.h"

/// Policies that say their actions by tokens (policy/action_tokens/rt.h): frames to what the decoder attends to, and
/// that to logits. Tokens are rows here, [N, W].

typedef struct sac_speech_block block;

// --- what is fixed ---

static const sac_rt *rt_of(const sac_pass *p)
{
    return p->g->parts.rt;
}

static int width_of(const sac_pass *p)
{
    return rt_of(p)->config.width;
}

// gains of the norms, in one array: two of each block, the encoder's first and the decoder's last; the memory's; and
// that before the logits
static const float *gain_of(const sac_pass *p, int index)
{
    return p->room.speech.gains + (ptrdiff_t)index * width_of(p);
}

static int memory_gain(const sac_pass *p)
{
    return 2 * (rt_of(p)->config.layers + 1);
}

static void set_gain(const sac_pass *p, int index, size_t tensor)
{
    float *gain = p->room.speech.gains + (ptrdiff_t)index * width_of(p);
    for (int w = 0; w < width_of(p); w++) gain[w] = 1 + p->parameters[tensor + (size_t)w];
}

static sac_rt_block tensors_of(const sac_pass *p, int layer)
{
    const sac_rt *rt = rt_of(p);
    return layer < rt->config.layers ? sac_rt_block_at(rt, layer) : rt->decoder;
}

static void begin(const sac_pass *p)
{
    const sac_rt *rt = rt_of(p);
    for (int l = 0; l <= rt->config.layers; l++)
    {
        const sac_rt_block tensors = tensors_of(p, l);
        set_gain(p, 2 * l, tensors.norm);
        set_gain(p, 2 * l + 1, tensors.middle_norm);
    }
    set_gain(p, memory_gain(p), rt->frame_norm);
    set_gain(p, memory_gain(p) + 1, rt->last_norm);
    memset(p->room.speech.zeros, 0, (size_t)width_of(p) * sizeof(float));
    p->l.kernels.exp(p->room.speech.factors, p->parameters + rt->ages, rt->config.heads * rt->config.history);
}

// --- parts of a block ---

static void norm(const sac_pass *p, float *out, float *moments, const float *x, int gain, int rows)
{
    p->l.norm_forward(&p->l, out, moments, x, gain_of(p, gain), p->room.speech.zeros, SAC_RT_LEAST_VARIANCE, rows,
                      width_of(p));
}

static void norm_backward(const sac_pass *p, float *dx, size_t tensor, const float *dout, const float *x,
                          const float *moments, int gain, int rows)
{
    p->l.norm_backward(&p->l, dx, p->sums + tensor, NULL, dout, x, moments, gain_of(p, gain), rows, width_of(p));
}

static void layer(const sac_pass *p, float *out, const float *x, sac_layer tensors, int rows, int inputs, int outputs,
                  sac_activation activation)
{
    p->l.linear_forward(&p->l, out, x, p->parameters + tensors.weight, p->parameters + tensors.bias, rows, inputs,
                        outputs, activation);
}

static void layer_backward(const sac_pass *p, float *dx, const float *dout, const float *x, sac_layer tensors, int rows,
                           int inputs, int outputs)
{
    p->l.linear_backward(&p->l, dx, p->sums + tensors.weight, p->sums + tensors.bias, dout, x,
                         p->parameters + tensors.weight, rows, inputs, outputs);
}

// out = middle + W2 relu(W1 norm(middle)), middle = x + Wo gathered
static void perceive(const sac_pass *p, const block *b, float *out, int index, int rows)
{
    const sac_rt_block tensors = tensors_of(p, index);
    const int width = width_of(p), units = rt_of(p)->config.units;
    const size_t size = (size_t)rows * (size_t)width;
    layer(p, b->middle, b->gathered, tensors.out, rows, width, width, SAC_ACTIVATION_NONE);
    p->l.add(&p->l, b->middle, b->x, size);
    norm(p, b->middle_normed, b->middle_moments, b->middle, 2 * index + 1, rows);
    layer(p, b->units, b->middle_normed, tensors.up, rows, width, units, SAC_ACTIVATION_RELU);
    layer(p, out, b->units, tensors.down, rows, units, width, SAC_ACTIVATION_NONE);
    p->l.add(&p->l, out, b->middle, size);
}

// The gradient with respect to the middle replaces `dout`, that with respect to what was gathered goes to dgathered.
static void perceive_backward(const sac_pass *p, const block *b, float *dout, float *dgathered, int index, int rows)
{
    const sac_rt_block tensors = tensors_of(p, index);
    const sac_speech_room *r = &p->room.speech;
    const int width = width_of(p), units = rt_of(p)->config.units;
    layer_backward(p, r->dunits, dout, b->units, tensors.down, rows, units, width);
    p->l.curve_backward(&p->l, r->dunits, r->dunits, b->units, SAC_CURVE_RELU, (size_t)rows * (size_t)units);
    layer_backward(p, r->dnormed, r->dunits, b->middle_normed, tensors.up, rows, width, units);
    norm_backward(p, r->dplain, tensors.middle_norm, r->dnormed, b->middle, b->middle_moments, 2 * index + 1, rows);
    p->l.add(&p->l, dout, r->dplain, (size_t)rows * (size_t)width);
    layer_backward(p, dgathered, dout, b->gathered, tensors.out, rows, width, width);
}

// From the gradient with respect to queries, keys and values to that with respect to x, which is added to `dout`.
static void mix_backward(const sac_pass *p, const block *b, float *dout, const float *dmixed, int index, int rows)
{
    const sac_rt_block tensors = tensors_of(p, index);
    const sac_speech_room *r = &p->room.speech;
    const int width = width_of(p);
    layer_backward(p, r->dnormed, dmixed, b->normed, tensors.mix, rows, width, 3 * width);
    norm_backward(p, r->dplain, tensors.norm, r->dnormed, b->x, b->moments, 2 * index, rows);
    p->l.add(&p->l, dout, r->dplain, (size_t)rows * (size_t)width);
}

// --- encoder ---

static sac_attend attend_of(const sac_pass *p)
{
    return sac_speech_attend(rt_of(p));
}

static void attend(const sac_pass *p, const block *b)
{
    const sac_attend a = attend_of(p);
    const int width = width_of(p);
    const sac_map_side map = sac_speech_map(rt_of(p));
    const float *q = b->mixed, *k = q + width, *v = k + width;
    if (rt_of(p)->features)
        p->l.attend_linear_forward(&p->l, &a, &map, &map, SAC_RT_EPSILON, b->gathered, b->kept, q, k, v,
                                   p->room.speech.workspace);
    else
        p->l.attend_forward(&p->l, &a, b->gathered, b->kept, q, k, v, p->room.speech.workspace);
}

static void attend_backward(const sac_pass *p, const block *b, float *dmixed, const float *dgathered)
{
    const sac_attend a = attend_of(p);
    const int width = width_of(p);
    const sac_map_side map = sac_speech_map(rt_of(p));
    const sac_map_gradients none = {0};
    const float *q = b->mixed, *k = q + width, *v = k + width;
    float *dq = dmixed, *dk = dq + width, *dv = dk + width;
    if (rt_of(p)->features)
        p->l.attend_linear_backward(&p->l, &a, &map, &map, dq, dk, dv, &none, &none, dgathered, b->gathered, b->kept, q,
                                    k, v, p->room.speech.workspace);
    else
        p->l.attend_backward(&p->l, &a, dq, dk, dv, dgathered, b->gathered, b->kept, q, k, v, p->room.speech.workspace);
}

static void encode_frame(sac_pass *p, int frame)
{
    const sac_rt *rt = rt_of(p);
    const int count = rt->embedding.count, width = rt->config.width;
    sac_look_frame(p, frame);
    sac_turn(sac_speech_block_at(p, 0, frame).x, sac_pass_tokens(p, frame, 0), count, width,
             rt->embedding.token_stride);
    for (int l = 0; l < rt->config.layers; l++)
    {
        const block b = sac_speech_block_at(p, l, frame);
        norm(p, b.normed, b.moments, b.x, 2 * l, count);
        layer(p, b.mixed, b.normed, tensors_of(p, l).mix, count, width, 3 * width, SAC_ACTIVATION_NONE);
        attend(p, &b);
        perceive(p, &b, sac_speech_block_at(p, l + 1, frame).x, l, count);
    }
    const sac_speech_memory m = sac_speech_memory_at(p, frame);
    norm(p, m.normed, m.moments, sac_speech_block_at(p, rt->config.layers, frame).x, memory_gain(p), count);
    layer(p, m.keys, m.normed, rt->memory, count, width, 2 * width, SAC_ACTIVATION_NONE);
}

static void encode_frame_backward(sac_pass *p, int frame)
{
    const sac_rt *rt = rt_of(p);
    const sac_speech_room *r = &p->room.speech;
    const int count = rt->embedding.count, width = rt->config.width;
    const sac_speech_memory m = sac_speech_memory_at(p, frame);
    layer_backward(p, r->dnormed, m.dkeys, m.normed, rt->memory, count, width, 2 * width);
    norm_backward(p, r->dx, rt->frame_norm, r->dnormed, sac_speech_block_at(p, rt->config.layers, frame).x, m.moments,
                  memory_gain(p), count);
    for (int l = rt->config.layers - 1; l >= 0; l--)
    {
        const block b = sac_speech_block_at(p, l, frame);
        perceive_backward(p, &b, r->dx, r->dgathered, l, count);
        attend_backward(p, &b, r->dmixed, r->dgathered);
        mix_backward(p, &b, r->dx, r->dmixed, l, count);
    }
    sac_turn_back(p->room.dtokens, r->dx, count, width, rt->embedding.token_stride);
    sac_look_frame_backward(p, frame);
}

// --- decoder ---

// How many frames a step attends to: those before it in its episode and its sequence, up to the history.
static int history_of(const sac_pass *p, int frame)
{
    const int sequences = p->batch->sequences;
    int count = 1;
    for (int at = frame; count < rt_of(p)->config.history && at >= sequences; at -= sequences, count++)
        if (p->batch->starts && p->batch->starts[at]) break;
    return count;
}

static void begin_token(const sac_pass *p, float *x, int token, const int *said)
{
    const sac_rt *rt = rt_of(p);
    const int width = rt->config.width;
    const float *dimension = p->parameters + rt->dimensions + (size_t)token * (size_t)width;
    const float *word = token ? p->parameters + rt->words + (size_t)said[token - 1] * (size_t)width : NULL;
    for (int i = 0; i < width; i++) x[i] = dimension[i] + (word ? word[i] : 0);
}

// A token's rows of the decoder's arrays.
static block row_of(const sac_pass *p, const block *all, int token)
{
    const ptrdiff_t width = width_of(p), units = rt_of(p)->config.units;
    return (block){.x = all->x + token * width,
                   .normed = all->normed + token * width,
                   .moments = all->moments + (ptrdiff_t)token * 2,
                   .mixed = all->mixed + token * 3 * width,
                   .gathered = all->gathered + token * width,
                   .middle = all->middle + token * width,
                   .middle_normed = all->middle_normed + token * width,
                   .middle_moments = all->middle_moments + (ptrdiff_t)token * 2,
                   .units = all->units + token * units};
}

static void decode_frame(const sac_pass *p, int frame, float *outputs)
{
    const sac_rt *rt = rt_of(p);
    const int width = rt->config.width, last = rt->config.layers, history = history_of(p, frame);
    const block all = sac_speech_block_at(p, last + 1, frame);
    const sac_speech_end end = sac_speech_end_at(p, frame);
    const sac_policy_def *def = &p->g->policy->def;
    const float *given = p->batch->actions ? p->batch->actions[frame] : NULL; // else the likeliest tokens are said
    if (given) sac_rt_spell(rt, def, end.said, given);
    for (int a = 0; a < rt->tokens; a++)
    {
        const block b = row_of(p, &all, a);
        float *logits = outputs + (ptrdiff_t)a * rt->bins;
        begin_token(p, b.x, a, end.said);
        norm(p, b.normed, b.moments, b.x, 2 * last, 1);
        layer(p, b.mixed, b.normed, rt->decoder.mix, 1, width, 3 * width, SAC_ACTIVATION_NONE);
        sac_speech_gather(p, frame, a, history, all.mixed, b.gathered);
        perceive(p, &b, end.x + (ptrdiff_t)a * width, last, 1);
        norm(p, end.normed + (ptrdiff_t)a * width, end.moments + (ptrdiff_t)a * 2, end.x + (ptrdiff_t)a * width,
             memory_gain(p) + 1, 1);
        const sac_layer to = {rt->logits.bias + (size_t)a * (size_t)rt->bins, rt->logits.weight};
        layer(p, logits, end.normed + (ptrdiff_t)a * width, to, 1, width, rt->bins, SAC_ACTIVATION_NONE);
        if (!given) end.said[a] = sac_rt_likeliest(rt, def, logits, a);
    }
}

static void decode_frame_backward(const sac_pass *p, int frame, const float *doutputs)
{
    const sac_rt *rt = rt_of(p);
    const sac_speech_room *r = &p->room.speech;
    const int width = rt->config.width, last = rt->config.layers, history = history_of(p, frame);
    const block all = sac_speech_block_at(p, last + 1, frame);
    const sac_speech_end end = sac_speech_end_at(p, frame);
    for (int a = 0; a < rt->tokens; a++)
    {
        const sac_layer to = {rt->logits.bias + (size_t)a * (size_t)rt->bins, rt->logits.weight};
        layer_backward(p, r->dgathered + (ptrdiff_t)a * width, doutputs + (ptrdiff_t)a * rt->bins,
                       end.normed + (ptrdiff_t)a * width, to, 1, width, rt->bins);
    }
    norm_backward(p, r->dx, rt->last_norm, r->dgathered, end.x, end.moments, memory_gain(p) + 1, rt->tokens);
    perceive_backward(p, &all, r->dx, r->dgathered, last, rt->tokens);
    memset(r->dmixed, 0, (size_t)(rt->tokens * 3 * width) * sizeof(float));
    for (int a = rt->tokens - 1; a >= 0; a--)
        sac_speech_gather_backward(p, frame, a, history, all.mixed, all.gathered + (ptrdiff_t)a * width,
                                   r->dgathered + (ptrdiff_t)a * width);
    mix_backward(p, &all, r->dx, r->dmixed, last, rt->tokens);
    for (int a = 0; a < rt->tokens; a++)
    {
        const float *dx = r->dx + (ptrdiff_t)a * width;
        p->l.add(&p->l, p->sums + rt->dimensions + (size_t)a * (size_t)width, dx, (size_t)width);
        if (a) p->l.add(&p->l, p->sums + rt->words + (size_t)end.said[a - 1] * (size_t)width, dx, (size_t)width);
    }
}

// --- passes ---

void sac_speech_forward(sac_pass *p, float *outputs)
{
    begin(p);
    for (int frame = 0; frame < p->frames; frame++) encode_frame(p, frame);
    for (int frame = 0; frame < p->frames; frame++) decode_frame(p, frame, outputs + (ptrdiff_t)frame * p->g->outputs);
}

void sac_speech_backward(sac_pass *p, const float *doutputs)
{
    const sac_rt *rt = rt_of(p);
    const size_t keys = (size_t)p->frames * (size_t)rt->embedding.count * 2 * (size_t)rt->config.width;
    begin(p);
    memset(p->room.speech.dkeys, 0, keys * sizeof(float));
    for (int frame = 0; frame < p->frames; frame++)
        decode_frame_backward(p, frame, doutputs + (ptrdiff_t)frame * p->g->outputs);
    for (int frame = 0; frame < p->frames; frame++) encode_frame_backward(p, frame);
}
