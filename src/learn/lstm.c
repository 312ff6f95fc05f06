#include <string.h>

#include "learn/layer.h"

/// An LSTM over a segment: gates [T, B, 4 H] = x W_ih^T + h W_hh^T + b, in the order i f g o;
/// c' = f c + i g, h' = o tanh(c'). The segment's gradient is cut off at its ends (truncated back-propagation).

// what forward keeps: activated gates [T, B, 4 H]; h and c before each step and after the last [T + 1, B, H]; tanh(c)
// after each step [T, B, H]
typedef struct memory
{
    float *gates, *hidden, *cell, *tanh_cell;
} memory;

static memory memory_of(const sac_lstm *s, float *kept)
{
    const size_t state = (size_t)s->sequences * (size_t)s->hidden, part = (size_t)s->steps * state;
    float *hidden = kept + 4 * part, *cell = hidden + part + state;
    return (memory){kept, hidden, cell, cell + part + state};
}

#define PART static inline __attribute__((always_inline))

// `count` units of one sequence's step: gates, `size` apart, are activated in place
PART void part_forward(float *restrict gates, float *restrict hidden, float *restrict kept, float *restrict cell,
                       float *restrict tanh_cell, const float *restrict before, int size, int count)
{
    float *restrict in = gates, *restrict forget = gates + size, *restrict new = gates + 2 * size;
    float *restrict out = gates + 3 * size;
    for (int j = 0; j < count; j++)
    {
        in[j] = sac_sigmoid(in[j]);
        forget[j] = sac_sigmoid(forget[j]);
        new[j] = sac_tanh(new[j]);
        out[j] = sac_sigmoid(out[j]);
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
static void step_forward(float *gates, float *hidden, float *kept, float *cell, float *tanh_cell, const float *before,
                         int sequences, int size)
{
    for (int b = 0; b < sequences; b++, gates += 3 * size)
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

// zeros where a sequence begins anew
static void forget_rows(float *state, const uint8_t *starts, int rows, int size)
{
    for (int b = 0; b < rows; b++)
        if (starts[b]) memset(state + (size_t)b * (size_t)size, 0, (size_t)size * sizeof *state);
}

static void turn(float *to, const float *from, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

// out [B, columns] = or += a [B, inner] b [inner, columns], from `bias` where it is not added
static void step_product(const sac_learn *l, float *out, const float *a, const float *b, int rows, int inner,
                         int columns, const float *bias, bool add)
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
                             .add = add,
                             .bias = bias});
}

// turned [I, 4 H] += x [B, I]^T dgates [B, 4 H]: the gradient with respect to the weights, turned, so that its columns
// fill vectors
static void add_weights(const sac_learn *l, float *turned, const float *dgates, const float *x, int rows, int inputs,
                        int gates)
{
    layer_gemm(l, (sac_gemm){.rows = inputs,
                             .columns = gates,
                             .inner = rows,
                             .a = x,
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
    const int h = s->hidden, inputs = s->inputs, b = s->sequences;
    const ptrdiff_t state = (ptrdiff_t)b * h;
    float *turned_ih = workspace, *turned_hh = turned_ih + 4 * h * inputs, *bias = turned_hh + 4 * h * h;
    memory m = memory_of(s, kept);
    turn(turned_ih, weights->weight_ih, 4 * h, inputs);
    turn(turned_hh, weights->weight_hh, 4 * h, h);
    for (int j = 0; j < 4 * h; j++) bias[j] = weights->bias_ih[j] + weights->bias_hh[j];
    memcpy(m.hidden, hidden, (size_t)state * sizeof *hidden);
    memcpy(m.cell, cell, (size_t)state * sizeof *cell);
    for (int t = 0; t < s->steps; t++)
    {
        float *gates = m.gates + t * 4 * state, *before_h = m.hidden + t * state, *before_c = m.cell + t * state;
        if (starts) forget_rows(before_h, starts + t * b, b, h);
        if (starts) forget_rows(before_c, starts + t * b, b, h);
        step_product(l, gates, x + (ptrdiff_t)t * b * inputs, turned_ih, b, inputs, 4 * h, bias, false);
        step_product(l, gates, before_h, turned_hh, b, h, 4 * h, NULL, true);
        step_forward(gates, out + t * state, before_h + state, before_c + state, m.tanh_cell + t * state, before_c, b,
                     h);
    }
    memcpy(hidden, m.hidden + s->steps * state, (size_t)state * sizeof *hidden);
    memcpy(cell, m.cell + s->steps * state, (size_t)state * sizeof *cell);
}

void LAYER(lstm_backward)(const sac_learn *l, const sac_lstm *s, float *dx, float *dhidden, float *dcell,
                          const sac_lstm_gradients *gradients, const float *dout, float *kept, const float *x,
                          const uint8_t *starts, const sac_lstm_weights *weights, float *workspace)
{
    const int h = s->hidden, inputs = s->inputs, b = s->sequences;
    const ptrdiff_t state = (ptrdiff_t)b * h;
    float *turned_ih = workspace, *turned_hh = turned_ih + 4 * h * inputs, *bias = turned_hh + 4 * h * h;
    memory m = memory_of(s, kept);
    turn(turned_ih, gradients->weight_ih, 4 * h, inputs);
    turn(turned_hh, gradients->weight_hh, 4 * h, h);
    memset(bias, 0, 4 * (size_t)h * sizeof *bias);
    for (int t = s->steps - 1; t >= 0; t--)
    {
        // the gates become their gradients: gates = x W_ih^T + h W_hh^T + b_ih + b_hh
        float *gates = m.gates + t * 4 * state;
        const float *x_now = x + (ptrdiff_t)t * b * inputs;
        step_backward(gates, dcell, dout + t * state, dhidden, m.tanh_cell + t * state, m.cell + t * state, b, h);
        step_product(l, dhidden, gates, weights->weight_hh, b, 4 * h, h, NULL, false);
        if (starts) forget_rows(dhidden, starts + t * b, b, h);
        if (starts) forget_rows(dcell, starts + t * b, b, h);
        if (dx)
            step_product(l, dx + (ptrdiff_t)t * b * inputs, gates, weights->weight_ih, b, 4 * h, inputs, NULL, false);
        add_weights(l, turned_ih, gates, x_now, b, inputs, 4 * h);
        add_weights(l, turned_hh, gates, m.hidden + t * state, b, h, 4 * h);
        add_columns(bias, gates, b, 4 * h);
    }
    turn(gradients->weight_ih, turned_ih, inputs, 4 * h);
    turn(gradients->weight_hh, turned_hh, h, 4 * h);
    LAYER(add)(l, gradients->bias_ih, bias, 4 * (size_t)h);
    LAYER(add)(l, gradients->bias_hh, bias, 4 * (size_t)h);
}
