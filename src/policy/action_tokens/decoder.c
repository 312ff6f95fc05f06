#include <math.h>
#include <string.h>

#include "attention/forms/softmax.h"
#include "policy/action_tokens/rt.h"

// The tokens of an action, one after the other.

// --- softmax: keys and values are kept ---

// Keys that a query looks at: those of a frame, or of the tokens of this step.
typedef struct place
{
    const float *keys, *values; // [d, stride]
    int count, stride;
    float factor;
} place;

static place frame_of(const sac_rt_state *s, int head, int age)
{
    const sac_rt *rt = s->rt;
    const ptrdiff_t stride = rt->embedding.token_stride, width = rt->config.width;
    const float *keys = s->memory + sac_rt_place(s, age) * 2 * width * stride + head * rt->head_size * stride;
    return (place){keys, keys + width * stride, rt->embedding.count, (int)stride,
                   s->factors[head * rt->config.history + age]};
}

static place own_of(const sac_rt_state *s, int head, int said)
{
    const sac_rt *rt = s->rt;
    const ptrdiff_t stride = sac_round_up(rt->tokens), width = rt->config.width;
    const float *keys = s->own + head * rt->head_size * stride;
    return (place){keys, keys + width * stride, said + 1, (int)stride, 1};
}

static int places_of(const sac_rt_state *s, place places[SAC_RT_MAX_HISTORY + 1], int head, int said)
{
    int count = 0;
    for (int age = s->frames - 1; age >= 0; age--) places[count++] = frame_of(s, head, age);
    places[count++] = own_of(s, head, said);
    return count;
}

void sac_rt_scale(const sac_rt *rt, float *scaled, const float *query)
{
    const float factor = sac_softmax_factor(rt->attention);
    for (int i = 0; i < rt->head_size; i++) scaled[i] = query[i] * factor;
}

// out = sum_p factor_p sum_j exp(q.k_pj) v_pj / sum_p factor_p sum_j exp(q.k_pj), the oldest frame first
static void gather_softmax(sac_rt_state *s, float *out, const float *query, int head, int said)
{
    const sac_rt *rt = s->rt;
    const int d = rt->head_size;
    place places[SAC_RT_MAX_HISTORY + 1];
    const int count = places_of(s, places, head, said);
    float scaled[SAC_RT_MAX_WIDTH], part[SAC_RT_MAX_WIDTH], shift = -INFINITY, total = 0;
    sac_rt_scale(rt, scaled, query);
    for (int p = 0; p < count; p++)
    {
        float largest;
        rt->kernels.largest_scores(&largest, scaled, 1, places[p].keys, d, places[p].count, places[p].stride);
        shift = largest > shift ? largest : shift;
    }
    memset(out, 0, (size_t)d * sizeof *out);
    for (int p = 0; p < count; p++)
    {
        float sum;
        rt->kernels.softmax_rows(s->weights, &sum, scaled, &shift, 1, places[p].keys, NULL, d, places[p].count,
                                 places[p].stride);
        memset(part, 0, (size_t)d * sizeof *part);
        rt->kernels.weigh_rows(part, s->weights, 1, places[p].values, d, places[p].count, places[p].stride);
        for (int i = 0; i < d; i++) out[i] += places[p].factor * part[i];
        total += places[p].factor * sum;
    }
    for (int i = 0; i < d; i++) out[i] /= total;
    s->shifts[said * rt->config.heads + head] = shift;
    s->totals[said * rt->config.heads + head] = total;
}

// The keys and values of a token stand in column `said`.
static void keep_softmax(sac_rt_state *s, const float *keys, int said)
{
    const sac_rt *rt = s->rt;
    const ptrdiff_t stride = sac_round_up(rt->tokens);
    for (int i = 0; i < 2 * rt->config.width; i++) s->own[i * stride + said] = keys[i];
}

// --- linear forms: sums are kept ---

// The sums of the history, from the oldest frame on, times the factors of their ages.
static void sum_history(sac_rt_state *s)
{
    const sac_rt *rt = s->rt;
    const size_t one = (size_t)(rt->head_size + 1) * (size_t)rt->features, heads = (size_t)rt->config.heads;
    memset(s->sums, 0, heads * one * sizeof *s->sums);
    for (int age = s->frames - 1; age >= 0; age--)
        for (size_t h = 0; h < heads; h++)
        {
            const float factor = s->factors[h * (size_t)rt->config.history + (size_t)age];
            const float *from = s->memory_sums + ((size_t)sac_rt_place(s, age) * heads + h) * one;
            float *to = s->sums + h * one;
            for (size_t i = 0; i < one; i++) to[i] += factor * from[i];
        }
}

