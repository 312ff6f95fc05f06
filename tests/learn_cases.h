#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "learn/learn.h"

/// Every layer and loss of src/learn once, as a function from arrays to `out` with a twin in double: test_learn_layers
/// checks gradients against differences of the twin, tests/learn/dump.c hands all to PyTorch. Sizes are odd and wider
/// than a vector.

enum
{
    LEARN_ARRAYS = 9,
    LEARN_ROOM = 1 << 16 ///< floats that a case may keep, and floats of its workspace
};

typedef struct learn_array
{
    const char *name; ///< NULL: no more
    int rows, columns;
    bool fixed;    ///< without a gradient
    bool positive; ///< 0.05..1 instead of -1..1
} learn_array;

/// Where a case runs: the table, and room that holds NaN before the first run.
typedef struct learn_place
{
    sac_learn l;
    float *kept, *workspace;
} learn_place;

typedef struct learn_case
{
    const char *name;
    learn_array in[LEARN_ARRAYS];
    int out_rows, out_columns;
    bool positive; ///< trained from positive numbers to positive numbers: a slope of zero does not learn
    double learnt; ///< the share of its loss that a batch keeps at most, 0: a hundredth
    bool is_loss;  ///< out is a loss: it is what training makes small
    void (*run)(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din);
    void (*twin)(double *const *in, double *out);
} learn_case;

static inline int learn_count(const learn_array *a)
{
    return a->rows * a->columns;
}

// --- linear ---

enum
{
    LIN_N = 21,
    LIN_I = 19,
    LIN_O = 37
};

static void run_linear(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    l->linear_forward(l, out, in[0], in[1], in[2], LIN_N, LIN_I, LIN_O, SAC_ACTIVATION_TANH);
    if (!dout) return;
    l->curve_backward(l, p->workspace, dout, out, SAC_CURVE_TANH, LIN_N * LIN_O);
    l->linear_backward(l, din[0], din[1], din[2], p->workspace, in[0], in[1], LIN_N, LIN_I, LIN_O);
}

static void twin_linear(double *const *in, double *out)
{
    for (int n = 0; n < LIN_N; n++)
        for (int o = 0; o < LIN_O; o++)
        {
            double sum = in[2][o];
            for (int i = 0; i < LIN_I; i++) sum += in[0][n * LIN_I + i] * in[1][o * LIN_I + i];
            out[n * LIN_O + o] = tanh(sum);
        }
}

// --- functions of one number ---

enum
{
    CURVE_N = 45
};

#define LEARN_CURVE(name, curve, known, formula)                                                                     \
    static void run_##name(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din) \
    {                                                                                                                \
        p->l.curve_forward(&p->l, out, in[0], curve, CURVE_N);                                                       \
        if (dout) p->l.curve_backward(&p->l, din[0], dout, known, curve, CURVE_N);                                   \
    }                                                                                                                \
    static void twin_##name(double *const *in, double *out)                                                          \
    {                                                                                                                \
        for (int i = 0; i < CURVE_N; i++)                                                                            \
        {                                                                                                            \
            double x = in[0][i];                                                                                     \
            out[i] = (formula);                                                                                      \
        }                                                                                                            \
    }
LEARN_CURVE(relu, SAC_CURVE_RELU, out, x > 0 ? x : 0)
LEARN_CURVE(tanh, SAC_CURVE_TANH, out, tanh(x))
LEARN_CURVE(sigmoid, SAC_CURVE_SIGMOID, out, 1 / (1 + exp(-x)))
LEARN_CURVE(gelu, SAC_CURVE_GELU, in[0], x * 0.5 * erfc(-x / sqrt(2.0)))

// --- rows ---

enum
{
    ROW_N = 7,
    ROW_C = 37
};

static void run_norm(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    l->norm_forward(l, out, p->kept, in[0], in[1], in[2], 1e-5f, ROW_N, ROW_C);
    if (dout) l->norm_backward(l, din[0], din[1], din[2], dout, in[0], p->kept, in[1], ROW_N, ROW_C);
}

static void twin_norm(double *const *in, double *out)
{
    for (int n = 0; n < ROW_N; n++)
    {
        const double *x = in[0] + n * ROW_C;
        double mean = 0, variance = 0;
        for (int j = 0; j < ROW_C; j++) mean += x[j] / ROW_C;
        for (int j = 0; j < ROW_C; j++) variance += (x[j] - mean) * (x[j] - mean) / ROW_C;
        for (int j = 0; j < ROW_C; j++)
            out[n * ROW_C + j] = (x[j] - mean) / sqrt(variance + (double)1e-5f) * in[1][j] + in[2][j];
    }
}

// what the nodes of nets do with the sums of all slices, here of one slice
static void run_batch_norm(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    double sums[2 * ROW_C] = {0};
    float scale[ROW_C], move[ROW_C], mean[ROW_C], level[ROW_C], slope[ROW_C], inverse[ROW_C];
    l->moments(l, sums, in[0], ROW_N, ROW_C);
    for (int c = 0; c < ROW_C; c++)
    {
        const double m = sums[c] / ROW_N, deviation = sqrt(sums[ROW_C + c] / ROW_N - m * m + 1e-5);
        mean[c] = (float)m;
        inverse[c] = (float)(1 / deviation);
        scale[c] = (float)((double)in[1][c] / deviation);
        move[c] = (float)((double)in[2][c] - m * (double)in[1][c] / deviation);
    }
    sac_batch_norm n = {.rows = ROW_N, .size = ROW_C, .relu = true, .scale = scale, .move = move, .mean = mean};
    l->batch_norm_forward(l, &n, out, in[0], in[3]);
    if (!dout) return;
    memset(sums, 0, sizeof sums);
    l->batch_norm_sums(l, &n, sums, dout, out, in[0]);
    for (int c = 0; c < ROW_C; c++)
    {
        level[c] = (float)(sums[c] / ROW_N);
        slope[c] = (float)(sums[ROW_C + c] / ROW_N * (double)inverse[c] * (double)inverse[c]);
        din[1][c] = (float)(sums[ROW_C + c] * (double)inverse[c]);
        din[2][c] = (float)sums[c];
    }
    n.level = level;
    n.slope = slope;
    l->batch_norm_backward(l, &n, din[0], din[3], dout, out, in[0]);
}

static void twin_batch_norm(double *const *in, double *out)
{
    for (int c = 0; c < ROW_C; c++)
    {
        double mean = 0, variance = 0;
        for (int i = 0; i < ROW_N; i++) mean += in[0][i * ROW_C + c] / ROW_N;
        for (int i = 0; i < ROW_N; i++) variance += pow(in[0][i * ROW_C + c] - mean, 2) / ROW_N;
        for (int i = 0; i < ROW_N; i++)
        {
            const int at = i * ROW_C + c;
            const double y = (in[0][at] - mean) / sqrt(variance + 1e-5) * in[1][c] + in[2][c] + in[3][at];
            out[at] = y > 0 ? y : 0;
        }
    }
}

static void run_unit(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    l->unit_forward(l, out, p->kept, in[0], 1.5f, ROW_N, ROW_C);
    if (dout) l->unit_backward(l, din[0], dout, out, p->kept, 1.5f, ROW_N, ROW_C);
}

static void twin_unit(double *const *in, double *out)
{
    for (int n = 0; n < ROW_N; n++)
    {
        const double *x = in[0] + n * ROW_C;
        double square = 0;
        for (int j = 0; j < ROW_C; j++) square += x[j] * x[j];
        for (int j = 0; j < ROW_C; j++) out[n * ROW_C + j] = 1.5 * x[j] / sqrt(square);
    }
}

static void run_softmax(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    l->softmax_forward(l, out, in[0], ROW_N, ROW_C);
    if (dout) l->softmax_backward(l, din[0], dout, out, ROW_N, ROW_C);
}

