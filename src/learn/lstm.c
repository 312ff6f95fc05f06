#include <string.h>

#include "learn/layer.h"

/// An LSTM over a segment: gates [T, B, 4 H] = x W_ih^T + h W_hh^T + b, in the order i f g o;
/// c' = f c + i g, h' = o tanh(c'). The segment's gradient is cut off at its ends (truncated back-propagation).

// Forward keeps: activated gates [T, B, 4 H]; x and h before each step, side by side, so that one product takes
// both, and h after the last [T + 1, B, I + H]; c before each step and after the last [T + 1, B, H]; tanh(c) after each
// step [T, B, H]
typedef struct memory
{
    float *gates, *told, *cell, *tanh_cell;
} memory;

static memory memory_of(const sac_lstm *s, float *kept)
{
    const size_t state = (size_t)s->sequences * (size_t)s->hidden, part = (size_t)s->steps * state;
    float *told = kept + 4 * part;
    float *cell = told + (size_t)(s->steps + 1) * (size_t)s->sequences * (size_t)(s->inputs + s->hidden);
    return (memory){kept, told, cell, cell + part + state};
}

#define PART static inline __attribute__((always_inline))

// `count` units of one sequence's step: gates, `size` apart, are activated in place
PART void part_activate(float *gates, int size, int count)
{
    float *restrict in = gates, *restrict forget = gates + size, *restrict new = gates + 2 * size;
    float *restrict out = gates + 3 * size;
    for (int j = 0; j < count; j++)
    {
        in[j] = sac_sigmoid(in[j]);
        forget[j] = sac_sigmoid(forget[j]);
        new[j] = sac_tanh(new[j]);
        out[j] = sac_sigmoid(out[j]);
    }
}

// likewise, from the activated gates
PART void part_forward(const float *restrict gates, float *restrict hidden, float *restrict kept, float *restrict cell,
                       float *restrict tanh_cell, const float *restrict before, int size, int count)
{
    const float *in = gates, *forget = gates + size, *new = gates + 2 * size, *out = gates + 3 * size;
    for (int j = 0; j < count; j++)
    {
        cell[j] = fmaf(forget[j], before[j], in[j] * new[j]);
        tanh_cell[j] = sac_tanh(cell[j]);
        hidden[j] = kept[j] = out[j] * tanh_cell[j];
    }
}

// The gates are overwritten by their gradients, and dcell by the gradient with respect to the cell before the step.
PART void part_backward(float *restrict gates, float *restrict dcell, const float *restrict dout,
                        const float *restrict dhidden, const float *restrict tanh_cell, const float *restrict before,
                        int size, int count)
{
    float *restrict in = gates, *restrict forget = gates + size, *restrict new = gates + 2 * size;
    float *restrict out = gates + 3 * size;
    for (int j = 0; j < count; j++)
    {
        float i = in[j], f = forget[j], g = new[j], o = out[j], t = tanh_cell[j], dh = dout[j] + dhidden[j];
        // h' = o tanh(c')
        float dc = fmaf(dh * o, fmaf(-t, t, 1.0f), dcell[j]);
        out[j] = dh * t * (o * (1.0f - o));
        // c' = f c + i g
        in[j] = dc * g * (i * (1.0f - i));
        forget[j] = dc * before[j] * (f * (1.0f - f));
        new[j] = dc *i *fmaf(-g, g, 1.0f);
        dcell[j] = dc * f;
    }
}

// all sequences, whole vectors of units at a time
static void step_activate(float *gates, int sequences, int size)
{
    for (int b = 0; b < sequences; b++, gates += 3 * size)
    {
        int left = size;
        for (; left >= SAC_LANES; left -= SAC_LANES, gates += SAC_LANES) part_activate(gates, size, SAC_LANES);
        if (left) part_activate(gates, size, left);
        gates += left;
    }
}

// State and output follow from the gates in a loop of their own, so that no sequence waits for another one's gates.
// Rows of `kept` are `told` apart.
static void step_forward(const float *gates, float *hidden, float *kept, float *cell, float *tanh_cell,
                         const float *before, int sequences, int size, int told)
{
    for (int b = 0; b < sequences; b++, gates += 3 * size, kept += told - size)
    {
        int left = size;
        for (; left >= SAC_LANES; left -= SAC_LANES)
        {
            part_forward(gates, hidden, kept, cell, tanh_cell, before, size, SAC_LANES);
            gates += SAC_LANES, hidden += SAC_LANES, kept += SAC_LANES, cell += SAC_LANES;
            tanh_cell += SAC_LANES, before += SAC_LANES;
        }
        if (left) part_forward(gates, hidden, kept, cell, tanh_cell, before, size, left);
        gates += left, hidden += left, kept += left, cell += left, tanh_cell += left, before += left;
    }
}

static void step_backward(float *gates, float *dcell, const float *dout, const float *dhidden, const float *tanh_cell,
                          const float *before, int sequences, int size)
{
    for (int b = 0; b < sequences; b++, gates += 3 * size)
    {
        int left = size;
        for (; left >= SAC_LANES; left -= SAC_LANES)
        {
            part_backward(gates, dcell, dout, dhidden, tanh_cell, before, size, SAC_LANES);
            gates += SAC_LANES, dcell += SAC_LANES, dout += SAC_LANES, dhidden += SAC_LANES;
            tanh_cell += SAC_LANES, before += SAC_LANES;
        }
        if (left) part_backward(gates, dcell, dout, dhidden, tanh_cell, before, size, left);
        gates += left, dcell += left, dout += left, dhidden += left, tanh_cell += left, before += left;
    }
}

