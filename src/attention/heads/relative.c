#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "kernels/kernels.h"
#include "saccade/heads.h"

/// Transformer-XL: (a) + (c) = (q_i + u).k_j and (b) + (d) = (q_i + v).r_{i-j}, so a row needs only two products.

typedef struct parts
{
    sac_kernels kernels;
    float *queries, *keys, *places;     // [D, n], [D, n], [D, 2 n - 1]: column n - 1 - i + j belongs to (i, j)
    float *reversed;                    // [C, 2 n - 1] the encodings in that order
    float *content, *place, *row, *sum; // [D] q_i + u, [D] q_i + v, [n], [channels] of one row
} parts;

static parts split(const sac_relative *r, int n, sac_workspace *workspace)
{
    size_t d = (size_t)r->key_size, count = (size_t)n, offsets = 2 * count;
    parts p = {.kernels = sac_kernels_create(sac_get_cpu_level())};
    p.queries = sac_take(workspace, d * count, sizeof(float));
    p.keys = sac_take(workspace, d * count, sizeof(float));
    p.places = sac_take(workspace, d * offsets, sizeof(float));
    p.reversed = sac_take(workspace, (size_t)r->size * offsets, sizeof(float));
    p.content = sac_take(workspace, d, sizeof(float));
    p.place = sac_take(workspace, d, sizeof(float));
    p.row = sac_take(workspace, count, sizeof(float));
    p.sum = sac_take(workspace, count, sizeof(float));
    return p;
}

size_t sac_relative_workspace_size(const sac_relative *relative, int token_count)
{
    sac_workspace workspace = {0};
    split(relative, token_count, &workspace);
    return workspace.used;
}

// Compute q, k and r of all tokens and offsets.
static void project(parts *p, const sac_relative *r, int terms, const float *tokens, int n, int stride,
                    const float *offsets, int offsets_stride)
{
    int c = r->size, d = r->key_size;
    p->kernels.mix(p->queries, n, r->query, c, d, tokens, c, n, stride);
    p->kernels.mix(p->keys, n, r->key, c, d, tokens, c, n, stride);
    if (!(terms & (SAC_RELATIVE_B | SAC_RELATIVE_D))) return;
    int count = 2 * n - 1;
    for (int i = 0; i < c; i++)
        for (int j = 0; j < count; j++)
            // in falling order, so that along a row the offset i - j falls as j grows
            p->reversed[(size_t)i * (size_t)count + (size_t)j] =
                offsets[(size_t)i * (size_t)offsets_stride + (size_t)(count - 1 - j)];
    p->kernels.mix(p->places, count, r->position_key, c, d, p->reversed, c, count, count);
}

static void add_vectors(float *out, const float *queries, int i, int n, const float *bias, int d)
{
    for (int k = 0; k < d; k++)
        out[k] = (queries ? queries[(size_t)k * (size_t)n + (size_t)i] : 0.0f) + (bias ? bias[k] : 0.0f);
}

// Dai et al. 2019 (Transformer-XL), section 3.3: (a) q_i.k_j, (b) q_i.r_{i-j}, (c) u.k_j, (d) v.r_{i-j}. The places of
// row i are a window of 2 n - 1 columns that moves by one a row (their appendix B), so r is multiplied once.
static void make_row(parts *p, const sac_relative *r, float *row, int terms, int i, int n)
{
    int d = r->key_size, count = 2 * n - 1;
    add_vectors(p->content, terms & SAC_RELATIVE_A ? p->queries : NULL, i, n,
                terms & SAC_RELATIVE_C ? r->content_bias : NULL, d);
    p->kernels.mix(row, n, p->content, d, 1, p->keys, d, n, n);
    if (!(terms & (SAC_RELATIVE_B | SAC_RELATIVE_D))) return;
    add_vectors(p->place, terms & SAC_RELATIVE_B ? p->queries : NULL, i, n,
                terms & SAC_RELATIVE_D ? r->place_bias : NULL, d);
    p->kernels.mix(p->sum, n, p->place, d, 1, p->places + (n - 1 - i), d, n, count);
    for (int j = 0; j < n; j++) row[j] += p->sum[j];
}

void sac_relative_logits(const sac_relative *relative, float *logits, int terms, const float *tokens, int token_count,
                         int stride, const float *offsets, int offsets_stride, void *workspace)
{
    SAC_ASSERT(token_count >= 1 && stride >= token_count && (uintptr_t)workspace % 64 == 0);
    SAC_ASSERT(!(terms & (SAC_RELATIVE_B | SAC_RELATIVE_D)) || (offsets && offsets_stride >= 2 * token_count - 1));
    sac_workspace at = {.memory = workspace};
    parts p = split(relative, token_count, &at);
    project(&p, relative, terms, tokens, token_count, stride, offsets, offsets_stride);
    for (int i = 0; i < token_count; i++)
        make_row(&p, relative, logits + (size_t)i * (size_t)token_count, terms, i, token_count);
}

void sac_relative_output(const sac_relative *relative, float *out, int out_stride, double scale, const float *tokens,
                         int token_count, int stride, const float *offsets, int offsets_stride, const float *values,
                         int channels, int values_stride, void *workspace)
{
    int n = token_count;
    SAC_ASSERT(n >= 1 && stride >= n && offsets_stride >= 2 * n - 1 && values_stride >= n && out_stride >= n);
    SAC_ASSERT(scale >= 0);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    sac_workspace at = {.memory = workspace};
    parts p = split(relative, n, &at);
    project(&p, relative, SAC_RELATIVE_ALL, tokens, n, stride, offsets, offsets_stride);
    // softmax as powers of two, with the largest logit taken away: exp(s x) = 2^(s log2(e) x)
    float log2_scale = (float)(scale * 1.4426950408889634);
    for (int i = 0; i < n; i++)
    {
        make_row(&p, relative, p.row, SAC_RELATIVE_ALL, i, n);
        float largest = -INFINITY, sum = 0;
        for (int j = 0; j < n; j++) largest = p.row[j] > largest ? p.row[j] : largest;
        for (int j = 0; j < n; j++) p.row[j] = (p.row[j] - largest) * log2_scale;
        p.kernels.exp2(p.row, p.row, n);
        p.kernels.contract(&sum, 1, NULL, 0, 1, p.row, 1, n, n);
        for (int c = 0; c < channels; c++)
        {
            float value = 0;
            p.kernels.contract(&value, 1, p.row, n, 1, values + (size_t)c * (size_t)values_stride, 1, n, values_stride);
            out[(size_t)c * (size_t)out_stride + (size_t)i] = value / sum;
        }
    }
}