static void twin_softmax_row(double *out, const double *x, int size)
{
    double sum = 0;
    for (int j = 0; j < size; j++) sum += exp(x[j]);
    for (int j = 0; j < size; j++) out[j] = exp(x[j]) / sum;
}

static void twin_softmax(double *const *in, double *out)
{
    for (int n = 0; n < ROW_N; n++) twin_softmax_row(out + n * ROW_C, in[0] + n * ROW_C, ROW_C);
}

// --- pictures ---

enum
{
    PIC_H = 9,
    PIC_W = 8,
    PIC_C = 5,
    PIC_PATCH = 3,
    PIC_STRIDE = 2,
    PIC_PADDING = 1,
    PIC_O = 18,
    PIC_ROWS = 5,
    PIC_COLUMNS = 4,
    POOL_ROWS = 4,
    POOL_COLUMNS = 3
};

static const sac_convolution learn_convolution = {.height = PIC_H,
                                                  .width = PIC_W,
                                                  .channels = PIC_C,
                                                  .patch = PIC_PATCH,
                                                  .stride = PIC_STRIDE,
                                                  .padding = PIC_PADDING,
                                                  .outputs = PIC_O};
static const sac_pooling learn_max = {PIC_H, PIC_W, PIC_C, PIC_PATCH, PIC_STRIDE, false};
static const sac_pooling learn_average = {PIC_H, PIC_W, PIC_C, PIC_PATCH, PIC_STRIDE, true};

static void run_convolution(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    l->convolution_forward(l, &learn_convolution, out, in[0], in[1], in[2], p->workspace);
    if (dout) l->convolution_backward(l, &learn_convolution, din[0], din[1], din[2], dout, in[0], in[1], p->workspace);
}

static void twin_convolution(double *const *in, double *out)
{
    for (int place = 0; place < PIC_ROWS * PIC_COLUMNS; place++)
        for (int o = 0; o < PIC_O; o++)
        {
            double sum = in[2][o];
            for (int i = 0; i < PIC_PATCH * PIC_PATCH * PIC_C; i++)
            {
                int y = place / PIC_COLUMNS * PIC_STRIDE + i / PIC_C / PIC_PATCH - PIC_PADDING;
                int x = place % PIC_COLUMNS * PIC_STRIDE + i / PIC_C % PIC_PATCH - PIC_PADDING;
                if (y < 0 || y >= PIC_H || x < 0 || x >= PIC_W) continue;
                sum += in[0][(y * PIC_W + x) * PIC_C + i % PIC_C] * in[1][o * PIC_PATCH * PIC_PATCH * PIC_C + i];
            }
            out[place * PIC_O + o] = sum;
        }
}

// --- a convolution by tiles: two pictures of odd sizes ---

enum
{
    TILES_P = 2,
    TILES_H = 3,
    TILES_W = 5,
    TILES_C = 16,
    TILES_N = TILES_P * TILES_H * TILES_W
};

static const sac_convolution learn_tiles = {.height = TILES_H,
                                            .width = TILES_W,
                                            .channels = TILES_C,
                                            .patch = 3,
                                            .stride = 1,
                                            .padding = 1,
                                            .outputs = TILES_C,
                                            .pictures = TILES_P};

static void run_tiles(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    float *back = p->kept + sac_winograd_weights(&learn_tiles);
    l->winograd_weights(l, &learn_tiles, p->kept, in[1], false);
    l->winograd_weights(l, &learn_tiles, back, in[1], true);
    l->winograd_forward(l, &learn_tiles, out, in[0], p->kept, p->workspace);
    if (dout) l->winograd_backward(l, &learn_tiles, din[0], din[1], dout, in[0], back, p->workspace);
}

static void twin_tiles(double *const *in, double *out)
{
    for (int at = 0; at < TILES_N * TILES_C; at++)
    {
        const int o = at % TILES_C, n = at / TILES_C, row = n / TILES_W % TILES_H, column = n % TILES_W;
        out[at] = 0;
        for (int i = 0; i < 9; i++)
        {
            const int y = row + i / 3 - 1, x = column + i % 3 - 1;
            if (y < 0 || y >= TILES_H || x < 0 || x >= TILES_W) continue;
            const double *from = in[0] + (n - row * TILES_W - column + y * TILES_W + x) * TILES_C;
            for (int c = 0; c < TILES_C; c++) out[at] += from[c] * in[1][(o * 9 + i) * TILES_C + c];
        }
    }
}

static void run_max_pooling(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    p->l.pooling_forward(&p->l, &learn_max, out, in[0]);
    if (dout) p->l.pooling_backward(&p->l, &learn_max, din[0], dout, in[0]);
}

static void run_average_pooling(const learn_place *p, float *const *in, float *out, const float *dout,
                                float *const *din)
{
    p->l.pooling_forward(&p->l, &learn_average, out, in[0]);
    if (dout) p->l.pooling_backward(&p->l, &learn_average, din[0], dout, in[0]);
}

static void twin_pooling(const double *in, double *out, bool average)
{
    for (int at = 0; at < POOL_ROWS * POOL_COLUMNS * PIC_C; at++)
    {
        double sum = 0, largest = -INFINITY;
        for (int i = 0; i < PIC_PATCH * PIC_PATCH; i++)
        {
            int y = at / PIC_C / POOL_COLUMNS * PIC_STRIDE + i / PIC_PATCH;
            int x = at / PIC_C % POOL_COLUMNS * PIC_STRIDE + i % PIC_PATCH;
            double pixel = in[(y * PIC_W + x) * PIC_C + at % PIC_C];
            sum += pixel;
            largest = fmax(largest, pixel);
        }
        out[at] = average ? sum / (PIC_PATCH * PIC_PATCH) : largest;
    }
}

static void twin_max_pooling(double *const *in, double *out)
{
    twin_pooling(in[0], out, false);
}

static void twin_average_pooling(double *const *in, double *out)
{
    twin_pooling(in[0], out, true);
}

// --- LSTM: x, hidden, cell, weight_ih, weight_hh, bias_ih, bias_hh ---

enum
{
    LSTM_T = 5,
    LSTM_B = 3,
    LSTM_I = 4,
    LSTM_H = 18
};

static const sac_lstm learn_lstm = {LSTM_T, LSTM_B, LSTM_I, LSTM_H};
static const uint8_t learn_starts[LSTM_T * LSTM_B] = {[7] = 1, [9] = 1};

static void run_lstm_with(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din,
                          const uint8_t *starts)
{
    const sac_learn *l = &p->l;
    const sac_lstm_weights weights = {in[3], in[4], in[5], in[6]};
    float state[2][LSTM_B * LSTM_H];
    memcpy(state[0], in[1], sizeof state[0]);
    memcpy(state[1], in[2], sizeof state[1]);
    l->lstm_forward(l, &learn_lstm, out, state[0], state[1], p->kept, in[0], starts, &weights, p->workspace);
    if (!dout) return;
    const sac_lstm_gradients gradients = {din[3], din[4], din[5], din[6]};
    memset(din[1], 0, sizeof state[0]);
    memset(din[2], 0, sizeof state[0]);
    l->lstm_backward(l, &learn_lstm, din[0], din[1], din[2], &gradients, dout, p->kept, starts, &weights, p->workspace);
}

