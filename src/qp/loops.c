#include "qp/loops.h"

#include <math.h>
#include <string.h>

#define LANES_OF_DOUBLES
#include "base/lanes/vectors.h"

enum
{
    PARTS = SAC_QP_LANES / LANES_COUNT
};

// Eight numbers, in as many registers as they take.
typedef struct eight
{
    lanes part[PARTS];
} eight;

static inline eight load(const double *x)
{
    eight v;
    for (int i = 0; i < PARTS; i++) memcpy(&v.part[i], x + LANES_COUNT * i, sizeof v.part[i]);
    return v;
}

static inline void store(double *x, eight v)
{
    for (int i = 0; i < PARTS; i++) memcpy(x + LANES_COUNT * i, &v.part[i], sizeof v.part[i]);
}

static inline eight plus(eight a, eight b)
{
    for (int i = 0; i < PARTS; i++) a.part[i] += b.part[i];
    return a;
}

static inline eight minus(eight a, eight b)
{
    for (int i = 0; i < PARTS; i++) a.part[i] -= b.part[i];
    return a;
}

static inline eight times(eight a, eight b)
{
    for (int i = 0; i < PARTS; i++) a.part[i] *= b.part[i];
    return a;
}

static inline eight scaled(double s, eight a)
{
    for (int i = 0; i < PARTS; i++) a.part[i] *= s;
    return a;
}

typedef double four __attribute__((vector_size(32)));
typedef double two __attribute__((vector_size(16)));

// ((x0 + x4) + (x2 + x6)) + ((x1 + x5) + (x3 + x7)): halves are added to halves.
static inline double sum(eight v)
{
    double x[SAC_QP_LANES];
    four low, high;
    two left, right;
    store(x, v);
    memcpy(&low, x, sizeof low), memcpy(&high, x + 4, sizeof high);
    low += high;
    memcpy(&left, &low, sizeof left), memcpy(&right, (const char *)&low + sizeof left, sizeof right);
    left += right;
    return left[0] + left[1];
}

static double dot(const double *x, const double *y, int n)
{
    eight sums = {0};
    for (int i = 0; i < n; i += SAC_QP_LANES) sums = plus(sums, times(load(x + i), load(y + i)));
    return sum(sums);
}

// Scalar products of four rows with y, from column `from` on. It begins at the end, because the first numbers of y are
// those that a triangle's solution has just found, and a processor need not wait for them before it begins.
static inline void dot_four(double out[SAC_QP_ROWS], const double *rows, int stride, const double *y, int from, int n)
{
    const double *x1 = rows + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    eight a = {0}, b = {0}, c = {0}, d = {0};
    for (int i = from + (n - from + SAC_QP_LANES - 1) / SAC_QP_LANES * SAC_QP_LANES - SAC_QP_LANES; i >= from;
         i -= SAC_QP_LANES)
    {
        const eight v = load(y + i);
        a = plus(a, times(load(rows + i), v));
        b = plus(b, times(load(x1 + i), v));
        c = plus(c, times(load(x2 + i), v));
        d = plus(d, times(load(x3 + i), v));
    }
    out[0] = sum(a), out[1] = sum(b), out[2] = sum(c), out[3] = sum(d);
}

// y -= s0 x0 + s1 x1 + s2 x2 + s3 x3, from column `from` on: y is read and written once for four rows.
static inline void subtract_four(double *y, const double *rows, int stride, const double s[SAC_QP_ROWS], int from,
                                 int n)
{
    const double *x1 = rows + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    for (int i = from; i < n; i += SAC_QP_LANES)
    {
        const eight a = plus(scaled(s[0], load(rows + i)), scaled(s[1], load(x1 + i)));
        const eight b = plus(scaled(s[2], load(x2 + i)), scaled(s[3], load(x3 + i)));
        store(y + i, minus(load(y + i), plus(a, b)));
    }
}

// --- triangles ---

// Four rows of P, with zeros in place of what U lacks.
static void take_rows(double *u, double *inverse, int stride, const double *p, int n, int k)
{
    for (int r = 0; r < SAC_QP_ROWS; r++)
    {
        double *row = u + (ptrdiff_t)r * stride;
        memset(row + k, 0, (size_t)(SAC_QP_ROOM(n) - k) * sizeof *row);
        inverse[k + r] = 0;
        if (k + r < n) memcpy(row + k + r, p + (ptrdiff_t)(k + r) * n + k + r, (size_t)(n - k - r) * sizeof *row);
    }
}

// Subtract what the rows above contribute to four rows: eight columns at a time stay in registers.
static void subtract_above(double *rows, const double *u, int stride, int n, int k)
{
    for (int j = k; j < n; j += SAC_QP_LANES)
    {
        eight a = load(rows + j), b = load(rows + stride + j), c = load(rows + 2 * stride + j),
              d = load(rows + 3 * stride + j);
        for (int i = 0; i < k; i++)
        {
            const double *above = u + (ptrdiff_t)i * stride, *s = above + k;
            const eight v = load(above + j);
            a = minus(a, scaled(s[0], v));
            b = minus(b, scaled(s[1], v));
            c = minus(c, scaled(s[2], v));
            d = minus(d, scaled(s[3], v));
        }
        store(rows + j, a), store(rows + stride + j, b), store(rows + 2 * stride + j, c);
        store(rows + 3 * stride + j, d);
    }
}

