#include "qp/factor.h"

#include <math.h>
#include <string.h>

enum
{
    SUMS = 8 // side by side in a scalar product
};

double sac_factor_dot(const double *x, const double *y, int n)
{
    double sums[SUMS] = {0};
    const int whole = n / SUMS * SUMS;
    for (int i = 0; i < whole; i += SUMS)
        for (int k = 0; k < SUMS; k++) sums[k] += x[i + k] * y[i + k];
    for (int i = whole; i < n; i++) sums[i - whole] += x[i] * y[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

void sac_factor_add(double *restrict y, const double *restrict x, double scale, int n)
{
    for (int i = 0; i < n; i++) y[i] += scale * x[i];
}

// y -= s0 x0 + s1 x1 + s2 x2 + s3 x3: four rows at a time, so that y is read and written a quarter as often
static void subtract_four(double *restrict y, const double *restrict x, int stride, const double s[4], int n)
{
    const double *restrict x1 = x + stride, *restrict x2 = x1 + stride, *restrict x3 = x2 + stride;
    for (int i = 0; i < n; i++) y[i] -= (s[0] * x[i] + s[1] * x1[i]) + (s[2] * x2[i] + s[3] * x3[i]);
}

bool sac_factor(double *u, int stride, const double *p, int n)
{
    for (int k = 0; k < n; k++)
    {
        double *row = u + (ptrdiff_t)k * stride + k;
        memcpy(row, p + (ptrdiff_t)k * n + k, (size_t)(n - k) * sizeof *row);
        int i = 0;
        for (; i + 4 <= k; i += 4)
        {
            const double *above = u + (ptrdiff_t)i * stride + k;
            const double s[4] = {above[0], above[stride], above[2 * stride], above[3 * stride]};
            subtract_four(row, above, stride, s, n - k);
        }
        for (; i < k; i++)
        {
            const double *above = u + (ptrdiff_t)i * stride + k;
            sac_factor_add(row, above, -above[0], n - k);
        }
        if (!(row[0] > 0) || !isfinite(row[0])) return false;
        const double inverse = 1 / sqrt(row[0]);
        for (int j = 0; j < n - k; j++) row[j] *= inverse;
    }
    return true;
}

void sac_factor_solve_transposed(double *x, const double *u, int stride, int n, int first)
{
    for (int k = first; k < n; k++)
    {
        const double *row = u + (ptrdiff_t)k * stride;
        x[k] /= row[k];
        sac_factor_add(x + k + 1, row + k + 1, -x[k], n - k - 1);
    }
}

void sac_factor_solve(double *x, const double *u, int stride, int n)
{
    for (int k = n - 1; k >= 0; k--)
    {
        const double *row = u + (ptrdiff_t)k * stride;
        x[k] = (x[k] - sac_factor_dot(row + k + 1, x + k + 1, n - k - 1)) / row[k];
    }
}