static void twin_lstm_with(double *const *in, double *out, const uint8_t *starts)
{
    double h[LSTM_B][LSTM_H], c[LSTM_B][LSTM_H], gates[4 * LSTM_H];
    memcpy(h, in[1], sizeof h);
    memcpy(c, in[2], sizeof c);
    for (int at = 0; at < LSTM_T * LSTM_B; at++)
    {
        int b = at % LSTM_B;
        for (int j = 0; starts && starts[at] && j < LSTM_H; j++) h[b][j] = c[b][j] = 0;
        for (int g = 0; g < 4 * LSTM_H; g++)
        {
            gates[g] = in[5][g] + in[6][g];
            for (int i = 0; i < LSTM_I; i++) gates[g] += in[0][at * LSTM_I + i] * in[3][g * LSTM_I + i];
            for (int i = 0; i < LSTM_H; i++) gates[g] += h[b][i] * in[4][g * LSTM_H + i];
        }
        for (int j = 0; j < LSTM_H; j++)
        {
            double i = 1 / (1 + exp(-gates[j])), f = 1 / (1 + exp(-gates[LSTM_H + j]));
            double o = 1 / (1 + exp(-gates[3 * LSTM_H + j]));
            c[b][j] = f * c[b][j] + i * tanh(gates[2 * LSTM_H + j]);
            h[b][j] = out[at * LSTM_H + j] = o * tanh(c[b][j]);
        }
    }
}

static void run_lstm(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    run_lstm_with(p, in, out, dout, din, NULL);
}

static void twin_lstm(double *const *in, double *out)
{
    twin_lstm_with(in, out, NULL);
}

static void run_lstm_starts(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    run_lstm_with(p, in, out, dout, din, learn_starts);
}

static void twin_lstm_starts(double *const *in, double *out)
{
    twin_lstm_with(in, out, learn_starts);
}

// --- attention: q [M, H D], k [N, H D], v [N, H V], then matrices and gains of both sides, and directions ---

enum
{
    ATT_H = 2,
    ATT_M = 53, // more than a block of queries has is in test_learn_long.c
    ATT_N = 23,
    ATT_D = 5,
    ATT_V = 3,
    ATT_F = 17, // M of the maps
    ATT_R = 3
};

static const sac_attend learn_attend = {ATT_H,        ATT_M,        ATT_N,        ATT_D,        ATT_V,
                                        ATT_H *ATT_D, ATT_H *ATT_D, ATT_H *ATT_V, ATT_H *ATT_V, 0.7f};

static void run_attend(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    l->attend_forward(l, &learn_attend, out, p->kept, in[0], in[1], in[2], p->workspace);
    if (dout)
        l->attend_backward(l, &learn_attend, din[0], din[1], din[2], dout, out, p->kept, in[0], in[1], in[2],
                           p->workspace);
}

static void twin_attend(double *const *in, double *out)
{
    for (int h = 0; h < ATT_H; h++)
        for (int i = 0; i < ATT_M; i++)
        {
            double row[ATT_N], *to = out + (i * ATT_H + h) * ATT_V;
            for (int j = 0; j < ATT_N; j++)
            {
                row[j] = 0;
                for (int d = 0; d < ATT_D; d++)
                    row[j] += (double)0.7f * in[0][(i * ATT_H + h) * ATT_D + d] * in[1][(j * ATT_H + h) * ATT_D + d];
            }
            twin_softmax_row(row, row, ATT_N);
            for (int v = 0; v < ATT_V; v++) to[v] = 0;
            for (int j = 0; j < ATT_N; j++)
                for (int v = 0; v < ATT_V; v++) to[v] += row[j] * in[2][(j * ATT_H + h) * ATT_V + v];
        }
}

static void run_attend_linear(const learn_place *p, enum sac_phi phi, bool matrix, float *const *in, float *out,
                              const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    const sac_map_side none = {.phi = phi, .count = ATT_D, .size = ATT_D};
    const sac_map_side q = {phi, ATT_F, ATT_D, in[3], in[5], in[7], ATT_R};
    const sac_map_side k = {phi, ATT_F, ATT_D, in[4], in[6], in[7], ATT_R};
    l->attend_linear_forward(l, &learn_attend, matrix ? &q : &none, matrix ? &k : &none, 0.5f, out, p->kept, in[0],
                             in[1], in[2], p->workspace);
    if (!dout) return;
    const sac_map_gradients dq = {din[3], din[5]}, dk = {din[4], din[6]};
    l->attend_linear_backward(l, &learn_attend, matrix ? &q : &none, matrix ? &k : &none, din[0], din[1], din[2],
                              matrix ? &dq : NULL, matrix ? &dk : NULL, dout, out, p->kept, in[0], in[1], in[2],
                              p->workspace);
}

// phi [F] of x [D], as the table of enum sac_phi has it
static int twin_features(double *phi, enum sac_phi map, const double *x, const double *matrix, const double *gains,
                         const double *directions)
{
    double half = 0, *at = phi;
    int count = matrix ? ATT_F : ATT_D;
    for (int d = 0; d < ATT_D; d++) half += x[d] * x[d] / 2;
    for (int turn = -1; turn < (map == SAC_PHI_HYBRID ? 3 : 0); turn++)
        for (int m = 0; m < count; m++)
        {
            double u = matrix ? 0 : x[m];
            for (int d = 0; matrix && d < ATT_D; d++) u += matrix[m * ATT_D + d] * x[d];
            double sine = exp(half) * sin(u), cosine = exp(half) * cos(u), power = exp(u - half);
            if (map == SAC_PHI_RELU) *at++ = u > 0 ? u : 0;
            if (map == SAC_PHI_EXP) *at++ = exp(u);
            if (map == SAC_PHI_SQUARE) *at++ = u * u;
            if (map == SAC_PHI_POSITIVE) *at++ = power;
            if (map == SAC_PHI_TRIG || (map == SAC_PHI_HYBRID && turn == -1)) *at++ = sine, *at++ = cosine;
            if (map == SAC_PHI_HYBRID && turn == 0) *at++ = power;
            for (int r = 0; turn > 0 && r < ATT_R; r++)
            {
                double side = 0;
                for (int d = 0; d < ATT_D; d++) side += directions[r * ATT_D + d] * x[d];
                double sign = side >= 0 ? 1 : -1;
                if (turn == 1) *at++ = sign * sine, *at++ = sign * cosine;
                if (turn == 2) *at++ = sign * power;
            }
        }
    for (int f = 0; gains && f < at - phi; f++) phi[f] *= gains[f];
    return (int)(at - phi);
}

static void twin_attend_linear(enum sac_phi map, bool matrix, double *const *in, double *out)
{
    enum
    {
        MOST = 3 * ATT_F * (1 + ATT_R)
    };
    for (int h = 0; h < ATT_H; h++)
    {
        double sums[MOST][ATT_V + 1] = {{0}}, phi[MOST];
        for (int j = 0; j < ATT_N; j++)
        {
            int features = twin_features(phi, map, in[1] + (j * ATT_H + h) * ATT_D, matrix ? in[4] : NULL,
                                         matrix ? in[6] : NULL, in[7]);
            for (int f = 0; f < features; f++)
                for (int v = 0; v <= ATT_V; v++)
                    sums[f][v] += phi[f] * (v < ATT_V ? in[2][(j * ATT_H + h) * ATT_V + v] : 1);
        }
        for (int i = 0; i < ATT_M; i++)
        {
            int features = twin_features(phi, map, in[0] + (i * ATT_H + h) * ATT_D, matrix ? in[3] : NULL,
                                         matrix ? in[5] : NULL, in[7]);
            double total[ATT_V + 1] = {0};
            for (int f = 0; f < features; f++)
                for (int v = 0; v <= ATT_V; v++) total[v] += phi[f] * sums[f][v];
            for (int v = 0; v < ATT_V; v++) out[(i * ATT_H + h) * ATT_V + v] = total[v] / (total[ATT_V] + 0.5);
        }
    }
}

#define LEARN_MAP(name, map, matrix)                                                                                 \
    static void run_##name(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din) \
    {                                                                                                                \
        run_attend_linear(p, map, matrix, in, out, dout, din);                                                       \
    }                                                                                                                \
    static void twin_##name(double *const *in, double *out)                                                          \
    {                                                                                                                \
        twin_attend_linear(map, matrix, in, out);                                                                    \
    }
