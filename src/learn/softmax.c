#include "learn/layer.h"

/// Softmax over rows: x [N, C], out [N, C].

void LAYER(softmax_forward)(const sac_learn *l, float *out, const float *x, int rows, int size)
{
    (void)l;
    for (int i = 0; i < rows; i++, out += size, x += size)
    {
        float largest = row_largest(x, size);
        for (int j = 0; j < size; j++) out[j] = sac_exp(x[j] - largest);
        // out[j] = e^x[j] / sum e^x
        float inverse = 1.0f / row_total(out, size);
        for (int j = 0; j < size; j++) out[j] *= inverse;
    }
}

void LAYER(softmax_backward)(const sac_learn *l, float *dx, const float *dout, const float *out, int rows, int size)
{
    (void)l;
    for (int i = 0; i < rows; i++, dx += size, dout += size, out += size)
    {
        // gradient with respect to x[j] of e^x[j] / sum e^x, whose rows sum to 1
        float mean = row_dot(dout, out, size);
        for (int j = 0; j < size; j++) dx[j] = out[j] * (dout[j] - mean);
    }
}