static void keep_linear(sac_rt_state *s, const float *keys)
{
    const sac_rt *rt = s->rt;
    const int d = rt->head_size, f = rt->features;
    for (int h = 0; h < rt->config.heads; h++)
    {
        float *sums = s->sums + (ptrdiff_t)h * (d + 1) * f;
        sac_attention_features(rt->attention, SAC_KEYS, s->features, 1, keys + (ptrdiff_t)h * d, 1, 1, s->workspace);
        const float *values = keys + rt->config.width + (ptrdiff_t)h * d;
        for (int i = 0; i <= d; i++)
            for (int k = 0; k < f; k++) sums[(ptrdiff_t)i * f + k] += (i < d ? values[i] : 1) * s->features[k];
    }
}

// out = phi(q) S / (phi(q).z + epsilon)
static void gather_linear(sac_rt_state *s, float *out, const float *query, int head, int said)
{
    const sac_rt *rt = s->rt;
    const int d = rt->head_size, f = rt->features;
    float gathered[SAC_RT_MAX_WIDTH + 1];
    sac_attention_features(rt->attention, SAC_QUERIES, s->query_features, 1, query, 1, 1, s->workspace);
    rt->kernels.mix(gathered, 1, s->sums + (ptrdiff_t)head * (d + 1) * f, f, d + 1, s->query_features, f, 1, 1);
    const float total = gathered[d] + SAC_RT_EPSILON, share = total == 0 ? 0 : 1 / total;
    for (int i = 0; i < d; i++) out[i] = gathered[i] * share;
    s->totals[said * rt->config.heads + head] = total;
}

// --- tokens ---

// The numbers of a token before the decoder: its place's, and those of the word that was said before it.
static void begin_token(sac_rt_state *s, int said)
{
    const sac_rt *rt = s->rt;
    const int width = rt->config.width;
    const float *dimension = s->parameters + rt->dimensions + (size_t)said * (size_t)width;
    const float *word = said > 0 ? s->parameters + rt->words + (size_t)s->said[said - 1] * (size_t)width : NULL;
    for (int i = 0; i < width; i++) s->token[i] = dimension[i] + (word ? word[i] : 0);
}

static void attend(sac_rt_state *s, int said)
{
    const sac_rt *rt = s->rt;
    const int width = rt->config.width, d = rt->head_size;
    float *queries = s->queries + (ptrdiff_t)said * width, *keys = s->mixed + width;
    sac_rt_norm(s, s->normed, s->token, rt->decoder.norm, 1, 1);
    sac_rt_layer(s, s->mixed, rt->decoder.mix, 3 * width, s->normed, width, 1, 1);
    memcpy(queries, s->mixed, (size_t)width * sizeof *queries);
    if (rt->features)
        keep_linear(s, keys);
    else
        keep_softmax(s, keys, said);
    for (int h = 0; h < rt->config.heads; h++)
        (rt->features ? gather_linear : gather_softmax)(s, s->gathered + (ptrdiff_t)h * d, queries + (ptrdiff_t)h * d,
                                                        h, said);
    sac_rt_layer(s, s->normed, rt->decoder.out, width, s->gathered, width, 1, 1);
    for (int i = 0; i < width; i++) s->token[i] += s->normed[i];
}

void sac_rt_speak(sac_rt_state *s)
{
    const sac_rt *rt = s->rt;
    const int width = rt->config.width, bins = rt->bins;
    if (rt->features) sum_history(s);
    for (int said = 0; said < rt->tokens; said++)
    {
        float *logits = s->logits + (ptrdiff_t)said * bins;
        begin_token(s, said);
        attend(s, said);
        sac_rt_mlp(s, s->token, &rt->decoder, 1, 1);
        sac_rt_norm(s, s->normed, s->token, rt->last_norm, 1, 1);
        rt->kernels.dense(logits, s->parameters + rt->logits.weight,
                          s->parameters + rt->logits.bias + (size_t)said * (size_t)bins, s->normed, bins, width);
        s->said[said] = sac_rt_likeliest(rt, &s->base.policy->def, logits, said);
    }
}
