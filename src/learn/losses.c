#include "base/series.h"
#include "learn/layer.h"

/// Losses: share times a sum of terms, and its gradient. Sums run in double, in SAC_LANES partial sums.

static const double half_log_turn = 0.91893853320467274178; // log(2 pi) / 2

typedef struct sum
{
    double lanes[SAC_LANES];
} sum;

static double sum_total(const sum *s)
{
    double lanes[SAC_LANES];
    for (int i = 0; i < SAC_LANES; i++) lanes[i] = s->lanes[i];
    for (int width = SAC_LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return lanes[0];
}

// a term and its slope for each lane
#define PART static inline __attribute__((always_inline))

PART void square_part(double *restrict lanes, float *restrict dx, const float *restrict x, const float *restrict target,
                      float factor, int count)
{
    for (int i = 0; i < count; i++)
    {
        // d^2
        float d = x[i] - target[i];
        dx[i] = factor * d;
        lanes[i] += (double)d * (double)d;
    }
}

void LAYER(square_loss)(const sac_learn *l, double *loss, float *dx, const float *x, const float *target, size_t count,
                        double share)
{
    (void)l;
    const float factor = (float)(2 * share);
    sum s = {{0}};
    size_t i = 0;
    for (; i + SAC_LANES <= count; i += SAC_LANES) square_part(s.lanes, dx + i, x + i, target + i, factor, SAC_LANES);
    square_part(s.lanes, dx + i, x + i, target + i, factor, (int)(count - i));
    *loss = share * sum_total(&s);
}

PART void huber_part(double *restrict lanes, float *restrict dx, const float *restrict x, const float *restrict target,
                     float knee, float factor, int count)
{
    for (int i = 0; i < count; i++)
    {
        // d^2 / 2 or knee (|d| - knee / 2): the slope is d, cut off at the knee
        float d = x[i] - target[i], cut = sac_min(knee, sac_max(-knee, d));
        dx[i] = factor * cut;
        lanes[i] += (double)cut * ((double)d - 0.5 * (double)cut);
    }
}

void LAYER(huber_loss)(const sac_learn *l, double *loss, float *dx, const float *x, const float *target, float knee,
                       size_t count, double share)
{
    (void)l;
    const float factor = (float)share;
    sum s = {{0}};
    size_t i = 0;
    for (; i + SAC_LANES <= count; i += SAC_LANES)
        huber_part(s.lanes, dx + i, x + i, target + i, knee, factor, SAC_LANES);
    huber_part(s.lanes, dx + i, x + i, target + i, knee, factor, (int)(count - i));
    *loss = share * sum_total(&s);
}

// exponentials of a row into `out`; their sum, and the shift that they were taken at
static float row_exponents(float *out, const float *x, int size, float *shift)
{
    *shift = row_largest(x, size);
    for (int j = 0; j < size; j++) out[j] = sac_exp(x[j] - *shift);
    return row_total(out, size);
}

void LAYER(cross_entropy_loss)(const sac_learn *l, double *loss, float *dx, const float *x, const int *labels, int rows,
                               int classes, double share)
{
    (void)l;
    double total = 0;
    for (int i = 0; i < rows; i++, x += classes, dx += classes)
    {
        float shift, sums = row_exponents(dx, x, classes, &shift), factor = (float)share / sums;
        // log sum e^x - x[label]
        total += sac_series_log((double)sums) + ((double)shift - (double)x[labels[i]]);
        for (int j = 0; j < classes; j++) dx[j] *= factor;
        dx[labels[i]] -= (float)share;
    }
    *loss = share * total;
}

void LAYER(categorical_loss)(const sac_learn *l, double *loss, float *dx, const float *x, const float *target, int rows,
                             int classes, double share)
{
    (void)l;
    double total = 0;
    for (int i = 0; i < rows; i++, x += classes, dx += classes, target += classes)
    {
        float shift, target_shift;
        float target_sum = row_exponents(dx, target, classes, &target_shift);
        float sums = row_exponents(dx, x, classes, &shift);
        double logs = sac_series_log((double)sums) + (double)shift;
        double target_logs = sac_series_log((double)target_sum) + (double)target_shift;
        // sum p (log p - log softmax(x)), p = softmax(target)
        for (int j = 0; j < classes; j++)
        {
            float p = sac_exp(target[j] - target_shift) / target_sum;
            total += (double)p * (((double)target[j] - target_logs) - ((double)x[j] - logs));
            dx[j] = (float)share * (dx[j] / sums - p);
        }
    }
    *loss = share * total;
}

void LAYER(expected_cost_loss)(const sac_learn *l, double *loss, float *dx, const float *x, const float *cost, int rows,
                               int classes, double share)
{
    (void)l;
    double total = 0;
    for (int i = 0; i < rows; i++, x += classes, dx += classes, cost += classes)
    {
        float shift, inverse = 1.0f / row_exponents(dx, x, classes, &shift), mean, least = cost[0];
        for (int j = 1; j < classes; j++) least = sac_min(least, cost[j]);
        // sum p c; d/dx[j] = p[j] (c[j] - sum p c)
        ROW_SUM(mean, classes, j, lane, fmaf(dx[j], cost[j] - least, lane));
        mean *= inverse;
        for (int j = 0; j < classes; j++) dx[j] = (float)share * (dx[j] * inverse) * (cost[j] - least - mean);
        total += (double)mean;
    }
    *loss = share * total;
}

void LAYER(gaussian_loss)(const sac_learn *l, double *loss, float *dmean, float *dlog, const float *mean,
                          const float *log, const float *target_mean, const float *target_log, size_t count,
                          double share)
{
    (void)l;
    const float factor = (float)share;
    sum s = {{0}};
    for (size_t i = 0; i < count; i++)
    {
        // log - log' + (e^2log' + (m - m')^2) / (2 e^2log) - 1 / 2, a dash being the target's
        float d = mean[i] - target_mean[i], precision = sac_exp(-2.0f * log[i]);
        float square = fmaf(d, d, sac_exp(2.0f * target_log[i])) * precision;
        dmean[i] = factor * (d * precision);
        dlog[i] = factor * (1.0f - square);
        s.lanes[i % SAC_LANES] += (double)(log[i] - target_log[i]) + 0.5 * ((double)square - 1);
    }
    *loss = share * sum_total(&s);
}

void LAYER(likelihood_forward)(const sac_learn *l, float *out, const float *x, const float *mean, const float *log,
                               ptrdiff_t log_row, int rows, int size)
{
    (void)l;
    for (int i = 0; i < rows; i++, x += size, mean += size, log += log_row)
    {
        // -((x - mean) / e^log)^2 / 2 - log - log(2 pi) / 2, over a row
        double total = 0;
        for (int j = 0; j < size; j++)
        {
            float z = (x[j] - mean[j]) * sac_exp(-log[j]);
            total -= 0.5 * (double)z * (double)z + (double)log[j] + half_log_turn;
        }
        out[i] = (float)total;
    }
}

void LAYER(likelihood_backward)(const sac_learn *l, float *dmean, float *dlog, const float *dout, const float *x,
                                const float *mean, const float *log, ptrdiff_t log_row, int rows, int size)
{
    (void)l;
    for (int i = 0; i < rows; i++, x += size, mean += size, dmean += size, log += log_row, dlog += log_row)
        for (int j = 0; j < size; j++)
        {
            // -((x - mean) / e^log)^2 / 2 - log
            float inverse = sac_exp(-log[j]), z = (x[j] - mean[j]) * inverse;
            dmean[j] = dout[i] * (z * inverse);
            dlog[j] = fmaf(dout[i], fmaf(z, z, -1.0f), dlog[j]);
        }
}

void LAYER(entropy_forward)(const sac_learn *l, float *out, const float *x, int rows, int classes, float *workspace)
{
    (void)l;
    for (int i = 0; i < rows; i++, x += classes)
    {
        // log sum e^x - sum p x, of numbers that the largest was taken from
        float shift, sums = row_exponents(workspace, x, classes, &shift), mean;
        ROW_SUM(mean, classes, j, lane, fmaf(workspace[j], x[j] - shift, lane));
        out[i] = (float)(sac_series_log((double)sums) - (double)mean / (double)sums);
    }
}

void LAYER(entropy_backward)(const sac_learn *l, float *dx, const float *dout, const float *x, int rows, int classes)
{
    (void)l;
    for (int i = 0; i < rows; i++, x += classes, dx += classes)
    {
        // gradient with respect to x of log sum e^x - sum p x, which is -p (x - sum p x)
        float shift, share = 1.0f / row_exponents(dx, x, classes, &shift), mean;
        ROW_SUM(mean, classes, j, lane, fmaf(dx[j], x[j] - shift, lane));
        mean *= share;
        for (int j = 0; j < classes; j++) dx[j] = -dout[i] * (dx[j] * share) * (x[j] - shift - mean);
    }
}

void LAYER(gaussian_entropy_forward)(const sac_learn *l, float *out, const float *log, ptrdiff_t log_row, int rows,
                                     int size)
{
    (void)l;
    for (int i = 0; i < rows; i++, log += log_row)
    {
        // log + log(2 pi e) / 2, over a row
        double total = 0;
        for (int j = 0; j < size; j++) total += (double)log[j] + half_log_turn + 0.5;
        out[i] = (float)total;
    }
}

void LAYER(gaussian_entropy_backward)(const sac_learn *l, float *dlog, const float *dout, ptrdiff_t log_row, int rows,
                                      int size)
{
    (void)l;
    for (int i = 0; i < rows; i++, dlog += log_row)
        for (int j = 0; j < size; j++) dlog[j] += dout[i];
}
