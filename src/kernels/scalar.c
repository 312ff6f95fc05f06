#include <string.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "kernels/scalar.h"
#include "kernels/top.h"

/// The definition of every kernel: plain loops, in the order of operations that every other level keeps.

#define X(name, parameters) void sac_##name##_scalar parameters;
SAC_KERNEL_LIST(X)
#undef X

// Reads the int16 weight of a byte from the packed order.
static int32_t packed_weight(const int32_t *packed, const sac_patches *p, int output, int row, int byte)
{
    int pairs = (p->patch * p->channels + 3) / 4 * 2, pair = byte / 4 * 2 + byte % 2;
    int at =
        ((output / SAC_PROJECT_BLOCK * p->patch + row) * pairs + pair) * SAC_PROJECT_BLOCK + output % SAC_PROJECT_BLOCK;
    return (int16_t)((uint32_t)packed[at] >> (byte % 4 / 2 * 16));
}

// The innermost loop runs over the columns of the grid, so that a row of patches is summed side by side, as the vector
// levels do it. The sums are whole numbers, so their order does not matter to the result.
void sac_project_bytes_scalar(int32_t *out, int out_stride, const uint8_t *image, const int32_t *packed,
                              const sac_patches *p, void *scratch)
{
    (void)scratch;
    size_t step = (size_t)(p->stride * p->channels);
    for (int o = 0; o < p->outputs; o++)
        for (int y = 0; y < p->rows; y++)
        {
            int32_t *sums = out + (size_t)o * (size_t)out_stride + (size_t)(y * p->columns);
            for (int x = 0; x < p->columns; x++) sums[x] = 0;
            for (int row = 0; row < p->patch; row++)
                for (int byte = 0; byte < p->patch * p->channels; byte++)
                {
                    int32_t weight = packed_weight(packed, p, o, row, byte);
                    const uint8_t *pixel = image + (y * p->stride + row) * p->pitch + byte;
                    for (int x = 0; x < p->columns; x++) sums[x] += weight * pixel[(size_t)x * step];
                }
        }
}

// The same in floats, where the order matters: every patch adds its numbers row by row, each product fused into the
// sum.
void sac_project_floats_scalar(float *out, int out_stride, const float *image, const float *weights,
                               const sac_patches *p, void *scratch)
{
    (void)scratch;
    size_t step = (size_t)(p->stride * p->channels);
    for (int o = 0; o < p->outputs; o++)
        for (int y = 0; y < p->rows; y++)
        {
            const float *w = weights + (size_t)o * (size_t)sac_patch_size(p);
            float *sums = out + (size_t)o * (size_t)out_stride + (size_t)(y * p->columns);
            for (int x = 0; x < p->columns; x++) sums[x] = 0;
            for (int row = 0; row < p->patch; row++)
                for (int i = 0; i < p->patch * p->channels; i++, w++)
                {
                    const float *pixel = image + (y * p->stride + row) * p->pitch + i;
                    for (int x = 0; x < p->columns; x++) sums[x] = fmaf(*w, pixel[(size_t)x * step], sums[x]);
                }
        }
}

// Turns the whole numbers of project_bytes back into floats: scale is the step that the weights were rounded by.
void sac_rescale_scalar(float *out, const int32_t *in, float scale, float bias, int count)
{
    for (int i = 0; i < count; i++) out[i] = (float)in[i] * scale + bias;
}

// Columns with equal bits get equal hashes; distinct.c compares the columns that share one.
void sac_hash_columns_scalar(uint32_t *hash, const float *queries, const float *keys, int size, int n, int stride)
{
    for (int i = 0; i < n; i++) hash[i] = 0;
    for (int d = 0; d < size; d++)
        for (int i = 0; i < n; i++)
            hash[i] = sac_hash_step(sac_hash_step(hash[i], queries[d * stride + i]), keys[d * stride + i]);
}

// Neighbouring patches are equal wherever the picture is flat, so that one pass finds most of the copies.
void sac_compare_columns_scalar(uint32_t *changes, const float *queries, const float *keys, int size, int n, int stride)
{
    for (int i = 0; i < n; i++) changes[i] = i == 0;
    for (int d = 0; d < size; d++)
        for (int i = 1; i < n; i++)
            changes[i] |= sac_differing_bits(queries[d * stride + i], queries[d * stride + i - 1]) |
                          sac_differing_bits(keys[d * stride + i], keys[d * stride + i - 1]);
}

// A step of torch.nn.LSTMCell: (i, f, g, o) = W_ih x + b_ih + W_hh h + b_hh, c' = sigmoid(f) c + sigmoid(i) tanh(g),
// h' = sigmoid(o) tanh(c'). Every unit reads the whole old h, so the new one is collected in scratch first.
void sac_lstm_step_scalar(float *h, float *c, const float *x, const float *packed, int inputs, int hidden,
                          float *scratch)
{
    const int rows = 1 + inputs + hidden;
    for (int unit = 0; unit < hidden; unit++)
    {
        const float *w = packed + (size_t)(unit / SAC_LANES * rows) * 4 * SAC_LANES + unit % SAC_LANES;
        float gates[4];
        for (int gate = 0; gate < 4; gate++)
        {
            float sum = w[gate * SAC_LANES];
            // inputs first, then the memory of the step before: one chain of fmaf
            for (int r = 1; r < rows; r++)
                sum = fmaf(w[(r * 4 + gate) * SAC_LANES], r <= inputs ? x[r - 1] : h[r - 1 - inputs], sum);
            gates[gate] = sum;
        }
        // (Hochreiter and Schmidhuber 1997, with the forget gates of Gers et al. 2000)
        float in = sac_sigmoid(gates[0]), forget = sac_sigmoid(gates[1]), cell = sac_tanh(gates[2]);
        c[unit] = fmaf(forget, c[unit], in * cell);
        scratch[unit] = sac_sigmoid(gates[3]) * sac_tanh(c[unit]);
    }
    for (int unit = 0; unit < hidden; unit++) h[unit] = scratch[unit];
}

