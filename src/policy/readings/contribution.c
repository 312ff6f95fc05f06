#include <math.h>
#include <string.h>

#include "policy/agent_state.h"

// What each patch contributes to what the controller of an iap-trans is told: for people, and not for the inner loop.

// P A of a head into s->mixed [l, stride]: by sums over features where the form has them and rows of A have any length,
// else row by row of A, in a time that grows with the square of the number of patches
static void project_attention(sac_agent_state *s, int head, const float *projection)
{
    const sac_agent *a = s->agent;
    const sac_attention *attention = sac_agent_attention(s, head);
    const int n = a->embedding.count, stride = a->embedding.token_stride, l = a->trans.rows, d = a->config.key_size;
    const float *queries = sac_agent_rows(s, head * d), *keys = sac_agent_rows(s, a->query_size + head * d);
    if (sac_attention_feature_size(attention) > 0 && !attention->divide_all)
    {
        sac_rank_summary(attention, s->summary, projection, l, n, queries, n, stride, s->rank_workspace);
        sac_rank_scores(attention, s->mixed, stride, s->summary, l, 1, keys, n, stride, s->rank_workspace);
        return;
    }
    memset(s->mixed, 0, (size_t)l * (size_t)stride * sizeof *s->mixed);
    for (int i = 0; i < n; i++)
    {
        sac_attention_row(attention, s->head_scores, i, queries, keys, n, stride, s->attention_workspace);
        for (int r = 0; r < l; r++)
            for (int j = 0; j < n; j++) s->mixed[r * stride + j] += projection[r * n + i] * s->head_scores[j];
    }
}

// The deviation that the layer norm divides row r of P V + P A V by, or 1.
static double row_size(const sac_agent_state *s, int head, int r)
{
    const sac_agent *a = s->agent;
    if (!a->config.layer_norm) return 1;
    const int n = a->embedding.count, stride = a->embedding.token_stride, v = a->config.value_size;
    const float *values = sac_agent_rows(s, 2 * a->query_size + head * v), *mixed = s->mixed + (size_t)r * stride;
    double sum = 0, squares = 0;
    for (int i = 0; i < v; i++)
    {
        double told = 0;
        for (int j = 0; j < n; j++) told += (double)mixed[j] * (double)values[i * stride + j];
        sum += told, squares += told * told;
    }
    return sqrt(fmax(squares / v - sum / v * (sum / v), 0) + 1e-5);
}

// How far each patch's values are from their mean, squared, in units of the gain, into s->head_scores.
static void measure_values(sac_agent_state *s, int head)
{
    const sac_agent *a = s->agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride, v = a->config.value_size;
    const float *values = sac_agent_rows(s, 2 * a->query_size + head * v);
    memset(s->head_scores, 0, (size_t)n * sizeof *s->head_scores);
    for (int i = 0; i < v; i++, values += stride)
    {
        float mean = 0, gain = a->config.layer_norm ? s->gain[head * v + i] : 1;
        for (int j = 0; j < n; j++) mean += values[j] / (float)n;
        for (int j = 0; j < n; j++) s->head_scores[j] += gain * gain * (values[j] - mean) * (values[j] - mean);
    }
}

// |change of P V + P A V| if the row of V were the mean row, A staying as it is.
void sac_agent_contribution(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    const int n = a->embedding.count, stride = a->embedding.token_stride;
    const float *projection = s->parameters + a->trans_projection;
    memset(s->contribution, 0, (size_t)n * sizeof *s->contribution);
    for (int h = 0; h < a->heads; h++)
    {
        project_attention(s, h, projection);
        measure_values(s, h);
        for (int r = 0; r < a->trans.rows; r++)
        {
            float *mixed = s->mixed + (size_t)r * (size_t)stride;
            for (int j = 0; j < n && a->trans.residual; j++) mixed[j] += projection[r * n + j];
            float scale = (float)(1 / row_size(s, h, r));
            for (int j = 0; j < n; j++) s->contribution[j] += scale * scale * mixed[j] * mixed[j] * s->head_scores[j];
        }
    }
    for (int j = 0; j < n; j++) s->contribution[j] = sqrtf(s->contribution[j]);
}
