#include "kernels/elementary.h"
#include "kernels/kernels.h"
#include "kernels/scalar.h"

/// The definition of the exact form's kernels.

#define X(name, parameters) void sac_##name##_scalar parameters;
SAC_KERNEL_LIST(X)
#undef X

void sac_largest_square_scalar(float *largest, const float *x, int size, int n, int stride)
{
    float most = 0, lanes[SAC_LANES] = {0};
    for (int j = 0; j < n; j++)
    {
        float square = x[j] * x[j];
        for (int d = 1; d < size; d++) square = fmaf(x[d * stride + j], x[d * stride + j], square);
        most = sac_max(square, most);
        lanes[j % SAC_LANES] += square;
    }
    // 0 times what is not finite is not a number
    *largest = fmaf(sum_lanes(lanes), 0.0f, most);
}

// Computes q . k + start.
static float dot(float start, const float *query, const float *key, int size, int stride)
{
    float t = fmaf(query[0], key[0], start);
    for (int d = 1; d < size; d++) t = fmaf(query[d], key[d * stride], t);
    return t;
}

// The largest score of each row, which softmax subtracts so that no exponential overflows.
void sac_largest_scores_scalar(float *largest, const float *queries, int count, const float *keys, int size, int n,
                               int stride)
{
    for (int r = 0; r < count; r++)
    {
        largest[r] = -INFINITY;
        for (int j = 0; j < n; j++)
            largest[r] = sac_max(dot(0, queries + r * size, keys + j, size, stride), largest[r]);
    }
}

// Scores come in units of log2: queries were multiplied by the scale and log2(e), so 2^t is exp of the score. Without a
// shift |t| is at most SAC_NEAR, so that the cheaper exponential serves, which knows no ends of the range.
void sac_softmax_rows_scalar(float *rows, float *sums, const float *queries, const float *shift, int count,
                             const float *keys, const float *weights, int size, int n, int stride)
{
    int pitch = sac_round_up(n);
    for (int r = 0; r < count; r++)
    {
        float *row = rows + r * pitch, lanes[SAC_LANES] = {0};
        for (int j = 0; j < pitch; j++) row[j] = 0;
        for (int j = 0; j < n; j++)
        {
            float t = dot(shift ? -shift[r] : 0, queries + r * size, keys + j, size, stride);
            row[j] = shift ? sac_exp2(t) : sac_exp2_near(t);
        }
        for (int j = 0; j < n; j++) lanes[j % SAC_LANES] = fmaf(weights ? weights[j] : 1, row[j], lanes[j % SAC_LANES]);
        sums[r] = sum_lanes(lanes);
    }
}

// Importance is the sum of the rows of A (the votes of Tang, Nguyen and Ha 2020); shares[r] is one over the row's sum,
// times the number of queries that have this row.
void sac_add_rows_scalar(float *out, const float *rows, const float *shares, int count, int n)
{
    int pitch = sac_round_up(n);
    for (int r = 0; r < count; r++)
        for (int j = 0; j < n; j++) out[j] = fmaf(shares[r], rows[r * pitch + j], out[j]);
}

void sac_add_softmax_scalar(float *out, const float *queries, const float *numbers, int count, const float *keys,
                            const float *weights, int size, int n, int stride, float *rows)
{
    for (int i = 0; i < count; i += SAC_ROW_BLOCK)
    {
        float sums[SAC_ROW_BLOCK], shares[SAC_ROW_BLOCK];
        sac_softmax_rows_scalar(rows, sums, queries + i * size, NULL, SAC_ROW_BLOCK, keys, weights, size, n, stride);
        for (int r = 0; r < SAC_ROW_BLOCK; r++) shares[r] = numbers[i + r] / sums[r];
        sac_add_rows_scalar(out, rows, shares, SAC_ROW_BLOCK, n);
    }
}

// The rows times the values, which is the attention's output before the division by the row's sum.
void sac_weigh_rows_scalar(float *out, const float *rows, int count, const float *values, int value_size, int n,
                           int stride)
{
    int pitch = sac_round_up(n);
    for (int r = 0; r < count; r++)
        for (int v = 0; v < value_size; v++)
        {
            float lanes[SAC_LANES] = {0};
            for (int j = 0; j < n; j++)
                lanes[j % SAC_LANES] = fmaf(rows[r * pitch + j], values[v * stride + j], lanes[j % SAC_LANES]);
            out[r * value_size + v] += sum_lanes(lanes);
        }
}