LEARN_MAP(plain, SAC_PHI_RELU, false)
LEARN_MAP(map_relu, SAC_PHI_RELU, true)
LEARN_MAP(map_exp, SAC_PHI_EXP, true)
LEARN_MAP(map_square, SAC_PHI_SQUARE, true)
LEARN_MAP(map_positive, SAC_PHI_POSITIVE, true)
LEARN_MAP(map_trig, SAC_PHI_TRIG, true)
LEARN_MAP(map_hybrid, SAC_PHI_HYBRID, true)

// --- losses: out is one number ---

static void finish_loss(double loss, float *out, const float *dout, float *dx, int count)
{
    *out = (float)loss;
    for (int i = 0; dx && i < count; i++) dx[i] *= *dout;
}

static void run_square_loss(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    double loss;
    float *dx = dout ? din[0] : p->workspace;
    p->l.square_loss(&p->l, &loss, dx, in[0], in[1], CURVE_N, 1.0 / CURVE_N);
    finish_loss(loss, out, dout, dout ? dx : NULL, CURVE_N);
}

static void twin_square_loss(double *const *in, double *out)
{
    *out = 0;
    for (int i = 0; i < CURVE_N; i++) *out += (in[0][i] - in[1][i]) * (in[0][i] - in[1][i]) / CURVE_N;
}

static void run_huber_loss(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    double loss;
    float *dx = dout ? din[0] : p->workspace;
    p->l.huber_loss(&p->l, &loss, dx, in[0], in[1], 0.5f, CURVE_N, 1.0 / CURVE_N);
    finish_loss(loss, out, dout, dout ? dx : NULL, CURVE_N);
}

static void twin_huber_loss(double *const *in, double *out)
{
    *out = 0;
    for (int i = 0; i < CURVE_N; i++)
    {
        double d = fabs(in[0][i] - in[1][i]);
        *out += (d < 0.5 ? d * d / 2 : 0.5 * (d - 0.25)) / CURVE_N;
    }
}

static int learn_label(int row)
{
    return row * 11 % ROW_C;
}

static void run_cross_entropy(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    double loss;
    int labels[ROW_N];
    for (int i = 0; i < ROW_N; i++) labels[i] = learn_label(i);
    float *dx = dout ? din[0] : p->workspace;
    p->l.cross_entropy_loss(&p->l, &loss, dx, in[0], labels, ROW_N, ROW_C, 1.0 / ROW_N);
    finish_loss(loss, out, dout, dout ? dx : NULL, ROW_N * ROW_C);
}

static void twin_cross_entropy(double *const *in, double *out)
{
    double row[ROW_C];
    *out = 0;
    for (int i = 0; i < ROW_N; i++)
    {
        twin_softmax_row(row, in[0] + i * ROW_C, ROW_C);
        *out -= log(row[learn_label(i)]) / ROW_N;
    }
}

static void run_categorical(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    double loss;
    float *dx = dout ? din[0] : p->workspace;
    p->l.categorical_loss(&p->l, &loss, dx, in[0], in[1], ROW_N, ROW_C, 1.0 / ROW_N);
    finish_loss(loss, out, dout, dout ? dx : NULL, ROW_N * ROW_C);
}

static void twin_categorical(double *const *in, double *out)
{
    double row[ROW_C], target[ROW_C];
    *out = 0;
    for (int i = 0; i < ROW_N; i++)
    {
        twin_softmax_row(row, in[0] + i * ROW_C, ROW_C);
        twin_softmax_row(target, in[1] + i * ROW_C, ROW_C);
        for (int j = 0; j < ROW_C; j++) *out += target[j] * log(target[j] / row[j]) / ROW_N;
    }
}

static void run_expected_cost(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    double loss;
    float *dx = dout ? din[0] : p->workspace;
    p->l.expected_cost_loss(&p->l, &loss, dx, in[0], in[1], ROW_N, ROW_C, 1.0 / ROW_N);
    finish_loss(loss, out, dout, dout ? dx : NULL, ROW_N * ROW_C);
}

static void twin_expected_cost(double *const *in, double *out)
{
    double row[ROW_C];
    *out = 0;
    for (int i = 0; i < ROW_N; i++)
    {
        double least = in[1][i * ROW_C];
        for (int j = 1; j < ROW_C; j++) least = fmin(least, in[1][i * ROW_C + j]);
        twin_softmax_row(row, in[0] + i * ROW_C, ROW_C);
        for (int j = 0; j < ROW_C; j++) *out += row[j] * (in[1][i * ROW_C + j] - least) / ROW_N;
    }
}

static void run_gaussian(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    double loss;
    float *dmean = dout ? din[0] : p->workspace, *dlog = dout ? din[1] : p->workspace + CURVE_N;
    p->l.gaussian_loss(&p->l, &loss, dmean, dlog, in[0], in[1], in[2], in[3], CURVE_N, 1.0 / CURVE_N);
    finish_loss(loss, out, dout, dout ? dmean : NULL, CURVE_N);
    finish_loss(loss, out, dout, dout ? dlog : NULL, CURVE_N);
}

static void twin_gaussian(double *const *in, double *out)
{
    *out = 0;
    for (int i = 0; i < CURVE_N; i++)
    {
        double d = in[0][i] - in[2][i], variance = exp(2 * in[1][i]);
        *out += (in[1][i] - in[3][i] + (exp(2 * in[3][i]) + d * d) / (2 * variance) - 0.5) / CURVE_N;
    }
}

// x, mean, log of deviations: one row for all, or a row each
static void run_likelihood_of(const learn_place *p, ptrdiff_t log_row, float *const *in, float *out, const float *dout,
                              float *const *din)
{
    const sac_learn *l = &p->l;
    l->likelihood_forward(l, out, in[0], in[1], in[2], log_row, ROW_N, ROW_C);
    if (dout) l->likelihood_backward(l, din[1], din[2], dout, in[0], in[1], in[2], log_row, ROW_N, ROW_C);
}

static void run_likelihood(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    run_likelihood_of(p, 0, in, out, dout, din);
}

static void run_likelihood_rows(const learn_place *p, float *const *in, float *out, const float *dout,
                                float *const *din)
{
    run_likelihood_of(p, ROW_C, in, out, dout, din);
}

static void twin_likelihood_of(int log_row, double *const *in, double *out)
{
    for (int i = 0; i < ROW_N; i++)
    {
        out[i] = 0;
        for (int j = 0; j < ROW_C; j++)
        {
            double log_deviation = in[2][i * log_row + j], z = (in[0][i * ROW_C + j] - in[1][i * ROW_C + j]);
            z /= exp(log_deviation);
            out[i] -= z * z / 2 + log_deviation + 0.5 * log(2 * 3.14159265358979323846);
        }
    }
}

static void twin_likelihood(double *const *in, double *out)
{
    twin_likelihood_of(0, in, out);
}

static void twin_likelihood_rows(double *const *in, double *out)
{
    twin_likelihood_of(ROW_C, in, out);
}

static void run_entropy(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    p->l.entropy_forward(&p->l, out, in[0], ROW_N, ROW_C, p->workspace);
    if (dout) p->l.entropy_backward(&p->l, din[0], dout, in[0], ROW_N, ROW_C);
}

static void twin_entropy(double *const *in, double *out)
{
    for (int i = 0; i < ROW_N; i++)
    {
        double p[ROW_C];
        twin_softmax_row(p, in[0] + i * ROW_C, ROW_C);
        out[i] = 0;
        for (int j = 0; j < ROW_C; j++) out[i] -= p[j] * log(p[j]);
    }
}

