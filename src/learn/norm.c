#include "learn/layer.h"

/// Layer normalisation: x [N, C], gain [C], shift [C], out [N, C].

void LAYER(norm_forward)(const sac_learn *l, float *out, float *kept, const float *x, const float *gain,
                         const float *shift, float epsilon, int rows, int size)
{
    (void)l;
    const float share = 1.0f / (float)size;
    for (int i = 0; i < rows; i++, out += size, x += size)
    {
        float mean = row_total(x, size) * share, squares;
        ROW_SUM(squares, size, j, lane, fmaf(x[j] - mean, x[j] - mean, lane));
        float inverse = 1.0f / sqrtf(squares * share + epsilon);
        // out = (x - mean) / deviation * gain + shift
        for (int j = 0; j < size; j++) out[j] = fmaf((x[j] - mean) * inverse, gain[j], shift[j]);
        kept[2 * i] = mean;
        kept[2 * i + 1] = inverse;
    }
}

void LAYER(norm_backward)(const sac_learn *l, float *dx, float *dgain, float *dshift, const float *dout, const float *x,
                          const float *kept, const float *gain, int rows, int size)
{
    (void)l;
    const float share = 1.0f / (float)size;
    for (int i = 0; i < rows; i++, dout += size, x += size)
    {
        float mean = kept[2 * i], inverse = kept[2 * i + 1];
        // gradient with respect to gain and shift of (x - mean) / deviation * gain + shift
        if (dgain)
            for (int j = 0; j < size; j++) dgain[j] = fmaf(dout[j], (x[j] - mean) * inverse, dgain[j]);
        if (dshift)
            for (int j = 0; j < size; j++) dshift[j] += dout[j];
        if (!dx) continue;
        // gradient with respect to x, on which mean and deviation depend as well: dout gain, less its mean and its
        // part along x
        float total, along;
        ROW_SUM(total, size, j, lane, fmaf(dout[j], gain[j], lane));
        ROW_SUM(along, size, j, lane, fmaf(dout[j] * gain[j], (x[j] - mean) * inverse, lane));
        total *= share;
        along *= share;
        for (int j = 0; j < size; j++)
            dx[j] = inverse * fmaf(-((x[j] - mean) * inverse), along, fmaf(dout[j], gain[j], -total));
        dx += size;
    }
}

/// Rows of one length: x [N, C], out = scale x / |x|.

void LAYER(unit_forward)(const sac_learn *l, float *out, float *kept, const float *x, float scale, int rows, int size)
{
    (void)l;
    for (int i = 0; i < rows; i++, out += size, x += size)
    {
        float square = row_dot(x, x, size), factor = square > 0.0f ? scale / sqrtf(square) : 0.0f;
        for (int j = 0; j < size; j++) out[j] = factor * x[j];
        kept[i] = factor;
    }
}

void LAYER(unit_backward)(const sac_learn *l, float *dx, const float *dout, const float *out, const float *kept,
                          float scale, int rows, int size)
{
    (void)l;
    for (int i = 0; i < rows; i++, dx += size, dout += size, out += size)
    {
        // gradient with respect to x of scale x / |x|: no part of it lies along x, because the length cannot change
        float along = row_dot(dout, out, size) / (scale * scale);
        for (int j = 0; j < size; j++) dx[j] = kept[i] * fmaf(-along, out[j], dout[j]);
    }
}
