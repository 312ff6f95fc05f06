#include <string.h>

#include "attention/form.h"
#include "gradient/gradient.h"

/// Scores of patches: how much attention each receives, the mean over heads. Of softmax r_j = sum_i A_ij; of linear
/// forms r_j = phi(k_j) . z / N, z = sum_i w_i phi(q_i), w_i = 1 or 1 + a learned number.

static const float *rows_of(const sac_pass *p, int frame, sac_attention_side side, int head)
{
    const sac_agent *a = p->g->parts.agent;
    return sac_pass_tokens(p, frame, (side == SAC_KEYS ? a->query_size : 0) + head * a->config.key_size);
}

// z and scores as acting computes them where queries are weighed by learned numbers
static void weighed_scores(const sac_pass *p, int frame, int head, float *scores)
{
    const sac_agent *a = p->g->parts.agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride;
    for (int i = 0; i < n; i++) p->room.votes[i] = 1 + p->parameters[a->rank_projection + (size_t)i];
    sac_rank_summary(sac_pass_attention(p, head), p->room.summary, p->room.votes, 1, stride,
                     rows_of(p, frame, SAC_QUERIES, head), n, stride, p->room.attention_workspace);
    sac_rank_scores(sac_pass_attention(p, head), scores, stride, p->room.summary, 1, n,
                    rows_of(p, frame, SAC_KEYS, head), n, stride, p->room.attention_workspace);
}

static void head_scores(const sac_pass *p, int frame, int head, float *scores)
{
    const sac_agent *a = p->g->parts.agent;
    if (a->has_projection)
        weighed_scores(p, frame, head, scores);
    else
        sac_attention_importance(sac_pass_attention(p, head), scores, rows_of(p, frame, SAC_QUERIES, head),
                                 rows_of(p, frame, SAC_KEYS, head), a->embedding.count, a->embedding.token_stride,
                                 p->room.attention_workspace);
}

void sac_scores_forward(sac_pass *p, int frame, float *scores)
{
    const sac_agent *a = p->g->parts.agent;
    const int n = a->embedding.count;
    head_scores(p, frame, 0, scores);
    for (int h = 1; h < a->heads; h++)
    {
        head_scores(p, frame, h, p->room.head_scores);
        for (int i = 0; i < n; i++) scores[i] += p->room.head_scores[i];
    }
    for (int i = 0; a->heads > 1 && i < n; i++) scores[i] /= (float)a->heads;
}

// The gradient of sum_j r_j dscores_j = sum_i sum_j A_ij dscores_j with respect to queries and keys: attention with the
// gradients as values, each output counting once.
static void softmax_backward(const sac_pass *p, const float *queries, const float *keys, float *dqueries, float *dkeys,
                             const float *dscores)
{
    const sac_gradient_room *r = &p->room;
    const sac_agent *a = p->g->parts.agent;
    const int n = a->embedding.count, d = a->config.key_size, stride = a->embedding.token_stride;
    const sac_attend shape = {1, n, n, d, 1, d, d, 1, 1, (float)a->attention->scale};
    sac_turn(r->queries, sac_maps_units(p, queries, r->units), n, d, stride);
    sac_turn(r->token_keys, sac_maps_units(p, keys, r->units), n, d, stride);
    for (int i = 0; i < n; i++) r->ones[i] = 1;
    p->l.attend_forward(&p->l, &shape, r->attended, r->attend_kept, r->queries, r->token_keys, dscores,
                        r->attend_workspace);
    p->l.attend_backward(&p->l, &shape, r->dqueries, r->dtoken_keys, r->dones, r->ones, r->attended, r->attend_kept,
                         r->queries, r->token_keys, dscores, r->attend_workspace);
    sac_turn_back(dqueries, r->dqueries, n, d, stride);
    sac_turn_back(dkeys, r->dtoken_keys, n, d, stride);
    sac_maps_units_backward(p, dqueries, queries);
    sac_maps_units_backward(p, dkeys, keys);
}

// Gradient with respect to queries and keys of r_j = phi(k_j) . z / N or, where rows of attention are divided by their
// sums, without N
static void linear_backward(const sac_pass *p, int head, const float *queries, const float *keys, float *dqueries,
                            float *dkeys, const float *dscores)
{
    const sac_gradient_room *r = &p->room;
    const sac_agent *a = p->g->parts.agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride,
              count = sac_attention_feature_size(a->attention);
    const bool divides = a->attention->divide_all;
    const float *plain = divides ? r->undivided : r->query_features;
    for (int i = 0; i < n; i++) r->votes[i] = a->has_projection ? 1 + p->parameters[a->rank_projection + (size_t)i] : 1;
    sac_maps_features(p, head, SAC_QUERIES, r->query_features, queries);
    sac_maps_features(p, head, SAC_KEYS, r->key_features, keys);
    if (divides) memcpy(r->undivided, r->query_features, (size_t)count * (size_t)stride * sizeof *r->undivided);
    sac_maps_divide(p, r->query_features, r->key_features);
    for (int f = 0; f < count; f++)
    {
        float *query = r->query_features + f * stride, *key = r->key_features + f * stride, z = 0, dz = 0;
        float *dquery = r->dquery_features + f * stride, *dkey = r->dkey_features + f * stride;
        for (int i = 0; i < n; i++) z += r->votes[i] * query[i];
        for (int i = 0; i < n; i++) dz += dscores[i] * key[i];
        if (!divides) z /= (float)n, dz /= (float)n;
        for (int i = 0; i < n; i++) dkey[i] = z * dscores[i];
        for (int i = 0; i < n; i++) dquery[i] = dz * r->votes[i];
        for (int i = 0; a->has_projection && i < n; i++) p->sums[a->rank_projection + (size_t)i] += dz * query[i];
    }
    sac_maps_divide_backward(p, r->dquery_features, r->dkey_features, plain, r->key_features);
    sac_maps_backward(p, head, SAC_QUERIES, dqueries, queries, r->dquery_features, plain);
    sac_maps_backward(p, head, SAC_KEYS, dkeys, keys, r->dkey_features, r->key_features);
}

void sac_scores_backward(sac_pass *p, int frame, float *dscores)
{
    const sac_agent *a = p->g->parts.agent;
    const int d = a->config.key_size, stride = a->embedding.token_stride;
    for (int i = 0; a->heads > 1 && i < a->embedding.count; i++) dscores[i] /= (float)a->heads;
    for (int h = 0; h < a->heads; h++)
    {
        const float *queries = rows_of(p, frame, SAC_QUERIES, h), *keys = rows_of(p, frame, SAC_KEYS, h);
        float *dqueries = p->room.dtokens + (ptrdiff_t)h * d * stride;
        float *dkeys = dqueries + (ptrdiff_t)a->query_size * stride;
        if (sac_attention_feature_size(a->attention))
            linear_backward(p, h, queries, keys, dqueries, dkeys, dscores);
        else
            softmax_backward(p, queries, keys, dqueries, dkeys, dscores);
    }
}
