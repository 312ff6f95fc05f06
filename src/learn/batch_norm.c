#include "learn/layer.h"

/// Batch normalisation of each channel over samples and places (Ioffe and Szegedy 2015): x [N, C], gain [C], shift [C],
/// out = f((x - mean) / deviation * gain + shift + beside). The samples of a minibatch lie in slices, so what is summed
/// over all of them is summed by one call and used by the next: moments first, then the norm.

enum
{
    CHANNELS = 4 * SAC_LANES, // at a time
    ROWS = 32,                // that are summed in floats before doubles take over
};

#define PART static inline __attribute__((always_inline))

PART void spill(double *restrict sums, float *restrict some, int count)
{
    for (int c = 0; c < count; c++)
    {
        sums[c] += (double)some[c];
        some[c] = 0.0f;
    }
}

PART void moments_part(double *restrict sums, double *restrict squares, const float *restrict x, int rows, int size,
                       int count)
{
    float some[CHANNELS] = {0}, some_squares[CHANNELS] = {0};
    for (int i = 0; i < rows; i++, x += size)
    {
        for (int c = 0; c < count; c++)
        {
            some[c] += x[c];
            some_squares[c] = fmaf(x[c], x[c], some_squares[c]);
        }
        if (i % ROWS == ROWS - 1) spill(sums, some, count), spill(squares, some_squares, count);
    }
    spill(sums, some, count);
    spill(squares, some_squares, count);
}

void LAYER(moments)(const sac_learn *l, double *sums, const float *x, int rows, int size)
{
    (void)l;
    int c = 0;
    for (; c + CHANNELS <= size; c += CHANNELS) moments_part(sums + c, sums + size + c, x + c, rows, size, CHANNELS);
    for (; c + SAC_LANES <= size; c += SAC_LANES) moments_part(sums + c, sums + size + c, x + c, rows, size, SAC_LANES);
    if (c < size) moments_part(sums + c, sums + size + c, x + c, rows, size, size - c);
}

PART void norm_row(float *restrict out, const float *restrict x, const float *restrict beside,
                   const float *restrict scale, const float *restrict move, int size, bool beside_too, bool relu)
{
    for (int c = 0; c < size; c++)
    {
        float y = fmaf(x[c], scale[c], move[c]);
        if (beside_too) y += beside[c];
        out[c] = relu ? sac_max(y, 0.0f) : y;
    }
}

void LAYER(batch_norm_forward)(const sac_learn *l, const sac_batch_norm *n, float *out, const float *x,
                               const float *beside)
{
    (void)l;
    const int size = n->size;
    for (int i = 0; i < n->rows; i++, x += size, out += size)
    {
        if (beside && n->relu)
            norm_row(out, x, beside, n->scale, n->move, size, true, true);
        else if (beside)
            norm_row(out, x, beside, n->scale, n->move, size, true, false);
        else if (n->relu)
            norm_row(out, x, x, n->scale, n->move, size, false, true);
        else
            norm_row(out, x, x, n->scale, n->move, size, false, false);
        if (beside) beside += size;
    }
}

PART void sums_part(double *restrict sums, double *restrict along, const float *restrict dout,
                    const float *restrict out, const float *restrict x, const float *restrict mean, int rows, int size,
                    int count, bool relu)
{
    float some[CHANNELS] = {0}, some_along[CHANNELS] = {0};
    for (int i = 0; i < rows; i++, x += size, dout += size, out += size)
    {
        for (int c = 0; c < count; c++)
        {
            const float d = !relu || out[c] > 0.0f ? dout[c] : 0.0f;
            some[c] += d;
            some_along[c] = fmaf(d, x[c] - mean[c], some_along[c]);
        }
        if (i % ROWS == ROWS - 1) spill(sums, some, count), spill(along, some_along, count);
    }
    spill(sums, some, count);
    spill(along, some_along, count);
}

void LAYER(batch_norm_sums)(const sac_learn *l, const sac_batch_norm *n, double *sums, const float *dout,
                            const float *out, const float *x)
{
    (void)l;
    const int size = n->size;
    for (int c = 0; c < size;)
    {
        const int count = size - c >= CHANNELS ? CHANNELS : size - c >= SAC_LANES ? SAC_LANES : size - c;
        double *along = sums + size + c;
        // constants, so that whole parts become vectors
        if (count == CHANNELS && n->relu)
            sums_part(sums + c, along, dout + c, out + c, x + c, n->mean + c, n->rows, size, CHANNELS, true);
        else if (count == CHANNELS)
            sums_part(sums + c, along, dout + c, out + c, x + c, n->mean + c, n->rows, size, CHANNELS, false);
        else if (count == SAC_LANES)
            sums_part(sums + c, along, dout + c, out + c, x + c, n->mean + c, n->rows, size, SAC_LANES, n->relu);
        else
            sums_part(sums + c, along, dout + c, out + c, x + c, n->mean + c, n->rows, size, count, n->relu);
        c += count;
    }
}

PART void back_row(float *restrict dx, float *restrict dbeside, const float *restrict dout, const float *restrict out,
                   const float *restrict x, const sac_batch_norm *n, bool relu, bool beside_too, bool add)
{
    const float *restrict scale = n->scale, *restrict mean = n->mean, *restrict level = n->level,
                          *restrict slope = n->slope;
    for (int c = 0; c < n->size; c++)
    {
        const float d = !relu || out[c] > 0.0f ? dout[c] : 0.0f;
        if (beside_too) dbeside[c] = add ? dbeside[c] + d : d;
        // the gradient of the norm, less its mean and its part along x, which cannot change
        dx[c] = scale[c] * fmaf(-slope[c], x[c] - mean[c], d - level[c]);
    }
}

void LAYER(batch_norm_backward)(const sac_learn *l, const sac_batch_norm *n, float *dx, float *dbeside,
                                const float *dout, const float *out, const float *x)
{
    (void)l;
    const int size = n->size;
    for (int i = 0; i < n->rows; i++, x += size, dx += size, dout += size, out += size)
    {
        if (!dbeside && n->relu)
            back_row(dx, NULL, dout, out, x, n, true, false, false);
        else if (!dbeside)
            back_row(dx, NULL, dout, out, x, n, false, false, false);
        else if (n->add)
            back_row(dx, dbeside, dout, out, x, n, n->relu, true, true);
        else
            back_row(dx, dbeside, dout, out, x, n, n->relu, true, false);
        if (dbeside) dbeside += size;
    }
}
