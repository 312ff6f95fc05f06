#include "policy/agent_state.h"

// This file reads what the last step looked at, for people and tests. It is not for the inner loop.

// Turns planar tokens [D, stride] into one row for each token, [N, D].
static void by_token(float *out, const float *planar, const sac_agent *a)
{
    int d = a->query_size;
    for (int n = 0; n < a->embedding.count; n++)
        for (int i = 0; i < d; i++) out[n * d + i] = planar[i * a->embedding.token_stride + n];
}

void sac_agent_gaze(sac_policy_state *base, sac_gaze *gaze)
{
    sac_agent_state *s = (sac_agent_state *)base;
    const sac_agent *a = s->agent;
    const sac_patches *p = &a->embedding.patches;
    sac_actor_gaze(&s->actor, &a->actor, gaze);
    gaze->height = p->height;
    gaze->width = p->width;
    const float grown = (float)p->height / (float)a->embedding.height; // by resizing
    gaze->above = (float)a->embedding.above * grown;
    gaze->beneath = (float)a->embedding.beneath * grown;
    if (a->reading->look_back) a->reading->look_back(s);
    by_token(s->queries_by_token, s->embedding.tokens, a);
    by_token(s->keys_by_token, sac_agent_keys(s), a);
    gaze->rows = p->rows;
    gaze->columns = p->columns;
    gaze->patch = p->patch;
    gaze->stride = p->stride;
    gaze->importance = s->importance;
    gaze->contribution = a->trans.attention ? s->contribution : NULL;
    gaze->kept = a->config.top;
    gaze->top = s->top;
    gaze->centers = s->centers;
    gaze->queries = s->queries_by_token;
    gaze->keys = s->keys_by_token;
    gaze->key_size = a->query_size;
}

const float *sac_gaze_shown(const sac_gaze *gaze)
{
    return gaze->contribution ? gaze->contribution : gaze->importance;
}

void sac_agent_patch(const sac_policy_state *base, int index, float *pixels)
{
    const sac_agent_state *s = (const sac_agent_state *)base;
    sac_embedding_patch(&s->embedding, &s->agent->embedding, index, pixels);
}

void sac_agent_attention_row(const sac_policy_state *base, int query, float *weights)
{
    const sac_agent_state *s = (const sac_agent_state *)base;
    const sac_agent *a = s->agent;
    const float *keys = sac_agent_keys(s);
    size_t head = (size_t)a->config.key_size * (size_t)a->embedding.token_stride; // floats of its queries
    sac_attention_row(sac_agent_attention(s, 0), weights, query, s->embedding.tokens, keys, a->embedding.count,
                      a->embedding.token_stride, s->attention_workspace);
    for (int h = 1; h < a->heads; h++)
    {
        size_t at = (size_t)h * head;
        sac_attention_row(sac_agent_attention(s, h), s->head_scores, query, s->embedding.tokens + at, keys + at,
                          a->embedding.count, a->embedding.token_stride, s->attention_workspace);
        for (int n = 0; n < a->embedding.count; n++) weights[n] += s->head_scores[n];
    }
    for (int n = 0; n < a->embedding.count && a->heads > 1; n++) weights[n] /= (float)a->heads;
}
