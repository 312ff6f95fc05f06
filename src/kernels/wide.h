#pragma once

#include "kernels/kernels.h"
#include "kernels/top.h"
#include "kernels/wide_elementary.h"

/// The float kernels over `lanes`; wide_elementary.h says what a level file defines first. Each function keeps the
/// operations and the order of its namesake in scalar.c.

#define WIDE_ARRAY(name)                                                                                      \
    static void array_##name(float *out, const float *in, int count)                                          \
    {                                                                                                         \
        int i = 0;                                                                                            \
        for (; i + SAC_LANES <= count; i += SAC_LANES) lanes_store(out + i, wide_##name(lanes_load(in + i))); \
        if (i < count) lanes_store_part(out + i, wide_##name(lanes_load_part(in + i, count - i)), count - i); \
    }

WIDE_ARRAY(exp)
WIDE_ARRAY(exp2)
WIDE_ARRAY(sigmoid)
WIDE_ARRAY(tanh)

// The angle is split into whole quarter turns n and a rest f of at most half of one; two polynomials give the sine and
// the cosine of the rest, and n decides which of them, with which sign, is the sine of the whole.
WIDE void wide_sin_cos(lanes t, lanes *sine, lanes *cosine)
{
    t = lanes_min(lanes_set(SAC_TURN_MAX), lanes_max(lanes_set(-SAC_TURN_MAX), t));
    lanes n = lanes_round(t), f = lanes_sub(t, n), y = lanes_mul(f, f);
    lanes s = lanes_fma(lanes_set(SAC_SIN_C3), y, lanes_set(SAC_SIN_C2));
    s = lanes_fma(s, y, lanes_set(SAC_SIN_C1));
    s = lanes_mul(lanes_fma(s, y, lanes_set(SAC_SIN_C0)), f);
    lanes c = lanes_fma(lanes_set(SAC_COS_C4), y, lanes_set(SAC_COS_C3));
    c = lanes_fma(c, y, lanes_set(SAC_COS_C2));
    c = lanes_fma(c, y, lanes_set(SAC_COS_C1));
    c = lanes_fma(c, y, lanes_set(1.0f));
    lanes_quarter(lanes_add(n, lanes_set(LANES_MAGIC)), s, c, sine, cosine);
}

static void array_sin_cos(float *sine, float *cosine, const float *turns, int count)
{
    for (int i = 0; i < count; i += SAC_LANES)
    {
        int left = count - i;
        lanes s, c;
        wide_sin_cos(load_tokens(turns + i, left), &s, &c);
        store_tokens(sine + i, s, left);
        store_tokens(cosine + i, c, left);
    }
}

static void wide_rescale(float *out, const int32_t *in, float scale, float bias, int count)
{
    lanes factor = lanes_set(scale), offset = lanes_set(bias);
    int i = 0;
    for (; i + SAC_LANES <= count; i += SAC_LANES)
        lanes_store(out + i, lanes_add(lanes_mul(lanes_from_words(words_load(in + i)), factor), offset));
    for (; i < count; i++) out[i] = (float)in[i] * scale + bias;
}

// 16 units at a time; the packed weights lie in the order in which this loop reads them.
static void wide_lstm_step(float *h, float *c, const float *x, const float *packed, int inputs, int hidden,
                           float *scratch)
{
    const int rows = 1 + inputs + hidden;
    for (int unit = 0; unit < hidden; unit += SAC_LANES)
    {
        const float *w = packed + (size_t)(unit / SAC_LANES * rows) * 4 * SAC_LANES;
        lanes gates[4];
        // the bias starts the sums of the four gates of 16 units
        for (int gate = 0; gate < 4; gate++) gates[gate] = lanes_load(w + gate * SAC_LANES);
        for (int r = 1; r < rows; r++)
        {
            // first the inputs, then the memory of the step before, each against all units
            lanes value = lanes_set(r <= inputs ? x[r - 1] : h[r - 1 - inputs]);
            for (int gate = 0; gate < 4; gate++)
                gates[gate] = lanes_fma(lanes_load(w + (r * 4 + gate) * SAC_LANES), value, gates[gate]);
        }
        int left = hidden - unit;
        lanes cell = load_tokens(c + unit, left);
        // c = forget c + in tanh(g), h = out tanh(c) (Hochreiter and Schmidhuber 1997, with forget gates)
        lanes in = wide_sigmoid(gates[0]), forget = wide_sigmoid(gates[1]);
        cell = lanes_fma(forget, cell, lanes_mul(in, wide_tanh(gates[2])));
        lanes_store(scratch + unit, lanes_mul(wide_sigmoid(gates[3]), wide_tanh(cell)));
        if (left >= SAC_LANES)
            lanes_store(c + unit, cell);
        else
            lanes_store_part(c + unit, cell, left);
    }
    // only now, because every unit reads the whole old memory
    for (int unit = 0; unit < hidden; unit++) h[unit] = scratch[unit];
}

// Sixteen products side by side, whose lanes are added up for each output.
static void wide_dense(float *out, const float *weights, const float *bias, const float *x, int outputs, int inputs)
{
    for (int o = 0; o < outputs; o++)
    {
        const float *w = weights + (size_t)o * (size_t)inputs;
        lanes sum = lanes_set(0.0f);
        int i = 0;
        for (; i + SAC_LANES <= inputs; i += SAC_LANES) sum = lanes_fma(lanes_load(w + i), lanes_load(x + i), sum);
        if (i < inputs) sum = lanes_fma(lanes_load_part(w + i, inputs - i), lanes_load_part(x + i, inputs - i), sum);
        out[o] = lanes_sum(sum) + bias[o];
    }
}

// A value that beats the last kept one is rare, so that whole vectors are dismissed by one comparison. A last kept
// value that is NaN is beaten by every number, and by nothing that a comparison would see.
static void wide_top(int *top, int k, const float *values, int n)
{
    int kept = 0, i = 0;
    for (; i < n && kept < k; i++) kept = sac_top_offer(top, kept, k, values, i);
    // From here on few values beat the last kept one.
    while (i < n)
    {
        // the lanes whose value is larger than the last kept one; where that is NaN, all lanes
        float last = values[top[k - 1]];
        int left = n - i;
        uint32_t better =
            mask_bits(lanes_less(lanes_set(isnan(last) ? -INFINITY : last), load_tokens(values + i, left)));
        if (isnan(last)) better = 0xffff;
        for (better &= left < SAC_LANES ? (1u << left) - 1 : 0xffff; better; better &= better - 1)
            kept = sac_top_offer(top, kept, k, values, i + __builtin_ctz(better));
        i += SAC_LANES;
    }
}

// planes[(row * row_size + i) * pitch + x]: number i of the row-th row of the patch in grid column x
// The floats of one row of the image, sorted by their place inside a patch, so that the same place in neighbouring
// patches is read as one vector. The planes are a ring of as many rows as a patch has.
static void unfold_row(float *planes, const float *image, const sac_patches *p, int pitch, int y)
{
    int row_size = p->patch * p->channels, step = p->stride * p->channels;
    const float *line = image + y * p->pitch;
    float *slot = planes + (size_t)(y % p->patch) * (size_t)row_size * (size_t)pitch;
    for (int i = 0; i < row_size; i++)
        for (int x = 0; x < p->columns; x++) slot[(size_t)i * (size_t)pitch + (size_t)x] = line[x * step + i];
}

// 16 patches times `outputs` outputs, at most 4, which is as many sums as every level has registers for.
WIDE void project_floats_tile(float *out, int out_stride, const float *planes, const float *weights,
                              const sac_patches *p, int pitch, int y, int outputs, int columns)
{
    enum
    {
        MOST = 4
    };
    int row_size = p->patch * p->channels, size = sac_patch_size(p);
    lanes sum[MOST];
    for (int o = 0; o < outputs; o++) sum[o] = lanes_set(0.0f);
    for (int row = 0; row < p->patch; row++)
    {
        const float *slot = planes + (size_t)((y + row) % p->patch) * (size_t)row_size * (size_t)pitch;
        for (int i = 0; i < row_size; i++)
        {
            lanes value = lanes_load(slot + (size_t)i * (size_t)pitch);
            for (int o = 0; o < outputs; o++)
                sum[o] = lanes_fma(lanes_set(weights[o * size + row * row_size + i]), value, sum[o]);
        }
    }
    for (int o = 0; o < outputs; o++)
        if (columns >= SAC_LANES)
            lanes_store(out + o * out_stride, sum[o]);
        else
            lanes_store_part(out + o * out_stride, sum[o], columns);
}

static void wide_project_floats(float *out, int out_stride, const float *image, const float *weights,
                                const sac_patches *p, void *scratch)
{
    float *planes = scratch;
    int pitch = p->columns + SAC_LANES, size = sac_patch_size(p), ready = 0;
    for (int row = 0; row < p->rows; row++)
    {
        int y = row * p->stride;
        if (ready < y) ready = y;
        for (; ready < y + p->patch; ready++) unfold_row(planes, image, p, pitch, ready);
        for (int x = 0; x < p->columns; x += SAC_LANES)
        {
            float *at = out + (size_t)row * (size_t)p->columns + x;
            int o = 0, left = p->columns - x;
            for (; o + 4 <= p->outputs; o += 4)
                project_floats_tile(at + (size_t)o * (size_t)out_stride, out_stride, planes + x,
                                    weights + (size_t)o * (size_t)size, p, pitch, y, 4, left);
            for (; o < p->outputs; o++)
                project_floats_tile(at + (size_t)o * (size_t)out_stride, out_stride, planes + x,
                                    weights + (size_t)o * (size_t)size, p, pitch, y, 1, left);
        }
    }
}

static void wide_add(sac_kernels *k)
{
    k->project_floats = wide_project_floats;
    k->rescale = wide_rescale;
    k->lstm_step = wide_lstm_step;
    k->dense = wide_dense;
    k->sin_cos = array_sin_cos;
    k->exp = array_exp;
    k->exp2 = array_exp2;
    k->sigmoid = array_sigmoid;
    k->tanh = array_tanh;
    k->top = wide_top;
}
