#include <math.h>
#include <string.h>

#include "gradient/gradient.h"

/// What a token of an action attends to, with all weights written out: there are few tokens, so this is cheap beside
/// the encoder in every form. This file is compiled once for all levels, where fmaf would be a call of libm, so
/// products are rounded before they are added.

// Keys that a token looks at, in the order of acting: the history's frames, the oldest first, then its own step's.
typedef struct looked
{
    const float *keys;
    float *dkeys; // values stand W numbers behind keys
    int count, row, age;
} looked;

static looked looked_at(const sac_pass *p, int frame, int token, int history, int index, const float *mixed)
{
    const sac_rt *rt = p->g->parts.rt;
    const int width = rt->config.width;
    if (index == history) return (looked){mixed + width, p->room.speech.dmixed + width, token + 1, 3 * width, -1};
    const int age = history - 1 - index;
    const sac_speech_memory m = sac_speech_memory_at(p, frame - age * p->batch->sequences);
    return (looked){m.keys, m.dkeys, rt->embedding.count, 2 * width, age};
}

static float *weights_of(const sac_pass *p, int frame, int token, int head)
{
    const sac_rt *rt = p->g->parts.rt;
    const size_t row = (size_t)(rt->config.history * rt->embedding.count + rt->tokens);
    return p->room.speech.attention +
           (((size_t)frame * (size_t)rt->tokens + (size_t)token) * (size_t)rt->config.heads + (size_t)head) * row;
}

static float *total_of(const sac_pass *p, int frame, int token, int head)
{
    const sac_rt *rt = p->g->parts.rt;
    return p->room.speech.totals + ((ptrdiff_t)frame * rt->tokens + token) * rt->config.heads + head;
}

static float dot(const float *a, const float *b, int size)
{
    float sum = 0;
    for (int i = 0; i < size; i++) sum += a[i] * b[i];
    return sum;
}

// phi of a number of a linear form whose G is the identity, and its slope
static float feature(enum sac_phi phi, float x)
{
    if (phi == SAC_PHI_SQUARE) return x * x;
    return x > 0 ? x : 0;
}

static float slope(enum sac_phi phi, float x)
{
    if (phi == SAC_PHI_SQUARE) return 2 * x;
    return x > 0 ? 1.0f : 0;
}

static void map(const sac_pass *p, enum sac_phi form, float *phi, const float *x, int size)
{
    if (form == SAC_PHI_EXP)
        p->l.kernels.exp(phi, x, size);
    else
        for (int i = 0; i < size; i++) phi[i] = feature(form, x[i]);
}

// dx += slope dphi, where phi is that of x
static void map_backward(enum sac_phi form, float *dx, const float *dphi, const float *phi, const float *x, int size)
{
    for (int i = 0; i < size; i++) dx[i] += (form == SAC_PHI_EXP ? phi[i] : slope(form, x[i])) * dphi[i];
}

static float factor_of(const sac_pass *p, const looked *at, int head)
{
    return at->age < 0 ? 1 : p->room.speech.factors[head * p->g->parts.rt->config.history + at->age];
}

// weights = exp(scale q.k - the largest of these) times the factors of ages, over their sum
static void weigh_exactly(const sac_pass *p, float *weights, const looked *at, int places, const float *query, int head)
{
    const sac_rt *rt = p->g->parts.rt;
    const int d = rt->head_size;
    const float scale = (float)rt->attention->scale;
    float largest = -INFINITY, total = 0;
    int count = 0;
    for (int i = 0; i < places; i++)
        for (int j = 0; j < at[i].count; j++)
        {
            const float score = scale * dot(query, at[i].keys + (ptrdiff_t)j * at[i].row + head * d, d);
            largest = score > largest ? score : largest;
            weights[count++] = score;
        }
    for (int j = 0; j < count; j++) weights[j] -= largest;
    p->l.kernels.exp(weights, weights, count);
    float *weight = weights;
    for (int i = 0; i < places; i++)
        for (int j = 0; j < at[i].count; j++, weight++) total += *weight *= factor_of(p, &at[i], head);
    for (int j = 0; j < count; j++) weights[j] /= total;
}

// weights = phi(q).phi(k) times the factors of ages; @return their sum
static float weigh_linearly(const sac_pass *p, float *weights, const looked *at, int places, const float *query,
                            int head)
{
    const int d = p->g->parts.rt->head_size;
    const enum sac_phi form = sac_speech_map(p->g->parts.rt).phi;
    float phi[SAC_RT_MAX_WIDTH], *query_phi = p->room.speech.phi, total = 0;
    map(p, form, query_phi, query, d);
    for (int i = 0; i < places; i++)
        for (int j = 0; j < at[i].count; j++, weights++)
        {
            map(p, form, phi, at[i].keys + (ptrdiff_t)j * at[i].row + head * d, d);
            *weights = factor_of(p, &at[i], head) * dot(query_phi, phi, d);
            total += *weights;
        }
    return total;
}

static int places_of(const sac_pass *p, looked *at, int frame, int token, int history, const float *mixed)
{
    for (int i = 0; i <= history; i++) at[i] = looked_at(p, frame, token, history, i, mixed);
    return history + 1;
}

