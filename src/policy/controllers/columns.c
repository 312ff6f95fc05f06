#include "policy/controllers/columns.h"

#ifdef SAC_LEVEL_SCALAR

#include <math.h>
#include <stddef.h>

#include "kernels/scalar.h"

// Column by column, the operations of sac_dense_scalar in its order.
void sac_dense_columns_scalar(float *out, const float *weights, const float *bias, const float *x, int outputs,
                              int inputs)
{
    for (int o = 0; o < outputs; o++)
        for (int column = 0; column < SAC_LANES; column++)
        {
            float lanes[SAC_LANES] = {0};
            for (int i = 0; i < inputs; i++)
                lanes[i % SAC_LANES] = fmaf(weights[(size_t)o * (size_t)inputs + (size_t)i], x[i * SAC_LANES + column],
                                            lanes[i % SAC_LANES]);
            out[o * SAC_LANES + column] = sum_lanes(lanes) + bias[o];
        }
}

#else

#include "base/lanes/level.h"
#include "kernels/kernels.h"

enum
{
    COLUMN_ROWS = 4 // of weights at a time: all that is under way stays in the registers of AVX-512
};

// Partial sum `from` of each of four rows: every sixteenth product. A vector holds one number of 16 columns.
LANES void columns_part(lanes *sum, const float *const *w, const float *x, int inputs, int from)
{
    for (int r = 0; r < COLUMN_ROWS; r++) sum[r] = lanes_set(0.0f);
    for (int i = from; i < inputs; i += SAC_LANES)
    {
        lanes value = lanes_load(x + (ptrdiff_t)i * SAC_LANES);
        for (int r = 0; r < COLUMN_ROWS; r++) sum[r] = lanes_fma(lanes_set(w[r][i]), value, sum[r]);
    }
}

// Two partial sums become one, those that lane `from` and lane `from` + step hold where a row is a vector: the order of
// lanes_sum, so that the bits are those of the kernel `dense`.
#define COLUMNS_HALVES(name, half, step)                                                     \
    LANES void name(lanes *sum, const float *const *w, const float *x, int inputs, int from) \
    {                                                                                        \
        lanes other[COLUMN_ROWS];                                                            \
        half(sum, w, x, inputs, from);                                                       \
        half(other, w, x, inputs, from + (step));                                            \
        for (int r = 0; r < COLUMN_ROWS; r++) sum[r] = lanes_add(sum[r], other[r]);          \
    }
COLUMNS_HALVES(columns_2, columns_part, 8)
COLUMNS_HALVES(columns_4, columns_2, 4)
COLUMNS_HALVES(columns_8, columns_4, 2)
COLUMNS_HALVES(columns_16, columns_8, 1)

// Sixteen columns fill a vector, so that no lanes need to be added up, which is most of the time of `dense`, and each
// weight is read once for all of them. Rows past the last are the last one again, so that the long loop is there once.
void SAC_LEVEL_NAME(sac_dense_columns)(float *out, const float *weights, const float *bias, const float *x, int outputs,
                                       int inputs)
{
    for (int o = 0; o < outputs; o += COLUMN_ROWS)
    {
        lanes sum[COLUMN_ROWS];
        const float *w[COLUMN_ROWS];
        for (int r = 0; r < COLUMN_ROWS; r++)
            w[r] = weights + (size_t)(o + r < outputs ? o + r : outputs - 1) * (size_t)inputs;
        columns_16(sum, w, x, inputs, 0);
        for (int r = 0; r < COLUMN_ROWS && o + r < outputs; r++)
            lanes_store(out + (ptrdiff_t)(o + r) * SAC_LANES, lanes_add(sum[r], lanes_set(bias[o + r])));
    }
}

#endif
