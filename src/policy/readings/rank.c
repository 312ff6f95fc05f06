#include <string.h>

#include "base/error.h"
#include "policy/agent_state.h"

// This is the reading of the attention agent and of IAP-rank: queries and keys give scores of the patches, K patches
// are kept, and the controller is told about them.

static void attend(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    const sac_patches *p = &a->embedding.patches;
    sac_rank_score(s);
    sac_rank_choose(s);

    if (a->config.masking) memset(s->actor.told, 0, (size_t)a->told_count * sizeof *s->actor.told);
    for (int k = 0; k < a->config.top; k++)
    {
        sac_patch patch = {.row = p->patch / 2 + s->top[k] / p->columns * p->stride,
                           .column = p->patch / 2 + s->top[k] % p->columns * p->stride,
                           .pixels = s->pixels,
                           .scratch = s->scratch};
        s->centers[2 * k] = (float)patch.row;
        s->centers[2 * k + 1] = (float)patch.column;
        if (a->wants_pixels) sac_embedding_patch(&s->embedding, &a->embedding, s->top[k], s->pixels);
        float *out = s->actor.told + (size_t)(a->config.masking ? s->top[k] : k) * (size_t)a->patch_numbers;
        for (int i = 0; i < a->part_count; i++)
        {
            a->parts[i]->read(a, s->parameters, &patch, out);
            out += a->part_sizes[i];
        }
    }
}

static sac_status plan(sac_agent *agent, sac_policy *policy)
{
    SAC_TRY(sac_rank_plan_choice(agent));
    SAC_TRY(sac_rank_plan_scores(agent, policy));
    return sac_agent_plan_patch_features(agent, policy);
}

const sac_reading_ops sac_reading_rank = {.plan = plan,
                                          .prepare = sac_rank_prepare,
                                          .attend = attend,
                                          .open = sac_rank_open,
                                          .reset = sac_rank_restart,
                                          .close = sac_rank_close};