static bool factor(double *u, double *inverse, int stride, const double *p, int n)
{
    for (int k = 0; k < n; k += SAC_QP_ROWS)
    {
        double *rows = u + (ptrdiff_t)k * stride;
        take_rows(rows, inverse, stride, p, n, k);
        subtract_above(rows, u, stride, n, k);
        for (int r = 0; r < SAC_QP_ROWS && k + r < n; r++)
        {
            double *row = rows + (ptrdiff_t)r * stride;
            for (int i = 0; i < r; i++)
            {
                const double *above = rows + (ptrdiff_t)i * stride, s = above[k + r];
                for (int j = k; j < n; j += SAC_QP_LANES)
                    store(row + j, minus(load(row + j), scaled(s, load(above + j))));
                for (int j = k; j < k + r; j++) row[j] = 0;
            }
            if (!(row[k + r] > 0) || !isfinite(row[k + r])) return false;
            inverse[k + r] = 1 / sqrt(row[k + r]);
            for (int j = k; j < n; j += SAC_QP_LANES) store(row + j, scaled(inverse[k + r], load(row + j)));
        }
    }
    return true;
}

static void solve(double *x, const double *u, const double *inverse, int stride, int n)
{
    for (int k = (n - 1) / SAC_QP_ROWS * SAC_QP_ROWS; k >= 0; k -= SAC_QP_ROWS)
    {
        const double *r0 = u + (ptrdiff_t)k * stride + k, *r1 = r0 + stride, *r2 = r1 + stride, *i = inverse + k;
        double s[SAC_QP_ROWS], *y = x + k;
        dot_four(s, r0 - k, stride, x, k + SAC_QP_ROWS, n);
        y[3] = (y[3] - s[3]) * i[3];
        y[2] = (y[2] - s[2] - r2[3] * y[3]) * i[2];
        y[1] = (y[1] - s[1] - r1[3] * y[3] - r1[2] * y[2]) * i[1];
        y[0] = (y[0] - s[0] - r0[3] * y[3] - r0[2] * y[2] - r0[1] * y[1]) * i[0];
    }
}

static void solve_transposed(double *x, const double *u, const double *inverse, int stride, int n, int first)
{
    for (int k = first / SAC_QP_ROWS * SAC_QP_ROWS; k < n; k += SAC_QP_ROWS)
    {
        const double *r0 = u + (ptrdiff_t)k * stride + k, *r1 = r0 + stride, *r2 = r1 + stride, *i = inverse + k;
        double *y = x + k;
        y[0] = y[0] * i[0];
        y[1] = (y[1] - y[0] * r0[1]) * i[1];
        y[2] = (y[2] - y[0] * r0[2] - y[1] * r1[2]) * i[2];
        y[3] = (y[3] - y[0] * r0[3] - y[1] * r1[3] - y[2] * r2[3]) * i[3];
        subtract_four(x, r0 - k, stride, y, k + SAC_QP_ROWS, n);
    }
}

static double square(const double *u, int stride, const double *x, int n)
{
    double all = 0;
    for (int k = 0; k < n; k += SAC_QP_ROWS)
    {
        double y[SAC_QP_ROWS];
        dot_four(y, u + (ptrdiff_t)k * stride, stride, x, k, n);
        for (int r = 0; r < SAC_QP_ROWS && k + r < n; r++) all += y[r] * y[r];
    }
    return all;
}

// --- orthonormal rows ---

// Take from z what the rows of Q span. @return z'z
static double take_away(double *z, double *along, const double *q, int stride, int count, int n)
{
    for (int j = 0; j < count; j += SAC_QP_ROWS) dot_four(along + j, q + (ptrdiff_t)j * stride, stride, z, 0, n);
    for (int j = count; j % SAC_QP_ROWS != 0; j++) along[j] = 0;
    for (int j = 0; j < count; j += SAC_QP_ROWS) subtract_four(z, q + (ptrdiff_t)j * stride, stride, along + j, 0, n);
    return dot(z, z, n);
}

// Gram and Schmidt, and again where less than half of the square is left, because only then rounding matters: "twice is
// enough" (Kahan and Parlett; the bound by Daniel, Gragg, Kaufman and Stewart, 1976).
static double split(double *z, double *along, double *again, const double *q, int stride, int count, const double *d,
                    int n)
{
    const double size = dot(d, d, n);
    memcpy(z, d, (size_t)SAC_QP_ROOM(n) * sizeof *z);
    double zz = take_away(z, along, q, stride, count, n);
    if (zz < size / 2)
    {
        zz = take_away(z, again, q, stride, count, n);
        for (int j = 0; j < count; j++) along[j] += again[j];
    }
    // a rest of 1e-10 of the column's length and less is what rounding leaves of a column that the others span
    return count < n && zz > 1e-20 * size ? zz : 0;
}

static void add(double *y, const double *x, double scale, int n)
{
    for (int i = 0; i < n; i += SAC_QP_LANES) store(y + i, plus(load(y + i), scaled(scale, load(x + i))));
}

static void turn(double *x, double *y, double c, double s, int n)
{
    for (int i = 0; i < n; i += SAC_QP_LANES)
    {
        const eight upper = load(x + i), lower = load(y + i);
        store(x + i, plus(scaled(c, upper), scaled(s, lower)));
        store(y + i, minus(scaled(c, lower), scaled(s, upper)));
    }
}

const sac_qp_loops SAC_LEVEL_NAME(sac_qp_loops) = {.factor = factor,
                                                   .solve = solve,
                                                   .solve_transposed = solve_transposed,
                                                   .square = square,
                                                   .split = split,
                                                   .add = add,
                                                   .turn = turn};