// Input i is added to partial sum i % SAC_LANES: one vector of partial sums on every level.
void sac_dense_scalar(float *out, const float *weights, const float *bias, const float *x, int outputs, int inputs)
{
    for (int o = 0; o < outputs; o++)
    {
        float lanes[SAC_LANES] = {0};
        for (int i = 0; i < inputs; i++)
            lanes[i % SAC_LANES] = fmaf(weights[(size_t)o * (size_t)inputs + (size_t)i], x[i], lanes[i % SAC_LANES]);
        out[o] = sum_lanes(lanes) + bias[o];
    }
}

// The first product starts the sum instead of being added to zero: it is the one rounding that a multiplication has.
void sac_mix_scalar(float *out, int out_stride, const float *weights, int weight_stride, int rows, const float *x,
                    int size, int n, int stride)
{
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < n; j++)
        {
            const float *w = weights + (size_t)r * (size_t)weight_stride;
            float sum = w[0] * x[j];
            for (int m = 1; m < size; m++) sum = fmaf(w[m], x[(size_t)m * (size_t)stride + (size_t)j], sum);
            out[(size_t)r * (size_t)out_stride + (size_t)j] = sum;
        }
}

// The products of one row with one plane, in lanes.
static void carry_one(float lanes[SAC_LANES], const float *a, const float *b, int n)
{
    for (int j = 0; j < n; j++) lanes[j % SAC_LANES] = fmaf(a ? a[j] : 1.0f, b[j], lanes[j % SAC_LANES]);
}

// sums += a b^T, a sum over the columns, which is why it runs in lanes; without `a` the rows of b are summed.
void sac_contract_scalar(float *sums, int sums_stride, const float *a, int a_stride, int rows, const float *b, int size,
                         int n, int stride)
{
    for (int r = 0; r < rows; r++)
        for (int m = 0; m < size; m++)
        {
            float lanes[SAC_LANES] = {0};
            carry_one(lanes, a ? a + (size_t)r * (size_t)a_stride : NULL, b + (size_t)m * (size_t)stride, n);
            sums[(size_t)r * (size_t)sums_stride + (size_t)m] += sum_lanes(lanes);
        }
}

// The lanes of contract's sums before they are added up.
void sac_carry_scalar(float *carried, const float *a, int a_stride, int rows, const float *b, int size, int n,
                      int stride)
{
    for (int r = 0; r < rows; r++)
        for (int m = 0; m < size; m++, carried += SAC_LANES)
            carry_one(carried, a + (size_t)r * (size_t)a_stride, b + (size_t)m * (size_t)stride, n);
}

// Bit b tells on which side of the b-th random plane a column lies (SimHash: Charikar 2002, "Similarity Estimation
// Techniques from Rounding Algorithms"). The word is cleared where its first bit is written.
void sac_sign_bits_scalar(uint32_t *bits, int bits_stride, const float *matrix, int bit_count, const float *x, int size,
                          int n, int stride)
{
    for (int j = 0; j < n; j++)
        for (int b = 0; b < bit_count; b++)
        {
            uint32_t *word = bits + (size_t)(b / 32) * (size_t)bits_stride + (size_t)j;
            const float *w = matrix + (size_t)b * (size_t)size;
            float sum = w[0] * x[j];
            for (int m = 1; m < size; m++) sum = fmaf(w[m], x[(size_t)m * (size_t)stride + (size_t)j], sum);
            *word = (b % 32 ? *word : 0) | (uint32_t)(sum >= 0) << b % 32;
        }
}

// The number of differing bits is proportional to the angle between two columns, on average. x & (x - 1) clears the
// lowest bit that is set, so the loop runs once for each of them.
void sac_hamming_scalar(int32_t *distances, const uint32_t *bits, int bits_stride, const uint32_t *query, int words,
                        int n)
{
    for (int j = 0; j < n; j++)
    {
        distances[j] = 0;
        for (int w = 0; w < words; w++)
            for (uint32_t rest = bits[(size_t)w * (size_t)bits_stride + (size_t)j] ^ query[w]; rest; rest &= rest - 1)
                distances[j]++;
    }
}

void sac_exp_scalar(float *out, const float *in, int count)
{
    for (int i = 0; i < count; i++) out[i] = sac_exp(in[i]);
}

void sac_exp2_scalar(float *out, const float *in, int count)
{
    for (int i = 0; i < count; i++) out[i] = sac_exp2(in[i]);
}

void sac_sin_cos_scalar(float *sine, float *cosine, const float *turns, int count)
{
    for (int i = 0; i < count; i++) sac_sin_cos(turns[i], &sine[i], &cosine[i]);
}

void sac_sigmoid_scalar(float *out, const float *in, int count)
{
    for (int i = 0; i < count; i++) out[i] = sac_sigmoid(in[i]);
}

void sac_tanh_scalar(float *out, const float *in, int count)
{
    for (int i = 0; i < count; i++) out[i] = sac_tanh(in[i]);
}

void sac_top_scalar(int *top, int k, const float *values, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) kept = sac_top_offer(top, kept, k, values, i);
}
