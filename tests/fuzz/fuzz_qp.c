#include <math.h>

#include "saccade/qp.h"

#include "fuzz.h"

enum
{
    VARIABLES = 6,
    ROWS = 12
};

typedef struct problem
{
    double p[VARIABLES * VARIABLES], q[VARIABLES], a[ROWS * VARIABLES], lower[ROWS], upper[ROWS];
    sac_qp_problem def;
} problem;

/// The bytes that are left; beyond their end there are zeros.
typedef struct bytes
{
    const uint8_t *data;
    size_t size;
} bytes;

static int next(bytes *b)
{
    if (b->size == 0) return 0;
    b->size--;
    return *b->data++;
}

// -128..127, and so small that products of two and their sums are exact
static double small(bytes *b)
{
    return (double)(next(b) - 128);
}

// 10^exponent, within low..high
static double scale(bytes *b, int low, int high)
{
    double x = 1;
    int exponent = low + next(b) % (high - low + 1);
    for (; exponent > 0; exponent--) x *= 10;
    for (; exponent < 0; exponent++) x /= 10;
    return x;
}

// A problem that a point of -128..127 meets: weights and rows of sizes far apart, rows that repeat each other,
// equations, and rows that the point meets exactly.
static void make(problem *t, bytes *b)
{
    const int n = 1 + next(b) % VARIABLES, m = next(b) % (ROWS + 1);
    double point[VARIABLES], along[VARIABLES];
    for (int i = 0; i < n; i++) point[i] = small(b), along[i] = small(b), t->q[i] = small(b) * scale(b, -150, 150);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) t->p[i * n + j] = along[i] * along[j];
    for (int i = 0; i < n; i++) t->p[i * n + i] += scale(b, -150, 150);
    for (int i = 0; i < m; i++)
    {
        const int kind = next(b), of = i > 0 && kind & 1 ? next(b) % i : -1;
        const double size = scale(b, -6, 6);
        double value = 0;
        for (int j = 0; j < n; j++)
        {
            const double entry = of >= 0 ? t->a[of * n + j] : small(b);
            t->a[i * n + j] = of >= 0 && kind & 2 ? -entry : of >= 0 ? entry : size * entry;
            value += t->a[i * n + j] * point[j];
        }
        t->lower[i] = kind & 4 ? -INFINITY : kind & 8 ? value : value - size * next(b);
        t->upper[i] = kind & 16 ? INFINITY : kind & 32 ? value : value + size * next(b);
    }
    t->def = (sac_qp_problem){
        .variables = n, .rows = m, .p = t->p, .q = t->q, .a = t->a, .lower = t->lower, .upper = t->upper};
}

// What the header says of a solved problem: rows within their bounds, and numbers that are finite.
static void check_solved(const problem *t, const double *x, const double *multipliers, const sac_qp_solution *s)
{
    fuzz_require(isfinite(s->cost) && s->active >= 0 && s->active <= t->def.variables);
    for (int j = 0; j < t->def.variables; j++) fuzz_require(isfinite(x[j]));
    for (int i = 0; i < t->def.rows; i++)
    {
        double value = 0, size = 0;
        for (int j = 0; j < t->def.variables; j++)
        {
            const double term = t->a[i * t->def.variables + j] * x[j];
            value += term, size = fmax(size, fabs(term));
        }
        const double off = 1e-10 * size + 1e-13 + VARIABLES * 2.3e-16 * size; // the last for another order of the sum
        fuzz_require(isfinite(multipliers[i]) && value >= t->lower[i] - off && value <= t->upper[i] + off);
    }
}

// Any problem that can be met is solved or given up, and never called one that cannot; nothing lasts from it.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    sac_qp *qp;
    fuzz_require(sac_qp_create(&qp, VARIABLES, ROWS) == SAC_OK);
    for (int round = 0; round < 3; round++)
    {
        problem t;
        double x[VARIABLES], multipliers[ROWS];
        make(&t, &b);
        const sac_qp_solution s = sac_qp_solve(qp, x, multipliers, &t.def, round % 2);
        fuzz_require(s.outcome != SAC_QP_INFEASIBLE);
        if (s.outcome == SAC_QP_SOLVED)
            check_solved(&t, x, multipliers, &s);
        else
            for (int j = 0; j < t.def.variables; j++) fuzz_require(x[j] == 0);
    }
    sac_qp_destroy(qp);
    return 0;
}