void sac_speech_gather(const sac_pass *p, int frame, int token, int history, const float *mixed, float *out)
{
    const sac_rt *rt = p->g->parts.rt;
    const int width = rt->config.width, d = rt->head_size;
    looked at[SAC_RT_MAX_HISTORY + 1];
    const int places = places_of(p, at, frame, token, history, mixed);
    memset(out, 0, (size_t)width * sizeof *out);
    for (int h = 0; h < rt->config.heads; h++)
    {
        const float *query = mixed + (ptrdiff_t)token * 3 * width + h * d;
        float *weights = weights_of(p, frame, token, h), *total = total_of(p, frame, token, h), *to = out + h * d;
        *total = 1;
        if (rt->features)
            *total = weigh_linearly(p, weights, at, places, query, h) + SAC_RT_EPSILON;
        else
            weigh_exactly(p, weights, at, places, query, h);
        for (int i = 0; i < places; i++)
            for (int j = 0; j < at[i].count; j++, weights++)
            {
                const float *value = at[i].keys + (ptrdiff_t)j * at[i].row + width + h * d;
                for (int k = 0; k < d; k++) to[k] += *weights * value[k];
            }
        for (int k = 0; k < d; k++) to[k] /= *total;
    }
}

// The gradient with respect to each score of softmax, or each weight of a linear form, and to the values. Both are
// (dout.v_j - dout.out), times the share of the token, or over the total.
static void weigh_backward(const sac_pass *p, float *dweights, const float *weights, float total, const looked *at,
                           int places, const float *out, const float *dout, int head)
{
    const sac_rt *rt = p->g->parts.rt;
    const int d = rt->head_size, width = rt->config.width;
    const float mean = dot(out, dout, d);
    for (int i = 0; i < places; i++)
        for (int j = 0; j < at[i].count; j++, weights++, dweights++)
        {
            const ptrdiff_t value = (ptrdiff_t)j * at[i].row + width + head * d;
            const float along = dot(dout, at[i].keys + value, d) - mean, share = *weights / total;
            *dweights = rt->features ? along / total : share * along;
            for (int k = 0; k < d; k++) at[i].dkeys[value + k] += share * dout[k];
        }
}

// What the logarithm of a factor changes: every score of its frame, or every weight by its own size.
static void ages_backward(const sac_pass *p, const float *dweights, const float *weights, const looked *at, int places,
                          int head)
{
    const sac_rt *rt = p->g->parts.rt;
    for (int i = 0; i < places; i++)
    {
        float sum = 0;
        for (int j = 0; j < at[i].count; j++, weights++, dweights++)
            sum += rt->features ? *dweights * *weights : *dweights;
        if (at[i].age >= 0) p->sums[rt->ages + (size_t)(head * rt->config.history + at[i].age)] += sum;
    }
}

static void scores_backward(const sac_pass *p, const float *dscores, const looked *at, int places, const float *query,
                            float *dquery, int head)
{
    const int d = p->g->parts.rt->head_size;
    const float scale = (float)p->g->parts.rt->attention->scale;
    for (int i = 0; i < places; i++)
        for (int j = 0; j < at[i].count; j++, dscores++)
        {
            const ptrdiff_t key = (ptrdiff_t)j * at[i].row + head * d;
            const float change = scale * *dscores;
            for (int k = 0; k < d; k++)
            {
                dquery[k] += change * at[i].keys[key + k];
                at[i].dkeys[key + k] += change * query[k];
            }
        }
}

static void features_backward(const sac_pass *p, const float *dweights, const looked *at, int places,
                              const float *query, float *dquery, int head)
{
    const int d = p->g->parts.rt->head_size;
    float phi[SAC_RT_MAX_WIDTH], dphi[SAC_RT_MAX_WIDTH];
    float *query_phi = p->room.speech.phi, *dquery_phi = p->room.speech.dphi;
    const enum sac_phi form = sac_speech_map(p->g->parts.rt).phi;
    map(p, form, query_phi, query, d);
    memset(dquery_phi, 0, (size_t)d * sizeof *dquery_phi);
    for (int i = 0; i < places; i++)
        for (int j = 0; j < at[i].count; j++, dweights++)
        {
            const ptrdiff_t key = (ptrdiff_t)j * at[i].row + head * d;
            const float change = *dweights * factor_of(p, &at[i], head);
            map(p, form, phi, at[i].keys + key, d);
            for (int k = 0; k < d; k++)
            {
                dquery_phi[k] += change * phi[k];
                dphi[k] = change * query_phi[k];
            }
            map_backward(form, at[i].dkeys + key, dphi, phi, at[i].keys + key, d);
        }
    map_backward(form, dquery, dquery_phi, query_phi, query, d);
}

void sac_speech_gather_backward(const sac_pass *p, int frame, int token, int history, const float *mixed,
                                const float *out, const float *dout)
{
    const sac_rt *rt = p->g->parts.rt;
    const int width = rt->config.width, d = rt->head_size;
    float *dweights = p->room.speech.dattention;
    looked at[SAC_RT_MAX_HISTORY + 1];
    const int places = places_of(p, at, frame, token, history, mixed);
    for (int h = 0; h < rt->config.heads; h++)
    {
        const ptrdiff_t row = (ptrdiff_t)token * 3 * width + h * d;
        const float *weights = weights_of(p, frame, token, h);
        weigh_backward(p, dweights, weights, *total_of(p, frame, token, h), at, places, out + h * d, dout + h * d, h);
        ages_backward(p, dweights, weights, at, places, h);
        (rt->features ? features_backward : scores_backward)(p, dweights, at, places, mixed + row,
                                                             p->room.speech.dmixed + row, h);
    }
}
