#include <string.h>

#include "policy/agent_state.h"

// reading what the last step looked at: for people and tests, not for the inner loop

void sac_agent_read_patch(const sac_agent_state *s, int index, float *pixels)
{
    const sac_patches *p = &s->agent->patches;
    size_t row_size = (size_t)(p->patch * p->channels), pitch = (size_t)(p->width * p->channels);
    size_t y = (size_t)(index / p->columns * p->stride), x = (size_t)(index % p->columns * p->stride * p->channels);
    for (size_t row = 0; row < (size_t)p->patch; row++)
    {
        size_t from = (y + row) * pitch + x;
        if (s->floats)
            memcpy(pixels, s->floats + from, row_size * sizeof(float));
        else
            for (size_t i = 0; i < row_size; i++) pixels[i] = (float)s->bytes[from + i] / 255.0f;
        pixels += row_size;
    }
}

// planar [D, stride] -> [N, D]
static void by_token(float *out, const float *planar, const sac_agent *a)
{
    int d = a->query_size;
    for (int n = 0; n < a->count; n++)
        for (int i = 0; i < d; i++) out[n * d + i] = planar[i * a->stride + n];
}

void sac_agent_gaze(sac_policy_state *base, sac_gaze *gaze)
{
    sac_agent_state *s = (sac_agent_state *)base;
    const sac_agent *a = s->agent;
    *gaze = (sac_gaze){.height = a->patches.height,
                       .width = a->patches.width,
                       .features = s->features,
                       .feature_count = a->feature_count,
                       .hidden = a->hidden_size ? s->hidden : NULL,
                       .cell = a->has_cell ? s->cell : NULL,
                       .hidden_size = a->hidden_size,
                       .output = s->output,
                       .output_size = a->output_size};
    if (!a->attention) return;
    if (a->reading->look_back) a->reading->look_back(s);
    by_token(s->queries_by_token, s->tokens, a);
    by_token(s->keys_by_token, sac_agent_keys(s), a);
    gaze->rows = a->patches.rows;
    gaze->columns = a->patches.columns;
    gaze->patch = a->patches.patch;
    gaze->stride = a->patches.stride;
    gaze->importance = s->importance;
    gaze->kept = a->config.top;
    gaze->top = s->top;
    gaze->centers = s->centers;
    gaze->queries = s->queries_by_token;
    gaze->keys = s->keys_by_token;
    gaze->key_size = a->query_size;
}

void sac_agent_patch(const sac_policy_state *base, int index, float *pixels)
{
    sac_agent_read_patch((const sac_agent_state *)base, index, pixels);
}

void sac_agent_attention_row(const sac_policy_state *base, int query, float *weights)
{
    const sac_agent_state *s = (const sac_agent_state *)base;
    const sac_agent *a = s->agent;
    const float *keys = sac_agent_keys(s);
    size_t head = (size_t)a->config.key_size * (size_t)a->stride; // floats of its queries
    sac_attention_row(a->attention, weights, query, s->tokens, keys, a->count, a->stride, s->attention_workspace);
    for (int h = 1; h < a->heads; h++)
    {
        size_t at = (size_t)h * head;
        sac_attention_row(a->attention, s->head_scores, query, s->tokens + at, keys + at, a->count, a->stride,
                          s->attention_workspace);
        for (int n = 0; n < a->count; n++) weights[n] += s->head_scores[n];
    }
    for (int n = 0; n < a->count && a->heads > 1; n++) weights[n] /= (float)a->heads;
}