// zeros where a sequence begins anew; rows are `step` apart
static void forget_rows(float *state, const uint8_t *starts, int rows, int size, int step)
{
    for (int b = 0; b < rows; b++)
        if (starts[b]) memset(state + (size_t)b * (size_t)step, 0, (size_t)size * sizeof *state);
}

static void copy_rows(float *to, int to_step, const float *from, int from_step, int rows, int size)
{
    for (int b = 0; b < rows; b++, to += to_step, from += from_step) memcpy(to, from, (size_t)size * sizeof *to);
}

static void turn(float *to, const float *from, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

// out [B, columns] = a [B, inner] b [inner, columns] + bias
static void step_product(const sac_learn *l, float *out, const float *a, const float *b, int rows, int inner,
                         int columns, const float *bias)
{
    layer_gemm(l, (sac_gemm){.rows = rows,
                             .columns = columns,
                             .inner = inner,
                             .a = a,
                             .a_row = inner,
                             .a_column = 1,
                             .b = b,
                             .b_row = columns,
                             .b_column = 1,
                             .out = out,
                             .out_row = columns,
                             .bias = bias});
}

// turned [I + H, 4 H] += told [B, I + H]^T dgates [B, 4 H]: the gradient with respect to the weights, turned, so that
// its columns fill vectors
static void add_weights(const sac_learn *l, float *turned, const float *dgates, const float *told, int rows, int inputs,
                        int gates)
{
    layer_gemm(l, (sac_gemm){.rows = inputs,
                             .columns = gates,
                             .inner = rows,
                             .a = told,
                             .a_row = 1,
                             .a_column = inputs,
                             .b = dgates,
                             .b_row = gates,
                             .b_column = 1,
                             .out = turned,
                             .out_row = gates,
                             .add = true});
}

// Everything that a step needs is done while its gates, [B, 4 H], are in the first cache.

void LAYER(lstm_forward)(const sac_learn *l, const sac_lstm *s, float *out, float *hidden, float *cell, float *kept,
                         const float *x, const uint8_t *starts, const sac_lstm_weights *weights, float *workspace)
{
    const int h = s->hidden, inputs = s->inputs, b = s->sequences, told = inputs + h;
    const ptrdiff_t state = (ptrdiff_t)b * h;
    float *turned = workspace, *bias = turned + 4 * h * told;
    memory m = memory_of(s, kept);
    turn(turned, weights->weight_ih, 4 * h, inputs);
    turn(turned + 4 * h * inputs, weights->weight_hh, 4 * h, h);
    for (int j = 0; j < 4 * h; j++) bias[j] = weights->bias_ih[j] + weights->bias_hh[j];
    copy_rows(m.told + inputs, told, hidden, h, b, h);
    memcpy(m.cell, cell, (size_t)state * sizeof *cell);
    for (int t = 0; t < s->steps; t++)
    {
        float *gates = m.gates + t * 4 * state, *before_c = m.cell + t * state;
        float *before = m.told + (ptrdiff_t)t * b * told, *after = before + (ptrdiff_t)b * told;
        copy_rows(before, told, x + (ptrdiff_t)t * b * inputs, inputs, b, inputs);
        if (starts) forget_rows(before + inputs, starts + t * b, b, h, told);
        if (starts) forget_rows(before_c, starts + t * b, b, h, h);
        step_product(l, gates, before, turned, b, told, 4 * h, bias);
        step_activate(gates, b, h);
        step_forward(gates, out + t * state, after + inputs, before_c + state, m.tanh_cell + t * state, before_c, b, h,
                     told);
    }
    copy_rows(hidden, h, m.told + (ptrdiff_t)s->steps * b * told + inputs, told, b, h);
    memcpy(cell, m.cell + s->steps * state, (size_t)state * sizeof *cell);
}

void LAYER(lstm_backward)(const sac_learn *l, const sac_lstm *s, float *dx, float *dhidden, float *dcell,
                          const sac_lstm_gradients *gradients, const float *dout, float *kept, const uint8_t *starts,
                          const sac_lstm_weights *weights, float *workspace)
{
    const int h = s->hidden, inputs = s->inputs, b = s->sequences, told = inputs + h;
    const ptrdiff_t state = (ptrdiff_t)b * h;
    float *turned = workspace, *turned_hh = turned + 4 * h * inputs, *bias = turned + 4 * h * told;
    memory m = memory_of(s, kept);
    turn(turned, gradients->weight_ih, 4 * h, inputs);
    turn(turned_hh, gradients->weight_hh, 4 * h, h);
    memset(bias, 0, 4 * (size_t)h * sizeof *bias);
    for (int t = s->steps - 1; t >= 0; t--)
    {
        // the gates become their gradients: gates = x W_ih^T + h W_hh^T + b_ih + b_hh
        float *gates = m.gates + t * 4 * state;
        step_backward(gates, dcell, dout + t * state, dhidden, m.tanh_cell + t * state, m.cell + t * state, b, h);
        step_product(l, dhidden, gates, weights->weight_hh, b, 4 * h, h, NULL);
        if (starts) forget_rows(dhidden, starts + t * b, b, h, h);
        if (starts) forget_rows(dcell, starts + t * b, b, h, h);
        if (dx) step_product(l, dx + (ptrdiff_t)t * b * inputs, gates, weights->weight_ih, b, 4 * h, inputs, NULL);
        add_weights(l, turned, gates, m.told + (ptrdiff_t)t * b * told, b, told, 4 * h);
        add_columns(bias, gates, b, 4 * h);
    }
    turn(gradients->weight_ih, turned, inputs, 4 * h);
    turn(gradients->weight_hh, turned_hh, h, 4 * h);
    LAYER(add)(l, gradients->bias_ih, bias, 4 * (size_t)h);
    LAYER(add)(l, gradients->bias_hh, bias, 4 * (size_t)h);
}