// logs of deviations that all rows share
static void run_gaussian_entropy(const learn_place *p, float *const *in, float *out, const float *dout,
                                 float *const *din)
{
    p->l.gaussian_entropy_forward(&p->l, out, in[0], 0, ROW_N, ROW_C);
    if (dout) p->l.gaussian_entropy_backward(&p->l, din[0], dout, 0, ROW_N, ROW_C);
}

static void twin_gaussian_entropy(double *const *in, double *out)
{
    for (int i = 0; i < ROW_N; i++)
    {
        out[i] = 0;
        for (int j = 0; j < ROW_C; j++) out[i] += in[0][j] + 0.5 * log(2 * 3.14159265358979323846 * exp(1.0));
    }
}

// --- choices: the K largest of N scores, one after the other ---

enum
{
    CHOICE_N = 37,
    CHOICE_K = 5
};

static void run_choose(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    int top[CHOICE_K];
    p->l.kernels.top(top, CHOICE_K, in[0], CHOICE_N);
    p->l.choose_forward(&p->l, out, in[0], top, CHOICE_K, CHOICE_N, 0.7f);
    if (dout) p->l.choose_backward(&p->l, din[0], dout, out, in[0], CHOICE_K, CHOICE_N, 0.7f);
}

static void twin_choose(double *const *in, double *out)
{
    double mean = 0, variance = 0;
    bool taken[CHOICE_N] = {false};
    for (int n = 0; n < CHOICE_N; n++) mean += in[0][n] / CHOICE_N;
    for (int n = 0; n < CHOICE_N; n++) variance += (in[0][n] - mean) * (in[0][n] - mean) / CHOICE_N;
    for (int k = 0; k < CHOICE_K; k++, out += CHOICE_N)
    {
        double sum = 0;
        int best = -1;
        for (int n = 0; n < CHOICE_N; n++)
        {
            out[n] = taken[n] ? 0 : exp((in[0][n] - mean) / sqrt(variance) / (double)0.7f);
            sum += out[n];
            if (!taken[n] && (best < 0 || in[0][n] > in[0][best])) best = n;
        }
        for (int n = 0; n < CHOICE_N; n++) out[n] /= sum;
        taken[best] = true;
    }
}

// --- planar tokens of length 1 ---

enum
{
    PLANAR_D = 5,
    PLANAR_N = 48
};

static void run_unit_columns(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    p->l.kernels.normalise(out, PLANAR_N, in[0], PLANAR_D, PLANAR_N, PLANAR_N);
    if (dout) p->l.unit_columns_backward(&p->l, din[0], dout, in[0], PLANAR_D, PLANAR_N, PLANAR_N, p->workspace);
}

static void twin_unit_columns(double *const *in, double *out)
{
    for (int n = 0; n < PLANAR_N; n++)
    {
        double square = 0;
        for (int d = 0; d < PLANAR_D; d++) square += in[0][d * PLANAR_N + n] * in[0][d * PLANAR_N + n];
        for (int d = 0; d < PLANAR_D; d++) out[d * PLANAR_N + n] = in[0][d * PLANAR_N + n] / sqrt(square);
    }
}

enum
{
    COLUMN_FEATURES = 3 * ATT_F * (1 + ATT_R) // the most there are
};

// What the kernels are told of a map of twin_features, whose powers of e are powers of 2 here: the matrix is multiplied
// by features.factor, and without one the gains make up for it.
static sac_features columns_features(enum sac_phi map, const float *matrix, const float *directions)
{
    const bool powers = map != SAC_PHI_RELU && map != SAC_PHI_SQUARE;
    return (sac_features){.matrix = matrix,
                          .count = matrix ? ATT_F : ATT_D,
                          .size = ATT_D,
                          .factor = powers   ? 1.44269504f
                                    : matrix ? 1
                                             : 2,
                          .square = powers && map != SAC_PHI_EXP ? -0.721347520f : 0,
                          .turn = 0.441271200f, // 2 ln 2 / pi
                          .directions = directions,
                          .direction_count = map == SAC_PHI_HYBRID ? ATT_R : 0};
}

// Which gain feature f has, and its sign: a sine and its cosine have one gain, and the last features of hybrid maps
// have negative ones, as those of queries do.
static int columns_gain(enum sac_phi map, int f)
{
    return map == SAC_PHI_TRIG || (map == SAC_PHI_HYBRID && f < 2 * ATT_F) ? f - f % 2 : f;
}

static double columns_sign(enum sac_phi map, int f)
{
    return map == SAC_PHI_HYBRID && f >= ATT_F * (3 + 2 * ATT_R) ? -1 : 1;
}

static void columns_forward(const sac_kernels *kernels, const sac_column_map *map, float *phi, const float *x,
                            int feature_count)
{
    switch (map->phi)
    {
    case SAC_PHI_RELU: kernels->relu_features(phi, PLANAR_N, x, PLANAR_N, PLANAR_N, map->features); break;
    case SAC_PHI_SQUARE: kernels->square_features(phi, PLANAR_N, x, PLANAR_N, PLANAR_N, map->features); break;
    case SAC_PHI_EXP:
    case SAC_PHI_POSITIVE: kernels->exp_features(phi, PLANAR_N, x, PLANAR_N, PLANAR_N, map->features); break;
    case SAC_PHI_TRIG: kernels->trig_features(phi, PLANAR_N, x, PLANAR_N, PLANAR_N, map->features); break;
    case SAC_PHI_HYBRID: kernels->hybrid_features(phi, PLANAR_N, x, PLANAR_N, PLANAR_N, map->features); break;
    }
    for (int f = 0; f < feature_count; f++)
        for (int n = 0; n < PLANAR_N; n++) phi[f * PLANAR_N + n] *= (float)map->gains[f];
}

// x [D, N], matrix [M, D], gains [F], directions [R, D]; the gradients of gains are those of maps with F = M alone
static void run_columns(const learn_place *p, enum sac_phi phi, float *const *in, float *out, const float *dout,
                        float *const *din)
{
    float matrix[ATT_F * ATT_D];
    double gains[COLUMN_FEATURES];
    const sac_features features = columns_features(phi, in[1] ? matrix : NULL, in[3]);
    const sac_column_map map = {phi, &features, gains};
    const int count = features.count * (phi == SAC_PHI_TRIG ? 2 : phi == SAC_PHI_HYBRID ? 3 * (1 + ATT_R) : 1);
    for (int i = 0; in[1] && i < ATT_F * ATT_D; i++) matrix[i] = features.factor * in[1][i];
    for (int f = 0; f < count; f++)
        gains[f] = in[1] ? columns_sign(phi, f) * (double)in[2][columns_gain(phi, f)] : 1 / (double)features.factor;
    columns_forward(&p->l.kernels, &map, out, in[0], count);
    if (!dout) return;
    memcpy(p->kept, dout, (size_t)count * PLANAR_N * sizeof *dout); // it is spent
    p->l.map_columns_backward(&p->l, &map, din[0], p->kept, out, in[0], PLANAR_N, PLANAR_N, p->workspace);
    if (!in[1]) return;
    p->l.map_columns_parameters(&p->l, &map, din[1], din[2], p->kept, out, in[0], PLANAR_N, PLANAR_N, p->workspace);
    for (int i = 0; i < ATT_F * ATT_D; i++) din[1][i] *= features.factor;
}

static void twin_columns(enum sac_phi map, double *const *in, double *out)
{
    for (int n = 0; n < PLANAR_N; n++)
    {
        double x[ATT_D], phi[COLUMN_FEATURES];
        for (int d = 0; d < ATT_D; d++) x[d] = in[0][d * PLANAR_N + n];
        int count = twin_features(phi, map, x, in[1], NULL, in[3]);
        for (int f = 0; f < count; f++)
            out[f * PLANAR_N + n] = in[1] ? columns_sign(map, f) * in[2][columns_gain(map, f)] * phi[f] : phi[f];
    }
}

