#include <math.h>
#include <string.h>

#include "attention/blocks.h"
#include "base/error.h"
#include "saccade/rank.h"

/// IAP-rank (Choromanski et al. 2021, second version, section 3.2): r = (1/N) (P Q') K'^T, in two passes over blocks of
/// features.

enum
{
    ROWS = 16 ///< rows of z that are scored in one pass
};

typedef struct parts
{
    sac_block block;
    float *weights; ///< [ROWS, F] z with the gains of the keys
    void *rest;     ///< the workspace of the attention itself
} parts;

static void split(parts *p, const sac_attention *a, sac_workspace *workspace)
{
    sac_block_take(&p->block, a, SAC_BLOCK_LARGE, workspace);
    p->weights = sac_take(workspace, (size_t)ROWS * (size_t)a->feature_size, sizeof(float));
    p->rest = sac_take(workspace, sac_attention_workspace_size(a, 1), 1);
}

size_t sac_rank_workspace_size(const sac_attention *attention)
{
    sac_workspace workspace = {0};
    parts p;
    split(&p, attention, &workspace);
    return workspace.used;
}

// z = P Q' [rows, F]: for importance, P is one row of ones, and z is the sum of the queries' features.
void sac_rank_summary(const sac_attention *attention, float *z, const float *weights, int rows, int weight_stride,
                      const float *queries, int token_count, int stride, void *workspace)
{
    SAC_ASSERT(rows >= 1 && (weights || rows == 1) && (!weights || weight_stride >= token_count));
    parts p;
    split(&p, attention, &(sac_workspace){.memory = workspace});
    sac_block *b = &p.block;
    int f = attention->feature_size;
    memset(z, 0, (size_t)rows * (size_t)f * sizeof *z);
    for (int i = 0; sac_block_read(b, attention, SAC_QUERIES, queries, i, token_count, stride); i += b->size)
        attention->kernels.contract(z, f, weights ? weights + i : NULL, weight_stride, rows, b->features, f, b->count,
                                    b->size);
    sac_apply_gains(attention, SAC_QUERIES, z, z, rows);
}

// r = z K'^T / N: each key's features against all rows of z, in blocks that stay in the cache.
void sac_rank_scores(const sac_attention *attention, float *scores, int score_stride, const float *z, int rows,
                     int query_count, const float *keys, int token_count, int stride, void *workspace)
{
    SAC_ASSERT(rows >= 1 && query_count >= 1 && score_stride >= token_count);
    parts p;
    split(&p, attention, &(sac_workspace){.memory = workspace});
    sac_block *b = &p.block;
    int f = attention->feature_size;
    for (int first = 0; first < rows; first += ROWS)
    {
        int count = rows - first < ROWS ? rows - first : ROWS;
        float *out = scores + (size_t)first * (size_t)score_stride;
        sac_apply_gains(attention, SAC_KEYS, p.weights, z + (size_t)first * (size_t)f, count);
        for (int i = 0; sac_block_read(b, attention, SAC_KEYS, keys, i, token_count, stride); i += b->size)
        {
            attention->kernels.mix(out + i, score_stride, p.weights, f, count, b->features, f, b->count, b->size);
            attention->kernels.divide(out + i, score_stride, count, (float)query_count, b->count);
        }
    }
}

// The paper's z' = phi(sum q) is as small as exp(-|sum q|^2 / 2), too small for float32 with many queries. With the
// mean in place of the sum it stays within range.
void sac_rank_mean_query(const sac_attention *attention, float *z, const float *queries, int token_count, int stride,
                         void *workspace)
{
    enum
    {
        MOST = 256 // the largest D
    };
    int size = attention->key_size;
    double sum[MOST] = {0};
    for (int i = 0; i < token_count; i++)
    {
        double norm = attention->normalise ? 0 : 1;
        for (int d = 0; d < size && attention->normalise; d++)
            norm += (double)queries[d * stride + i] * (double)queries[d * stride + i];
        if (norm > 0)
            for (int d = 0; d < size; d++) sum[d] += (double)queries[d * stride + i] / sqrt(norm);
    }
    float query[MOST];
    for (int d = 0; d < size; d++) query[d] = (float)(sum[d] / token_count);
    // The mean of normalised queries is shorter than 1 and must not be normalised again.
    sac_attention plain = *attention;
    plain.normalise = false;
    parts p;
    split(&p, attention, &(sac_workspace){.memory = workspace});
    sac_attention_features(&plain, SAC_QUERIES, z, 1, query, 1, 1, p.rest);
}

void sac_rank_take(float *out, const int *chosen, int kept, const float *values, int value_size, int stride)
{
    for (int i = 0; i < kept; i++)
        for (int v = 0; v < value_size; v++) *out++ = values[(size_t)v * (size_t)stride + (size_t)chosen[i]];
}

void sac_rank_mask(float *out, int out_stride, const int *chosen, int kept, const float *values, int value_size,
                   int token_count, int stride)
{
    for (int v = 0; v < value_size; v++, out += out_stride, values += stride)
    {
        memset(out, 0, (size_t)token_count * sizeof *out);
        for (int i = 0; i < kept; i++) out[chosen[i]] = values[chosen[i]];
    }
}
