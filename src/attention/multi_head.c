#include "saccade/multi_head.h"
#include "attention/form.h"

/// Several heads: each computes the same from other rows.

size_t sac_multi_head_workspace_size(const sac_multi_head *multi, int token_count, int value_size)
{
    size_t most = 0;
    for (int h = 0; h < multi->count; h++)
    {
        size_t importance = sac_attention_workspace_size(multi->heads[h], token_count);
        size_t output = sac_attention_output_workspace_size(multi->heads[h], token_count, value_size);
        size_t size = importance > output ? importance : output;
        most = size > most ? size : most;
    }
    sac_workspace own = {0};
    sac_take(&own, (size_t)sac_round_up(token_count), sizeof(float));
    sac_take(&own, most, 1);
    return own.used;
}

static size_t rows_of(const sac_multi_head *multi, int head)
{
    return (size_t)head * (size_t)multi->heads[0]->key_size;
}

void sac_multi_head_importance(const sac_multi_head *multi, float *importance, const float *queries, const float *keys,
                               int token_count, int stride, void *workspace)
{
    sac_workspace own = {.memory = workspace};
    float *one = sac_take(&own, (size_t)sac_round_up(token_count), sizeof(float));
    void *rest = own.memory + own.used;
    for (int j = 0; j < token_count; j++) importance[j] = 0;
    for (int h = 0; h < multi->count; h++)
    {
        size_t at = rows_of(multi, h) * (size_t)stride;
        sac_attention_importance(multi->heads[h], one, queries + at, keys + at, token_count, stride, rest);
        for (int j = 0; j < token_count; j++) importance[j] += one[j];
    }
    for (int j = 0; j < token_count; j++) importance[j] /= (float)multi->count;
}

void sac_multi_head_output(const sac_multi_head *multi, float *out, int out_stride, const float *queries,
                           const float *keys, const float *values, int value_size, int token_count, int stride,
                           void *workspace)
{
    for (int h = 0; h < multi->count; h++)
    {
        size_t at = rows_of(multi, h) * (size_t)stride, row = (size_t)h * (size_t)value_size;
        sac_attention_output(multi->heads[h], out + row * (size_t)out_stride, out_stride, queries + at, token_count,
                             stride, keys + at, values + row * (size_t)stride, token_count, stride, value_size,
                             workspace);
    }
}

void sac_linear(float *out, int out_stride, const float *weights, const float *bias, int outputs, const float *x,
                int inputs, int token_count, int stride)
{
    sac_kernels kernels = sac_kernels_create(sac_get_cpu_level());
    kernels.mix(out, out_stride, weights, inputs, outputs, x, inputs, token_count, stride);
    for (int o = 0; bias && o < outputs; o++)
        for (int i = 0; i < token_count; i++) out[(size_t)o * (size_t)out_stride + (size_t)i] += bias[o];
}