#define LEARN_COLUMNS(name, map)                                                                                     \
    static void run_##name(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din) \
    {                                                                                                                \
        run_columns(p, map, in, out, dout, din);                                                                     \
    }                                                                                                                \
    static void twin_##name(double *const *in, double *out)                                                          \
    {                                                                                                                \
        twin_columns(map, in, out);                                                                                  \
    }
LEARN_COLUMNS(columns_plain, SAC_PHI_RELU)
LEARN_COLUMNS(columns_relu, SAC_PHI_RELU)
LEARN_COLUMNS(columns_exp, SAC_PHI_EXP)
LEARN_COLUMNS(columns_square, SAC_PHI_SQUARE)
LEARN_COLUMNS(columns_positive, SAC_PHI_POSITIVE)
LEARN_COLUMNS(columns_trig, SAC_PHI_TRIG)
LEARN_COLUMNS(columns_hybrid, SAC_PHI_HYBRID)

// --- the projection of a picture's patches: weights, bias; the picture is the same in every run ---

enum
{
    PIXELS_PATCH = 3,
    PIXELS_STRIDE = 2, // patches overlap
    PIXELS_ROWS = 9,   // four rows of the grid at a time, so that one is left
    PIXELS_COLUMNS = 16,
    PIXELS_C = 3,
    PIXELS_O = 7,
    PIXELS_N = PIXELS_ROWS * PIXELS_COLUMNS,
    PIXELS_SIZE = PIXELS_PATCH * PIXELS_PATCH * PIXELS_C,
    PIXELS_H = (PIXELS_ROWS - 1) * PIXELS_STRIDE + PIXELS_PATCH,
    PIXELS_W = (PIXELS_COLUMNS - 1) * PIXELS_STRIDE + PIXELS_PATCH
};

// byte i of the picture; tests/learn/parity.py has the same
static uint8_t learn_pixel(int i)
{
    return (uint8_t)((uint32_t)i * 2654435761u >> 24);
}

static void run_pixels(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    uint8_t bytes[PIXELS_H * PIXELS_W * PIXELS_C];
    float *image = p->kept;
    const sac_patches patches = sac_patches_create(PIXELS_H, PIXELS_W, PIXELS_C, PIXELS_PATCH, PIXELS_STRIDE, PIXELS_O);
    for (int i = 0; i < PIXELS_H * PIXELS_W * PIXELS_C; i++)
    {
        bytes[i] = learn_pixel(i);
        image[i] = (float)bytes[i] / 255.0f;
    }
    p->l.kernels.project_floats(out, PIXELS_N, image, in[0], &patches, p->workspace);
    for (int i = 0; i < PIXELS_O * PIXELS_N; i++) out[i] += in[1][i / PIXELS_N];
    if (!dout) return;
    p->l.pixels_backward(&p->l, &patches, din[0], din[1], dout, PIXELS_N, bytes, p->workspace);
    for (int i = 0; i < PIXELS_O * PIXELS_SIZE; i++) din[0][i] *= 1.0f / 255.0f;
}

static void twin_pixels(double *const *in, double *out)
{
    for (int at = 0; at < PIXELS_O * PIXELS_N; at++)
    {
        const int o = at / PIXELS_N, n = at % PIXELS_N, line = PIXELS_PATCH * PIXELS_C;
        out[at] = in[1][o];
        for (int i = 0; i < PIXELS_SIZE; i++)
        {
            const int y = n / PIXELS_COLUMNS * PIXELS_STRIDE + i / line, x = n % PIXELS_COLUMNS * PIXELS_STRIDE;
            out[at] += in[0][o * PIXELS_SIZE + i] * learn_pixel((y * PIXELS_W + x) * PIXELS_C + i % line) / 255.0;
        }
    }
}

// --- Gaussian heads: x, targets, roots ---

enum
{
    HEAD_H = 2,
    HEAD_ROWS = 5,
    HEAD_COLUMNS = 4,
    HEAD_L = HEAD_ROWS * HEAD_COLUMNS,
    HEAD_C = 3
};

static void see_through(const learn_place *p, const float *weights, const float *x, float *out, const float *dout,
                        float *dx, float *dweights)
{
    const ptrdiff_t all = HEAD_L * HEAD_L, each = HEAD_L * HEAD_C;
    for (int h = 0; h < HEAD_H; h++)
    {
        // out_h = A_h x: a product, and the two of its gradients
        const sac_gemm seen = {HEAD_L, HEAD_C, HEAD_L, weights + h * all,  HEAD_L, 1, x, HEAD_C, 1, out + h * each,
                               HEAD_C, false,  NULL,   SAC_ACTIVATION_NONE};
        const sac_gemm back = {HEAD_L, HEAD_C, HEAD_L, weights + h * all,  1, HEAD_L, dout + h * each, HEAD_C, 1, dx,
                               HEAD_C, h > 0,  NULL,   SAC_ACTIVATION_NONE};
        const sac_gemm of_weights = {
            HEAD_L, HEAD_L, HEAD_C, dout + h * each,    HEAD_C, 1, x, 1, HEAD_C, dweights + h * all,
            HEAD_L, false,  NULL,   SAC_ACTIVATION_NONE};
        p->l.gemm(&seen, p->l.scratch);
        if (!dx) continue;
        p->l.gemm(&back, p->l.scratch);
        p->l.gemm(&of_weights, p->l.scratch);
    }
}

static void run_heads(const learn_place *p, float *const *in, float *out, const float *dout, float *const *din)
{
    const sac_learn *l = &p->l;
    const sac_place_heads g = {HEAD_H, HEAD_ROWS, HEAD_COLUMNS};
    float *tables = p->kept, *dtables = tables + sac_place_heads_tables(&g);
    float *weights = p->workspace, *dweights = weights + HEAD_H * HEAD_L * HEAD_L;
    l->gaussian_forward(l, &g, tables, in[1], in[2]);
    l->place_heads_forward(l, &g, weights, tables);
    see_through(p, weights, in[0], out, dout, dout ? din[0] : NULL, dweights);
    if (!dout) return;
    memset(dtables, 0, sac_place_heads_tables(&g) * sizeof *dtables);
    l->place_heads_backward(l, &g, dtables, dweights, weights);
    l->gaussian_backward(l, &g, din[1], din[2], dtables, in[1], in[2]);
}

static void twin_heads(double *const *in, double *out)
{
    for (int at = 0; at < HEAD_H * HEAD_L; at++)
    {
        const double *target = in[1] + at / HEAD_L * 2, *root = in[2] + at / HEAD_L * 4;
        double logits[HEAD_L], weights[HEAD_L];
        for (int j = 0; j < HEAD_L; j++)
        {
            double row = at % HEAD_L / HEAD_COLUMNS - j / HEAD_COLUMNS - target[0];
            double column = at % HEAD_L % HEAD_COLUMNS - j % HEAD_COLUMNS - target[1];
            double a = root[0] * row + root[1] * column, b = root[2] * row + root[3] * column;
            logits[j] = -(a * a + b * b) / 2;
        }
        twin_softmax_row(weights, logits, HEAD_L);
        for (int c = 0; c < HEAD_C; c++)
        {
            out[at * HEAD_C + c] = 0;
            for (int j = 0; j < HEAD_L; j++) out[at * HEAD_C + c] += weights[j] * in[0][j * HEAD_C + c];
        }
    }
}

// --- the table ---

