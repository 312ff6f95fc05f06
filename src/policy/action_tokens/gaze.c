#include <string.h>

#include "policy/action_tokens/rt.h"

// What the tokens of the last action attended to, for people and tests. It is not for the inner loop.

// Writes the attention of a token's head to each patch of the newest frame, before it is divided, to s->weights.
static void read_row(sac_rt_state *s, int said, int head)
{
    const sac_rt *rt = s->rt;
    const int d = rt->head_size, count = rt->embedding.count, stride = rt->embedding.token_stride;
    const float *query = s->queries + (ptrdiff_t)said * rt->config.width + (ptrdiff_t)head * d;
    const ptrdiff_t at = (ptrdiff_t)head * d * stride;
    if (rt->features)
    {
        sac_attention_features(rt->attention, SAC_QUERIES, s->query_features, 1, query, 1, 1, s->workspace);
        sac_attention_features(rt->attention, SAC_KEYS, s->features, stride, s->seen_keys + at, count, stride,
                               s->workspace);
        rt->kernels.mix(s->weights, stride, s->query_features, rt->features, 1, s->features, rt->features, count,
                        stride);
        return;
    }
    float scaled[SAC_RT_MAX_WIDTH], sum;
    sac_rt_scale(rt, scaled, query);
    rt->kernels.softmax_rows(s->weights, &sum, scaled, &s->shifts[said * rt->config.heads + head], 1,
                             s->memory + (ptrdiff_t)s->newest * 2 * rt->config.width * stride + at, NULL, d, count,
                             stride);
}

// The share of a dimension's attention that each patch of the newest frame has, in the mean over dimensions and heads.
static void read_importance(sac_rt_state *s)
{
    const sac_rt *rt = s->rt;
    const int count = rt->embedding.count, heads = rt->config.heads;
    memset(s->importance, 0, (size_t)count * sizeof *s->importance);
    for (int said = 0; said < rt->tokens; said++)
        for (int h = 0; h < heads; h++)
        {
            const float total = s->totals[said * heads + h] * (float)(rt->tokens * heads);
            const float share = total == 0 ? 0 : s->factors[h * rt->config.history] / total;
            read_row(s, said, h);
            for (int n = 0; n < count; n++) s->importance[n] += s->weights[n] * share;
        }
}

void sac_rt_gaze(sac_policy_state *base, sac_gaze *gaze)
{
    sac_rt_state *s = (sac_rt_state *)base;
    const sac_embedding *e = &s->rt->embedding;
    const sac_patches *p = &e->patches;
    const float grown = (float)p->height / (float)e->height; // by resizing
    gaze->height = p->height;
    gaze->width = p->width;
    gaze->above = (float)e->above * grown;
    gaze->beneath = (float)e->beneath * grown;
    gaze->rows = p->rows;
    gaze->columns = p->columns;
    gaze->patch = p->patch;
    gaze->stride = p->stride;
    gaze->output = s->logits;
    gaze->output_size = s->rt->tokens * s->rt->bins;
    if (s->frames > 0) read_importance(s); // zeros before the first step
    gaze->importance = s->importance;
}
