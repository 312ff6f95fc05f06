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

typedef double two __attribute__((vector_size(16)));

// ((x0 + x4) + (x2 + x6)) + ((x1 + x5) + (x3 + x7)): halves are added to halves, within registers.
static inline double sum(eight v)
{
#if LANES_COUNT == 8
    const lanes x = v.part[0];
    const __typeof__(__builtin_shufflevector(x, x, 0, 1, 2, 3)) half =
        __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
    const two quarter = __builtin_shufflevector(half, half, 0, 1) + __builtin_shufflevector(half, half, 2, 3);
#elif LANES_COUNT == 4
    const lanes half = v.part[0] + v.part[1];
    const two quarter = __builtin_shufflevector(half, half, 0, 1) + __builtin_shufflevector(half, half, 2, 3);
#else
    const two quarter = (v.part[0] + v.part[2]) + (v.part[1] + v.part[3]);
#endif
    return quarter[0] + quarter[1];
}

static double dot(const double *x, const double *y, int n)
{
    eight sums = {0};
    for (int i = 0; i < n; i += SAC_QP_LANES) sums = plus(sums, times(load(x + i), load(y + i)));
    return sum(sums);
}

// The eight numbers that this one belongs to: loads of eight that are not aligned take twice as long.
static inline int aligned(int i)
{
    return i / SAC_QP_LANES * SAC_QP_LANES;
}

// Scalar products of four rows with y. Where the rows begin with zeros, `from` may say so.
static inline void dot_four(double out[SAC_QP_ROWS], const double *rows, int stride, const double *y, int from, int n)
{
    const double *x1 = rows + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    eight a = {0}, b = {0}, c = {0}, d = {0};
    for (int i = aligned(from); i < n; i += SAC_QP_LANES)
    {
        const eight v = load(y + i);
        a = plus(a, times(load(rows + i), v));
        b = plus(b, times(load(x1 + i), v));
        c = plus(c, times(load(x2 + i), v));
        d = plus(d, times(load(x3 + i), v));
    }
    out[0] = sum(a), out[1] = sum(b), out[2] = sum(c), out[3] = sum(d);
}

// y -= s0 x0 + s1 x1 + s2 x2 + s3 x3: y is read and written once for four rows.
static inline void subtract_four(double *y, const double *rows, int stride, const double s[SAC_QP_ROWS], int from,
                                 int n)
{
    const double *x1 = rows + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    for (int i = aligned(from); i < n; i += SAC_QP_LANES)
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
        memset(row + aligned(k), 0, (size_t)(SAC_QP_ROOM(n) - aligned(k)) * sizeof *row);
        inverse[k + r] = 0;
        if (k + r < n) memcpy(row + k + r, p + (ptrdiff_t)(k + r) * n + k + r, (size_t)(n - k - r) * sizeof *row);
    }
}

// Subtract what the rows above contribute to four rows: eight columns at a time stay in registers.
static void subtract_above(double *rows, const double *u, int stride, int n, int k)
{
    for (int j = aligned(k); j < n; j += SAC_QP_LANES)
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

// The same from below, from the first column on: four rows less U's share of the rows of T beneath them, which begin at
// their own column.
static void subtract_below(double *rows, const double *u, const double *t, int stride, int first, int n, int k)
{
    for (int j = first; j < n; j += SAC_QP_LANES)
    {
        eight a = load(rows + j), b = load(rows + stride + j), c = load(rows + 2 * stride + j),
              d = load(rows + 3 * stride + j);
        for (int i = k + SAC_QP_ROWS; i < n && i < j + SAC_QP_LANES; i++)
        {
            const double *s = u + i;
            const eight v = load(t + (ptrdiff_t)i * stride + j);
            a = minus(a, scaled(s[0], v));
            b = minus(b, scaled(s[stride], v));
            c = minus(c, scaled(s[2 * stride], v));
            d = minus(d, scaled(s[3 * stride], v));
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
                for (int j = aligned(k); j < n; j += SAC_QP_LANES)
                    store(row + j, minus(load(row + j), scaled(s, load(above + j))));
            }
            for (int j = aligned(k); j < k + r; j++) row[j] = 0;
            if (!(row[k + r] > 0) || !isfinite(row[k + r])) return false;
            inverse[k + r] = 1 / sqrt(row[k + r]);
            for (int j = aligned(k); j < n; j += SAC_QP_LANES) store(row + j, scaled(inverse[k + r], load(row + j)));
        }
    }
    return true;
}

// From the last rows up: U T = 1 says that a row of T is what remains of that row of 1 when rows below are subtracted.
static void invert(double *t, const double *u, const double *inverse, int stride, int from, int n)
{
    for (int k = (n - 1) / SAC_QP_ROWS * SAC_QP_ROWS; k >= 0; k -= SAC_QP_ROWS)
    {
        const double *above = u + (ptrdiff_t)k * stride;
        double *rows = t + (ptrdiff_t)k * stride;
        const int first = aligned(k > from ? k : from);
        for (int r = 0; r < SAC_QP_ROWS; r++)
        {
            double *row = rows + (ptrdiff_t)r * stride;
            memset(row + first, 0, (size_t)(SAC_QP_ROOM(n) - first) * sizeof *row);
            if (k + r >= first) row[k + r] = 1;
        }
        subtract_below(rows, above, t, stride, first, n, k);
        for (int r = SAC_QP_ROWS - 1; r >= 0; r--)
        {
            double *row = rows + (ptrdiff_t)r * stride;
            for (int j = first; j < n; j += SAC_QP_LANES)
            {
                eight v = load(row + j);
                for (int i = r + 1; i < SAC_QP_ROWS; i++)
                    v = minus(v, scaled(above[(ptrdiff_t)r * stride + k + i], load(rows + (ptrdiff_t)i * stride + j)));
                store(row + j, scaled(inverse[k + r], v));
            }
        }
    }
}