#define LEARN_RUN(name) .run = run_##name, .twin = twin_##name
#define LEARN_LSTM_ARRAYS                                                                              \
    {                                                                                                  \
        {"x", LSTM_T * LSTM_B, LSTM_I, false, false}, {"hidden", LSTM_B, LSTM_H, false, false},        \
            {"cell", LSTM_B, LSTM_H, false, false}, {"weight_ih", 4 * LSTM_H, LSTM_I, false, false},   \
            {"weight_hh", 4 * LSTM_H, LSTM_H, false, false}, {"bias_ih", 1, 4 * LSTM_H, false, false}, \
            {"bias_hh", 1, 4 * LSTM_H, false, false},                                                  \
    }
#define LEARN_TOKENS                                                                      \
    {"q", ATT_M, ATT_H * ATT_D, false, false}, {"k", ATT_N, ATT_H * ATT_D, false, false}, \
    {                                                                                     \
        "v", ATT_N, ATT_H *ATT_V, false, false                                            \
    }
#define LEARN_MAP_ARRAYS(features)                                                                        \
    {                                                                                                     \
        LEARN_TOKENS, {"matrix_q", ATT_F, ATT_D, false, false}, {"matrix_k", ATT_F, ATT_D, false, false}, \
            {"gains_q", 1, features, false, true}, {"gains_k", 1, features, false, true},                 \
            {"directions", ATT_R, ATT_D, true, false},                                                    \
    }
#define LEARN_MAP_CASE(phi, features, above, share)                                                      \
    {                                                                                                    \
        .name = #phi, .in = LEARN_MAP_ARRAYS(features), .out_rows = ATT_M, .out_columns = ATT_H * ATT_V, \
        .positive = above, .learnt = share, LEARN_RUN(phi)                                               \
    }
#define LEARN_COLUMNS_CASE(columns, features, above, fixed_gains, share)                                      \
    {                                                                                                         \
        .name = #columns,                                                                                     \
        .in = {{"x", ATT_D, PLANAR_N, false, false},                                                          \
               {"matrix", ATT_F, ATT_D, false, false},                                                        \
               {"gains", 1, features, fixed_gains, true},                                                     \
               {"directions", ATT_R, ATT_D, true, false}},                                                    \
        .out_rows = features, .out_columns = PLANAR_N, .positive = above, .learnt = share, LEARN_RUN(columns) \
    }

static const learn_case learn_cases[] = {
    {.name = "linear",
     .in = {{"x", LIN_N, LIN_I, false, false},
            {"weights", LIN_O, LIN_I, false, false},
            {"bias", 1, LIN_O, false, false}},
     .out_rows = LIN_N,
     .out_columns = LIN_O,
     LEARN_RUN(linear)},
    {.name = "relu",
     .in = {{"x", 1, CURVE_N, false, false}},
     .out_rows = 1,
     .out_columns = CURVE_N,
     .positive = true,
     LEARN_RUN(relu)},
    {.name = "tanh", .in = {{"x", 1, CURVE_N, false, false}}, .out_rows = 1, .out_columns = CURVE_N, LEARN_RUN(tanh)},
    {.name = "sigmoid",
     .in = {{"x", 1, CURVE_N, false, false}},
     .out_rows = 1,
     .out_columns = CURVE_N,
     LEARN_RUN(sigmoid)},
    {.name = "gelu",
     .in = {{"x", 1, CURVE_N, false, false}},
     .out_rows = 1,
     .out_columns = CURVE_N,
     .positive = true,
     LEARN_RUN(gelu)},
    {.name = "norm",
     .in = {{"x", ROW_N, ROW_C, false, false}, {"gain", 1, ROW_C, false, false}, {"shift", 1, ROW_C, false, false}},
     .out_rows = ROW_N,
     .out_columns = ROW_C,
     LEARN_RUN(norm)},
    {.name = "unit",
     .in = {{"x", ROW_N, ROW_C, false, false}},
     .out_rows = ROW_N,
     .out_columns = ROW_C,
     LEARN_RUN(unit)},
    {.name = "softmax",
     .in = {{"x", ROW_N, ROW_C, false, false}},
     .out_rows = ROW_N,
     .out_columns = ROW_C,
     LEARN_RUN(softmax)},
    {.name = "convolution",
     .in = {{"x", PIC_H *PIC_W, PIC_C, false, false},
            {"weights", PIC_O, PIC_PATCH *PIC_PATCH *PIC_C, false, false},
            {"bias", 1, PIC_O, false, false}},
     .out_rows = PIC_ROWS * PIC_COLUMNS,
     .out_columns = PIC_O,
     LEARN_RUN(convolution)},
    {.name = "max_pooling",
     .in = {{"x", PIC_H *PIC_W, PIC_C, false, false}},
     .out_rows = POOL_ROWS * POOL_COLUMNS,
     .out_columns = PIC_C,
     .learnt = 0.5, // a pixel is in several squares: some minima are local
     LEARN_RUN(max_pooling)},
    {.name = "average_pooling",
     .in = {{"x", PIC_H *PIC_W, PIC_C, false, false}},
     .out_rows = POOL_ROWS * POOL_COLUMNS,
     .out_columns = PIC_C,
     LEARN_RUN(average_pooling)},
    {.name = "lstm",
     .in = LEARN_LSTM_ARRAYS,
     .out_rows = LSTM_T * LSTM_B,
     .out_columns = LSTM_H,
     .learnt = 0.05,
     LEARN_RUN(lstm)},
    {.name = "lstm_starts",
     .in = LEARN_LSTM_ARRAYS,
     .out_rows = LSTM_T * LSTM_B,
     .out_columns = LSTM_H,
     .learnt = 0.05,
     LEARN_RUN(lstm_starts)},
    {.name = "attend", .in = {LEARN_TOKENS}, .out_rows = ATT_M, .out_columns = ATT_H * ATT_V, LEARN_RUN(attend)},
    {.name = "plain",
     .in = {LEARN_TOKENS},
     .out_rows = ATT_M,
     .out_columns = ATT_H * ATT_V,
     .positive = true,
     LEARN_RUN(plain)},
    LEARN_MAP_CASE(map_relu, ATT_F, true, 0),
    LEARN_MAP_CASE(map_exp, ATT_F, false, 0),
    LEARN_MAP_CASE(map_square, ATT_F, true, 0),
    LEARN_MAP_CASE(map_positive, ATT_F, false, 0),
    LEARN_MAP_CASE(map_trig, 2 * ATT_F, false, 0),
    LEARN_MAP_CASE(map_hybrid, 3 * ATT_F * (1 + ATT_R), false, 0.2), // its signs jump
    {.name = "square_loss",
     .in = {{"x", 1, CURVE_N, false, false}, {"target", 1, CURVE_N, true, false}},
     .out_rows = 1,
     .out_columns = 1,
     .is_loss = true,
     LEARN_RUN(square_loss)},
    {.name = "huber_loss",
     .in = {{"x", 1, CURVE_N, false, false}, {"target", 1, CURVE_N, true, false}},
     .out_rows = 1,
     .out_columns = 1,
     .is_loss = true,
     LEARN_RUN(huber_loss)},
    {.name = "cross_entropy",
     .in = {{"x", ROW_N, ROW_C, false, false}},
     .out_rows = 1,
     .out_columns = 1,
     .is_loss = true,
     LEARN_RUN(cross_entropy)},
    {.name = "categorical",
     .in = {{"x", ROW_N, ROW_C, false, false}, {"target", ROW_N, ROW_C, true, false}},
     .out_rows = 1,
     .out_columns = 1,
     .is_loss = true,
     LEARN_RUN(categorical)},
    {.name = "expected_cost",
     .in = {{"x", ROW_N, ROW_C, false, false}, {"cost", ROW_N, ROW_C, true, false}},
     .out_rows = 1,
     .out_columns = 1,
     .is_loss = true,
     LEARN_RUN(expected_cost)},
    {.name = "gaussian",
     .in = {{"mean", 1, CURVE_N, false, false},
            {"log", 1, CURVE_N, false, false},
            {"target_mean", 1, CURVE_N, true, false},
            {"target_log", 1, CURVE_N, true, false}},
     .out_rows = 1,
     .out_columns = 1,
     .is_loss = true,
     LEARN_RUN(gaussian)},
    {.name = "likelihood",
     .in = {{"x", ROW_N, ROW_C, true, false}, {"mean", ROW_N, ROW_C, false, false}, {"log", 1, ROW_C, false, false}},
     .out_rows = ROW_N,
     .out_columns = 1,
     LEARN_RUN(likelihood)},
    {.name = "likelihood_rows",
     .in = {{"x", ROW_N, ROW_C, true, false},
            {"mean", ROW_N, ROW_C, false, false},
            {"log", ROW_N, ROW_C, false, false}},
     .out_rows = ROW_N,
     .out_columns = 1,
     LEARN_RUN(likelihood_rows)},
    {.name = "entropy",
     .in = {{"x", ROW_N, ROW_C, false, false}},
     .out_rows = ROW_N,
     .out_columns = 1,
     LEARN_RUN(entropy)},
    {.name = "gaussian_entropy",
     .in = {{"log", 1, ROW_C, false, false}},
     .out_rows = ROW_N,
     .out_columns = 1,
     LEARN_RUN(gaussian_entropy)},
    {.name = "choose",
     .in = {{"scores", 1, CHOICE_N, false, false}},
     .out_rows = CHOICE_K,
     .out_columns = CHOICE_N,
     .learnt = 0.4, // its order jumps
     LEARN_RUN(choose)},
    {.name = "unit_columns",
     .in = {{"x", PLANAR_D, PLANAR_N, false, false}},
     .out_rows = PLANAR_D,
     .out_columns = PLANAR_N,
     LEARN_RUN(unit_columns)},
    {.name = "columns_plain",
     .in = {{"x", ATT_D, PLANAR_N, false, false}},
     .out_rows = ATT_D,
     .out_columns = PLANAR_N,
     .positive = true,
     LEARN_RUN(columns_plain)},
    LEARN_COLUMNS_CASE(columns_relu, ATT_F, true, false, 0),
    LEARN_COLUMNS_CASE(columns_exp, ATT_F, false, false, 0),
    LEARN_COLUMNS_CASE(columns_square, ATT_F, true, false, 0),
    LEARN_COLUMNS_CASE(columns_positive, ATT_F, false, false, 0),
    LEARN_COLUMNS_CASE(columns_trig, 2 * ATT_F, false, true, 0),
    LEARN_COLUMNS_CASE(columns_hybrid, COLUMN_FEATURES, false, true, 0.4), // its signs jump
    {.name = "pixels",
     .in = {{"weights", PIXELS_O, PIXELS_SIZE, false, false}, {"bias", 1, PIXELS_O, false, false}},
     .out_rows = PIXELS_O,
     .out_columns = PIXELS_N,
     LEARN_RUN(pixels)},
    {.name = "heads",
     .in = {{"x", HEAD_L, HEAD_C, false, false},
            {"targets", HEAD_H, 2, false, false},
            {"roots", HEAD_H, 4, false, false}},
     .out_rows = HEAD_H * HEAD_L,
     .out_columns = HEAD_C,
     .learnt = 0.1, // a head that looks the wrong way sees no slope
     LEARN_RUN(heads)},
    {.name = "tiles",
     .in = {{"x", TILES_N, TILES_C, false, false}, {"weights", TILES_C, 9 * TILES_C, false, false}},
     .out_rows = TILES_N,
     .out_columns = TILES_C,
     LEARN_RUN(tiles)},
    {.name = "batch_norm",
     .in = {{"x", ROW_N, ROW_C, false, false},
            {"gain", 1, ROW_C, false, true},
            {"shift", 1, ROW_C, false, false},
            {"beside", ROW_N, ROW_C, false, false}},
     .out_rows = ROW_N,
     .out_columns = ROW_C,
     .positive = true,
     .learnt = 0.3, // what ReLU cuts off at first has no slope
     LEARN_RUN(batch_norm)},
};

