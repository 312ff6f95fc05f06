#include "attention/form.h"
#include "gradient/gradient.h"

/// Queries and keys of a head to features and back, for both readings: normalised tokens, the form's map, a map that is
/// learned, and rows of attention that are divided by their sums.

void sac_maps_set(const sac_pass *p)
{
    const sac_agent *a = p->g->parts.agent;
    for (int h = 0; a->has_learned_map && h < a->heads; h++) sac_agent_set_map(&p->room.maps[h], a, h, p->parameters);
}

const sac_attention *sac_pass_attention(const sac_pass *p, int head)
{
    const sac_agent *a = p->g->parts.agent;
    return a->has_learned_map ? &p->room.maps[head] : a->attention;
}

// Describes a head's map, for its gradient.
static sac_column_map map_of(const sac_pass *p, int head, sac_attention_side side)
{
    const sac_attention *attention = sac_pass_attention(p, head);
    return (sac_column_map){p->g->maps[side].phi, &attention->features[side], attention->gains[side]};
}

void sac_maps_features(const sac_pass *p, int head, sac_attention_side side, float *phi, const float *tokens)
{
    const sac_embedding *e = p->g->parts.embedding;
    sac_attention_features(sac_pass_attention(p, head), side, phi, e->token_stride, tokens, e->count, e->token_stride,
                           p->room.attention_workspace);
}

const float *sac_maps_units(const sac_pass *p, const float *tokens, float *units)
{
    const sac_agent *a = p->g->parts.agent;
    const sac_embedding *e = &a->embedding;
    if (!a->attention->normalise) return tokens;
    a->kernels.normalise(units, e->token_stride, tokens, a->config.key_size, e->count, e->token_stride);
    return units;
}

void sac_maps_units_backward(const sac_pass *p, float *dtokens, const float *tokens)
{
    const sac_agent *a = p->g->parts.agent;
    const sac_embedding *e = &a->embedding;
    if (a->attention->normalise)
        p->l.unit_columns_backward(&p->l, dtokens, dtokens, tokens, a->config.key_size, e->count, e->token_stride,
                                   p->room.map_workspace);
}

// Adds the gradients with respect to G and v of a side. The parameter vector stores increments to both, those to G
// before the map's factor is applied.
static void learn_map(const sac_pass *p, int head, sac_attention_side side, const sac_column_map *map,
                      const float *tokens, const float *dphi, const float *phi)
{
    const sac_gradient_room *r = &p->room;
    const sac_agent *a = p->g->parts.agent;
    const sac_embedding *e = &a->embedding;
    const size_t m = (size_t)map->features->count, size = m * (size_t)a->config.key_size, at = (size_t)head * m;
    const float factor = a->attention->features[side].factor;
    float *sums = p->sums + a->maps[side] + at * (size_t)a->config.key_size;
    for (size_t i = 0; i < size; i++) r->dmatrix[i] = 0;
    p->l.map_columns_parameters(&p->l, map, r->dmatrix, p->sums + a->map_gains + at, dphi, phi, tokens, e->count,
                                e->token_stride, r->map_workspace);
    for (size_t i = 0; i < size; i++) sums[i] += factor * r->dmatrix[i];
}

void sac_maps_backward(const sac_pass *p, int head, sac_attention_side side, float *dtokens, const float *tokens,
                       float *dphi, const float *phi)
{
    const sac_agent *a = p->g->parts.agent;
    const sac_embedding *e = &a->embedding;
    const sac_column_map map = map_of(p, head, side);
    const float *units = sac_maps_units(p, tokens, p->room.units);
    p->l.map_columns_backward(&p->l, &map, dtokens, dphi, phi, units, e->count, e->token_stride, p->room.map_workspace);
    if (a->has_learned_map) learn_map(p, head, side, &map, units, dphi, phi);
    sac_maps_units_backward(p, dtokens, tokens);
}

// --- rows of attention divided by their sums: q_i / (q_i . z), z = sum_j k_j ---

static bool divides(const sac_pass *p)
{
    return p->g->parts.agent->attention->divide_all;
}

// computes z, and one over each row's sum
static void sum_rows(const sac_pass *p, const float *queries, const float *keys)
{
    const sac_gradient_room *r = &p->room;
    const sac_agent *a = p->g->parts.agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride;
    const int features = sac_attention_feature_size(a->attention);
    for (int i = 0; i < n; i++) r->inverses[i] = 0;
    for (int f = 0; f < features; f++)
    {
        const float *query = queries + f * stride, *key = keys + f * stride;
        float z = 0;
        for (int i = 0; i < n; i++) z += key[i];
        for (int i = 0; i < n; i++) r->inverses[i] += query[i] * z;
        r->key_sums[f] = z;
    }
    for (int i = 0; i < n; i++) r->inverses[i] = r->inverses[i] == 0 ? 0 : 1 / r->inverses[i];
}

void sac_maps_divide(const sac_pass *p, float *queries, const float *keys)
{
    const sac_agent *a = p->g->parts.agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride;
    if (!divides(p)) return;
    sum_rows(p, queries, keys);
    for (int f = 0; f < sac_attention_feature_size(a->attention); f++)
        for (int i = 0; i < n; i++) queries[f * stride + i] *= p->room.inverses[i];
}

// The quotient rule: for q' = q / s with s = q . z, let g = q' . dq'; then dq = (dq' - g z) / s and dz = -sum g q'.
void sac_maps_divide_backward(const sac_pass *p, float *dqueries, float *dkeys, const float *queries, const float *keys)
{
    const sac_gradient_room *r = &p->room;
    const sac_agent *a = p->g->parts.agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride;
    const int features = sac_attention_feature_size(a->attention);
    float *along = r->along;
    if (!divides(p)) return;
    sum_rows(p, queries, keys);
    for (int i = 0; i < n; i++) along[i] = 0;
    for (int f = 0; f < features; f++)
        for (int i = 0; i < n; i++) along[i] += queries[f * stride + i] * r->inverses[i] * dqueries[f * stride + i];
    for (int f = 0; f < features; f++)
    {
        const float *query = queries + f * stride;
        float *dquery = dqueries + f * stride, dz = 0;
        for (int i = 0; i < n; i++) dz -= along[i] * query[i] * r->inverses[i];
        for (int i = 0; i < n; i++) dquery[i] = (dquery[i] - along[i] * r->key_sums[f]) * r->inverses[i];
        for (int i = 0; i < n; i++) dkeys[f * stride + i] += dz;
    }
}
