#include <string.h>

#include "policy/agent_state.h"

// IAP-rank with one row of ones, and the attention agent, which is that with softmax: queries and keys -> importance ->
// the K most important patches -> what the controller is told about them

static void attend(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    const sac_patches *p = &a->patches;
    const float *keys = s->tokens + (size_t)a->config.key_size * (size_t)a->stride;
    sac_attention_importance(a->attention, s->importance, s->tokens, keys, a->count, a->stride, s->attention_workspace);
    a->kernels.top(s->top, a->config.top, s->importance, a->count);

    if (a->config.masking) memset(s->features, 0, (size_t)a->told_count * sizeof *s->features);
    for (int k = 0; k < a->config.top; k++)
    {
        sac_patch patch = {.row = p->patch / 2 + s->top[k] / p->columns * p->stride,
                           .column = p->patch / 2 + s->top[k] % p->columns * p->stride,
                           .pixels = s->pixels,
                           .scratch = s->scratch};
        s->centers[2 * k] = (float)patch.row;
        s->centers[2 * k + 1] = (float)patch.column;
        if (a->wants_pixels) sac_agent_read_patch(s, s->top[k], s->pixels);
        float *out = s->features + (size_t)(a->config.masking ? s->top[k] : k) * (size_t)a->patch_features;
        for (int i = 0; i < a->part_count; i++)
        {
            a->parts[i]->read(a, s->parameters, &patch, out);
            out += a->part_sizes[i];
        }
    }
}

const sac_reading_ops sac_reading_rank = {.plan = sac_agent_plan_features, .attend = attend};
