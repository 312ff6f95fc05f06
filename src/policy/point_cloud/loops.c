#include "policy/point_cloud/loops.h"

#include <math.h>

enum
{
    LANES = 16
};

static void bias(float *x, const float *bias, bool relu, int rows, int count, int stride)
{
    for (int r = 0; r < rows; r++, x += stride)
    {
        const float b = bias[r];
        if (relu)
            for (int i = 0; i < count; i++) x[i] = x[i] + b > 0 ? x[i] + b : 0;
        else
            for (int i = 0; i < count; i++) x[i] += b;
    }
}

// Sums run over the rows in their order, sixteen columns at a time.
static void norm_columns(float *x, const float *more, const float *bias, const float *gain, const float *shift,
                         float least, int rows, int stride)
{
    const float share = 1 / (float)rows;
    float mean[LANES] = {0}, square[LANES] = {0};
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < LANES; i++)
        {
            const ptrdiff_t at = (ptrdiff_t)r * stride + i;
            x[at] += more[at] + bias[r];
            mean[i] += x[at];
        }
    for (int i = 0; i < LANES; i++) mean[i] *= share;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < LANES; i++)
        {
            const float apart = x[(ptrdiff_t)r * stride + i] - mean[i];
            square[i] += apart * apart;
        }
    for (int i = 0; i < LANES; i++) square[i] = 1 / sqrtf(square[i] * share + least);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < LANES; i++)
        {
            float *to = x + (ptrdiff_t)r * stride + i;
            *to = (*to - mean[i]) * square[i] * gain[r] + shift[r];
        }
}

// The stride is in whole lanes, and columns past the last one hold numbers that nobody reads.
static void norm(float *x, const float *more, const float *bias, const float *gain, const float *shift, float least,
                 int rows, int count, int stride)
{
    for (int first = 0; first < count; first += LANES)
        norm_columns(x + first, more + first, bias, gain, shift, least, rows, stride);
}

static void pool(float *largest, float *mean, const float *x, int rows, int count, int stride)
{
    for (int r = 0; r < rows; r++, x += stride)
    {
        float sums[LANES] = {0}, most[LANES];
        for (int i = 0; i < LANES; i++) most[i] = count > 0 ? x[0] : 0;
        const int whole = count / LANES * LANES;
        for (int first = 0; first < whole; first += LANES)
            for (int i = 0; i < LANES; i++)
            {
                sums[i] += x[first + i];
                most[i] = x[first + i] > most[i] ? x[first + i] : most[i];
            }
        for (int i = 0; i < count - whole; i++)
        {
            sums[i] += x[whole + i];
            most[i] = x[whole + i] > most[i] ? x[whole + i] : most[i];
        }
        for (int half = LANES / 2; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
            {
                sums[i] += sums[half + i];
                most[i] = most[half + i] > most[i] ? most[half + i] : most[i];
            }
        largest[r] = most[0];
        mean[r] = count > 0 ? sums[0] / (float)count : 0;
    }
}

const sac_pct_loops SAC_LEVEL_NAME(sac_pct_loops) = {.bias = bias, .norm = norm, .pool = pool};