enum
{
    LEARN_CASES = sizeof learn_cases / sizeof *learn_cases
};

/// A case's arrays, gradients and room.
typedef struct learn_scene
{
    const learn_case *c;
    int arrays, out_count;
    float *in[LEARN_ARRAYS], *din[LEARN_ARRAYS], *out, *dout;
    learn_place place;
    void *scratch;
} learn_scene;

static void *learn_memory(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!memory) abort();
    return memory;
}

// uniform numbers in -1..1
static void learn_fill(float *out, int count, uint64_t seed)
{
    sac_stream stream = sac_stream_create(seed, 0, 0);
    for (int i = 0; i < count; i++) out[i] = (float)sac_stream_uniform(&stream, -1.0, 1.0);
}

// arrays without a gradient have a seed of their own
static void learn_scene_fill(learn_scene *s, uint64_t seed, uint64_t fixed_seed, bool positive)
{
    for (int i = 0; i < s->arrays; i++)
    {
        int count = learn_count(&s->c->in[i]);
        learn_fill(s->in[i], count, (s->c->in[i].fixed ? fixed_seed : seed) + (uint64_t)i);
        for (int j = 0; (s->c->in[i].positive || (positive && !s->c->in[i].fixed)) && j < count; j++)
            s->in[i][j] = 0.05f + 0.95f * fabsf(s->in[i][j]);
    }
    learn_fill(s->dout, s->out_count, seed + 100);
}

static learn_scene learn_scene_create(const learn_case *c, uint64_t seed)
{
    learn_scene s = {.c = c, .out_count = c->out_rows * c->out_columns};
    for (; s.arrays < LEARN_ARRAYS && c->in[s.arrays].name; s.arrays++)
    {
        size_t size = (size_t)learn_count(&c->in[s.arrays]) * sizeof(float);
        s.in[s.arrays] = learn_memory(size);
        s.din[s.arrays] = learn_memory(size);
    }
    s.out = learn_memory((size_t)s.out_count * sizeof(float));
    s.dout = learn_memory((size_t)s.out_count * sizeof(float));
    s.place.kept = learn_memory(2 * LEARN_ROOM * sizeof(float));
    s.place.workspace = s.place.kept + LEARN_ROOM;
    for (int i = 0; i < 2 * LEARN_ROOM; i++) s.place.kept[i] = NAN;
    s.scratch = learn_memory(SAC_LEARN_SCRATCH);
    learn_scene_fill(&s, seed, seed, false);
    return s;
}

static void learn_scene_destroy(learn_scene *s)
{
    for (int i = 0; i < s->arrays; i++) free(s->in[i]), free(s->din[i]);
    free(s->out), free(s->dout), free(s->place.kept), free(s->scratch);
}

// forward and backward at the level in use; gradients of parameters begin at zero
static void learn_scene_run(learn_scene *s)
{
    s->place.l = sac_learn_create(s->scratch);
    for (int i = 0; i < s->arrays; i++) memset(s->din[i], 0, (size_t)learn_count(&s->c->in[i]) * sizeof(float));
    s->c->run(&s->place, s->in, s->out, s->dout, s->din);
}

// of what a case gives and its gradients
static inline uint32_t learn_digest(const learn_case *c)
{
    learn_scene s = learn_scene_create(c, 1);
    learn_scene_run(&s);
    uint32_t hash = 1;
    for (int i = -1; i < s.arrays; i++)
    {
        const unsigned char *bytes = (const unsigned char *)(i < 0 ? s.out : s.din[i]);
        size_t size = (size_t)(i < 0 ? s.out_count : learn_count(&c->in[i])) * sizeof(float);
        for (size_t j = 0; j < size; j++) hash = (hash ^ bytes[j]) * 16777619u;
    }
    learn_scene_destroy(&s);
    return hash;
}