static void multiply(double *out, const double *t, int stride, const double *x, int n)
{
    for (int k = 0; k < n; k += SAC_QP_ROWS) dot_four(out + k, t + (ptrdiff_t)k * stride, stride, x, k, n);
    for (int k = n; k < SAC_QP_ROOM(n); k++) out[k] = 0;
}

static void multiply_transposed(double *out, const double *t, int stride, const double *x, int first, int end, int n)
{
    memset(out, 0, (size_t)SAC_QP_ROOM(n) * sizeof *out);
    for (int i = first / SAC_QP_ROWS * SAC_QP_ROWS; i < end; i += SAC_QP_ROWS)
    {
        double s[SAC_QP_ROWS];
        for (int r = 0; r < SAC_QP_ROWS; r++) s[r] = i + r >= first && i + r < end ? -x[i + r] : 0;
        subtract_four(out, t + (ptrdiff_t)i * stride, stride, s, i, n);
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

// Take from z what the rows of Q span of d, which z equals at first and which is zero before `from`. Four rows are done
// with while they are in the nearest cache. @return z'z
static double take_away(double *z, double *along, const double *q, int stride, int count, const double *d, int from,
                        int n)
{
    for (int j = 0; j < count; j += SAC_QP_ROWS)
    {
        const double *rows = q + (ptrdiff_t)j * stride;
        dot_four(along + j, rows, stride, d, from, n);
        for (int r = count - j; r < SAC_QP_ROWS; r++) along[j + r] = 0;
        subtract_four(z, rows, stride, along + j, 0, n);
    }
    return dot(z, z, n);
}

// Gram and Schmidt, and again where less than half of the square is left, because only then rounding matters: "twice is
// enough" (Kahan and Parlett; the bound by Daniel, Gragg, Kaufman and Stewart, 1976).
static double split(double *z, double *along, double *again, double *before, const double *q, int stride, int count,
                    const double *d, int from, int n)
{
    const double size = dot(d, d, n);
    memcpy(z, d, (size_t)SAC_QP_ROOM(n) * sizeof *z);
    double zz = take_away(z, along, q, stride, count, d, from, n);
    if (zz < size / 2)
    {
        memcpy(before, z, (size_t)SAC_QP_ROOM(n) * sizeof *z);
        zz = take_away(z, again, q, stride, count, before, 0, n);
        for (int j = 0; j < count; j++) along[j] += again[j];
    }
    // a rest of 1e-10 of the column's length and less is what rounding leaves of a column that the others span
    return count < n && zz > 1e-20 * size ? zz : 0;
}

// --- rows of A ---

typedef double four __attribute__((vector_size(32)));
typedef int64_t mask_of_four __attribute__((vector_size(32)));

// The products of a row's numbers with those of x. Levels without registers of four doubles do not return such either.
static inline void set_products(four *products, const sac_qp_short_rows *a, int i, const double *x)
{
    four at;
    memcpy(products, a->values + (ptrdiff_t)SAC_QP_SHORT * i, sizeof *products);
    memcpy(&at, x + a->first[i], sizeof at);
    *products *= at;
}

// Four rows at a time: halves are added to halves, of two rows in one register, and what then stands side by side.
static void violations(double *out, const sac_qp_short_rows *a, const double *x)
{
    int i = 0;
    for (; i + 4 <= a->count; i += 4)
    {
        four p, q, r, s, below, above;
        set_products(&p, a, i, x), set_products(&q, a, i + 1, x);
        set_products(&r, a, i + 2, x), set_products(&s, a, i + 3, x);
        const four pr = __builtin_shufflevector(p, r, 0, 1, 4, 5) + __builtin_shufflevector(p, r, 2, 3, 6, 7);
        const four qs = __builtin_shufflevector(q, s, 0, 1, 4, 5) + __builtin_shufflevector(q, s, 2, 3, 6, 7);
        const four value = __builtin_shufflevector(pr, qs, 0, 4, 2, 6) + __builtin_shufflevector(pr, qs, 1, 5, 3, 7);
        memcpy(&below, a->lower + i, sizeof below), memcpy(&above, a->upper + i, sizeof above);
        below = below - value, above = value - above;
        const mask_of_four lower = below > above;
        const mask_of_four larger = ((mask_of_four)below & lower) | ((mask_of_four)above & ~lower);
        memcpy(out + i, &larger, sizeof larger);
    }
    for (; i < a->count; i++)
    {
        const double *row = a->values + (ptrdiff_t)SAC_QP_SHORT * i, *at = x + a->first[i];
        const double value = (row[0] * at[0] + row[2] * at[2]) + (row[1] * at[1] + row[3] * at[3]);
        const double below = a->lower[i] - value, above = value - a->upper[i];
        out[i] = below > above ? below : above;
    }
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
                                                   .invert = invert,
                                                   .multiply = multiply,
                                                   .multiply_transposed = multiply_transposed,
                                                   .square = square,
                                                   .split = split,
                                                   .add = add,
                                                   .turn = turn,
                                                   .violations = violations};
