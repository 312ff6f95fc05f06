#include "learn/layer.h"

/// A linear layer: x [N, I], weights [O, I], bias [O], out [N, O].

void LAYER(linear_forward)(const sac_learn *l, float *out, const float *x, const float *weights, const float *bias,
                           int rows, int inputs, int outputs, sac_activation activation)
{
    // out[n][o] = f(bias[o] + sum_i x[n][i] weights[o][i])
    layer_gemm(l, (sac_gemm){.rows = rows,
                             .columns = outputs,
                             .inner = inputs,
                             .a = x,
                             .a_row = inputs,
                             .a_column = 1,
                             .b = weights,
                             .b_row = 1,
                             .b_column = inputs,
                             .out = out,
                             .out_row = outputs,
                             .bias = bias,
                             .activation = activation});
}

void LAYER(linear_backward)(const sac_learn *l, float *dx, float *dweights, float *dbias, const float *dout,
                            const float *x, const float *weights, int rows, int inputs, int outputs)
{
    // gradient with respect to x[n][i] of sum_i x[n][i] weights[o][i]
    if (dx)
        layer_gemm(l, (sac_gemm){.rows = rows,
                                 .columns = inputs,
                                 .inner = outputs,
                                 .a = dout,
                                 .a_row = outputs,
                                 .a_column = 1,
                                 .b = weights,
                                 .b_row = inputs,
                                 .b_column = 1,
                                 .out = dx,
                                 .out_row = inputs});
    // gradient with respect to weights[o][i] of the same: a sum over rows
    if (dweights)
        layer_gemm(l, (sac_gemm){.rows = outputs,
                                 .columns = inputs,
                                 .inner = rows,
                                 .a = dout,
                                 .a_row = 1,
                                 .a_column = outputs,
                                 .b = x,
                                 .b_row = inputs,
                                 .b_column = 1,
                                 .out = dweights,
                                 .out_row = inputs,
                                 .add = true});
    if (dbias) add_columns(dbias, dout, rows, outputs);
}
