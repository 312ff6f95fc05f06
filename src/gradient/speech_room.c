#include <string.h>

#include "base/error.h"
#include "gradient/gradient.h"

/// The arrays of a minibatch of a policy that says its actions by tokens, and what of such policies has gradients.

static enum sac_phi phi_of(const char *form)
{
    if (strcmp(form, "sara-exp") == 0) return SAC_PHI_EXP;
    if (strcmp(form, "sara-square") == 0) return SAC_PHI_SQUARE;
    return SAC_PHI_RELU; // relu, sara-relu
}

sac_map_side sac_speech_map(const sac_rt *rt)
{
    return (sac_map_side){.phi = phi_of(rt->config.attention), .count = rt->head_size, .size = rt->head_size};
}

sac_attend sac_speech_attend(const sac_rt *rt)
{
    const int count = rt->embedding.count, d = rt->head_size, width = rt->config.width;
    return (sac_attend){.heads = rt->config.heads,
                        .queries = count,
                        .keys = count,
                        .size = d,
                        .value_size = d,
                        .query_row = (ptrdiff_t)3 * width,
                        .key_row = (ptrdiff_t)3 * width,
                        .value_row = (ptrdiff_t)3 * width,
                        .out_row = width,
                        .scale = (float)rt->attention->scale};
}

sac_status sac_speech_check(const sac_rt *rt)
{
    if (rt->features == 0) return SAC_OK;
    if (rt->config.attention_features > 0 || rt->features != rt->head_size)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "gradient: of kind action-tokens softmax has one, and relu and sara-* with attention_features "
                        "0; this is %.40s with %d",
                        rt->config.attention, rt->config.attention_features);
    if (rt->attention->scale == 1) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "gradient: a policy of kind action-tokens with linear attention whose scale is "
                    "%g has none, expected 0",
                    rt->config.scale);
}

// floats that an encoder's attention keeps
static size_t kept_size(const sac_rt *rt)
{
    const sac_attend a = sac_speech_attend(rt);
    const sac_map_side map = sac_speech_map(rt);
    return rt->features ? sac_attend_linear_kept(&a, &map, &map) : sac_attend_kept(&a);
}

static size_t workspace_size(const sac_rt *rt)
{
    const sac_attend a = sac_speech_attend(rt);
    const sac_map_side map = sac_speech_map(rt);
    return rt->features ? sac_attend_linear_workspace(&a, &map, &map) : sac_attend_workspace(&a);
}

// Cuts a block of `rows` rows, beginning at `at`; the floats that it takes come back.
static size_t cut_block(struct sac_speech_block *b, const sac_rt *rt, float *at, size_t rows, size_t kept)
{
    const size_t width = (size_t)rt->config.width, units = (size_t)rt->config.units;
    const size_t sizes[] = {rows * width, rows * width, rows * 2,     rows * 3 * width, kept,
                            rows * width, rows * width, rows * width, rows * 2,         rows * units};
    float **const parts[] = {&b->x,        &b->normed, &b->moments,       &b->mixed,          &b->kept,
                             &b->gathered, &b->middle, &b->middle_normed, &b->middle_moments, &b->units};
    size_t used = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; used += sizes[i++]) *parts[i] = at ? at + used : NULL;
    return used;
}

static size_t encoder_block(const sac_rt *rt)
{
    struct sac_speech_block b;
    return cut_block(&b, rt, NULL, (size_t)rt->embedding.count, kept_size(rt));
}

static size_t decoder_block(const sac_rt *rt)
{
    struct sac_speech_block b;
    return cut_block(&b, rt, NULL, (size_t)rt->tokens, 0);
}

struct sac_speech_block sac_speech_block_at(const sac_pass *p, int layer, int frame)
{
    const sac_rt *rt = p->g->parts.rt;
    const sac_speech_room *r = &p->room.speech;
    const size_t f = (size_t)frame, frames = (size_t)p->frames, layers = (size_t)rt->config.layers, l = (size_t)layer;
    const size_t one = encoder_block(rt);
    struct sac_speech_block b = {0};
    if (l < layers) cut_block(&b, rt, r->encoder + (l * frames + f) * one, (size_t)rt->embedding.count, kept_size(rt));
    if (l == layers)
        b.x = r->encoder + layers * frames * one + f * (size_t)rt->embedding.count * (size_t)rt->config.width;
    if (l > layers) cut_block(&b, rt, r->decoder + f * decoder_block(rt), (size_t)rt->tokens, 0);
    return b;
}

sac_speech_memory sac_speech_memory_at(const sac_pass *p, int frame)
{
    const sac_rt *rt = p->g->parts.rt;
    const size_t rows = (size_t)rt->embedding.count, width = (size_t)rt->config.width, f = (size_t)frame;
    float *at = p->room.speech.memory + f * rows * (3 * width + 2);
    return (sac_speech_memory){at, at + rows * width, at + rows * (width + 2),
                               p->room.speech.dkeys + f * rows * 2 * width};
}

sac_speech_end sac_speech_end_at(const sac_pass *p, int frame)
{
    const sac_rt *rt = p->g->parts.rt;
    const size_t rows = (size_t)rt->tokens, width = (size_t)rt->config.width, f = (size_t)frame;
    float *at = p->room.speech.end + f * rows * (2 * width + 2);
    return (sac_speech_end){at, at + rows * width, at + 2 * rows * width, p->room.speech.said + f * rows};
}

#define TAKE(field, count) (r->field = sac_take(at, (size_t)(count), sizeof *r->field))

static void place_kept(sac_speech_room *r, const sac_rt *rt, size_t frames, sac_workspace *at)
{
    const size_t count = (size_t)rt->embedding.count, width = (size_t)rt->config.width, a = (size_t)rt->tokens;
    const size_t heads = (size_t)rt->config.heads, layers = (size_t)rt->config.layers;
    const size_t looked = (size_t)rt->config.history * count + a;
    TAKE(gains, (2 * layers + 4) * width);
    TAKE(zeros, width);
    TAKE(factors, heads * (size_t)rt->config.history);
    TAKE(encoder, frames * (layers * encoder_block(rt) + count * width));
    TAKE(decoder, frames * decoder_block(rt));
    TAKE(memory, frames * count * (3 * width + 2));
    TAKE(dkeys, frames * count * 2 * width);
    TAKE(end, frames * a * (2 * width + 2));
    TAKE(said, frames * a);
    TAKE(attention, frames * a * heads * looked);
    TAKE(totals, frames * a * heads);
}

void sac_speech_place(sac_speech_room *r, const sac_rt *rt, size_t frames, sac_workspace *at)
{
    const size_t count = (size_t)rt->embedding.count, width = (size_t)rt->config.width, a = (size_t)rt->tokens;
    const size_t rows = count > a ? count : a;
    place_kept(r, rt, frames, at);
    TAKE(dattention, (size_t)rt->config.history * count + a);
    TAKE(phi, width);
    TAKE(dphi, width);
    TAKE(workspace, workspace_size(rt));
    TAKE(dx, rows * width);
    TAKE(dnormed, rows * width);
    TAKE(dplain, rows * width);
    TAKE(dgathered, rows * width);
    TAKE(dunits, rows * (size_t)rt->config.units);
    TAKE(dmixed, rows * 3 * width);
}
