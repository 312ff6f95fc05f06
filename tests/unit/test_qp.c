#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "saccade/qp.h"
#include "test.h"

/// The solver of quadratic programs. A point that meets the conditions of Karush, Kuhn and Tucker is the only minimum
/// of a strictly convex problem, so these conditions are what is checked; tests/qp compares with other solvers.

enum
{
    MOST = 40,
    MOST_ROWS = 90
};

typedef struct problem
{
    sac_qp_problem def;
    double p[MOST * MOST], q[MOST], a[MOST_ROWS * MOST], lower[MOST_ROWS], upper[MOST_ROWS];
    int first[MOST_ROWS], end[MOST_ROWS];
} problem;

static double draw(sac_stream *s)
{
    return sac_stream_uniform(s, -1, 1);
}

// P = F'F + 0.01: a condition of some thousands. Bounds are drawn around A times a point, so that it meets them.
static void make(problem *t, uint64_t seed, int n, int m, bool banded)
{
    sac_stream s = sac_stream_create(seed, 1, 2);
    static double f[MOST * MOST];
    for (int i = 0; i < n * n; i++) f[i] = draw(&s);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            double sum = i == j ? 0.01 : 0;
            for (int k = 0; k < n; k++) sum += f[k * n + i] * f[k * n + j];
            t->p[i * n + j] = sum;
        }
    double point[MOST];
    for (int i = 0; i < n; i++) t->q[i] = 5 * draw(&s), point[i] = draw(&s);
    for (int i = 0; i < m; i++)
    {
        t->first[i] = banded ? (int)sac_stream_below(&s, (uint32_t)n) : 0;
        t->end[i] = banded ? t->first[i] + 1 + (int)sac_stream_below(&s, (uint32_t)(n - t->first[i])) : n;
        double value = 0;
        for (int j = 0; j < n; j++)
        {
            t->a[i * n + j] = j >= t->first[i] && j < t->end[i] ? draw(&s) : 0;
            value += t->a[i * n + j] * point[j];
        }
        const uint32_t kind = sac_stream_below(&s, 8);
        t->lower[i] = kind == 1 ? -INFINITY : value - 0.2 * (1 + draw(&s));
        t->upper[i] = kind == 2 ? INFINITY : value + 0.2 * (1 + draw(&s));
        if (kind == 3 && i < n / 2) t->lower[i] = t->upper[i] = value;
    }
    t->def = (sac_qp_problem){.variables = n,
                              .rows = m,
                              .p = t->p,
                              .q = t->q,
                              .a = t->a,
                              .lower = t->lower,
                              .upper = t->upper,
                              .first = banded ? t->first : NULL,
                              .end = banded ? t->end : NULL};
}

// what a sum of n products of numbers up to `size` may be off by, with room for a condition of 1e4
static double error_of(int n, double size)
{
    return n * size * 1e4 * 2.3e-16;
}

// the four conditions: bounds are met, P x + q = A'u, multipliers have the sign of their bound, and are zero elsewhere
static void check(const problem *t, const double *x, const double *u)
{
    const int n = t->def.variables, m = t->def.rows;
    double size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]) * (double)n);
    for (int i = 0; i < m; i++) size = fmax(size, fabs(u[i]));
    const double error = error_of(n + m, size);
    for (int i = 0; i < n; i++)
    {
        double slope = t->q[i];
        for (int j = 0; j < n; j++) slope += t->p[i * n + j] * x[j];
        for (int j = 0; j < m; j++) slope -= t->a[j * n + i] * u[j];
        assert_near(slope, 0, error);
    }
    for (int i = 0; i < m; i++)
    {
        double value = 0;
        for (int j = 0; j < n; j++) value += t->a[i * n + j] * x[j];
        assert_true(value >= t->lower[i] - error && value <= t->upper[i] + error);
        if (t->lower[i] == t->upper[i]) continue;
        if (u[i] > 0) assert_near(value, t->lower[i], error);
        if (u[i] < 0) assert_near(value, t->upper[i], error);
    }
}

static problem one, other;

TEST(a_solution_meets_the_conditions_of_a_minimum)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, MOST, MOST_ROWS));
    int most = 0, equations = 0;
    for (uint64_t seed = 0; seed < 300; seed++)
    {
        const int n = 1 + (int)(seed * 7 % MOST), m = 1 + (int)(seed * 11 % MOST_ROWS);
        make(&one, seed, n, m, seed % 3 == 0);
        double x[MOST], u[MOST_ROWS];
        sac_qp_solution s = sac_qp_solve(qp, x, u, &one.def, false);
        assert_int_equal(s.outcome, SAC_QP_SOLVED);
        check(&one, x, u);
        double cost = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) cost += 0.5 * x[i] * one.p[i * n + j] * x[j] + (j == 0 ? one.q[i] * x[i] : 0);
        assert_near(s.cost, cost, error_of(n * n, 1 + fabs(cost)));
        if (s.active > most) most = s.active;
        for (int i = 0; i < m; i++) equations += one.lower[i] == one.upper[i];
    }
    assert_true(most > 20 && equations > 100); // the problems are not too easy
    sac_qp_destroy(qp);
}

TEST(a_warm_start_ends_at_the_same_minimum_in_fewer_steps)
{
    sac_qp *cold, *warm;
    assert_ok(sac_qp_create(&cold, MOST, MOST_ROWS));
    assert_ok(sac_qp_create(&warm, MOST, MOST_ROWS));
    int cold_steps = 0, warm_steps = 0;
    make(&one, 5, MOST, MOST_ROWS, false);
    sac_stream s = sac_stream_create(6, 1, 2);
    for (int t = 0; t < 50; t++)
    {
        // a slow drift, as of a controller from step to step
        for (int i = 0; i < MOST; i++) one.q[i] += 0.05 * draw(&s);
        double x[MOST], y[MOST], u[MOST_ROWS], v[MOST_ROWS];
        sac_qp_solution a = sac_qp_solve(cold, x, u, &one.def, false), b = sac_qp_solve(warm, y, v, &one.def, true);
        assert_int_equal(b.outcome, SAC_QP_SOLVED);
        check(&one, y, v);
        for (int i = 0; i < MOST; i++) assert_near(x[i], y[i], error_of(MOST + MOST_ROWS, MOST));
        cold_steps += a.steps;
        warm_steps += b.steps;
    }
    assert_true(warm_steps < cold_steps / 3);
    // rows of a problem of another size are not held
    make(&other, 9, 7, 12, false);
    double x[MOST], u[MOST_ROWS];
    assert_int_equal(sac_qp_solve(warm, x, u, &other.def, true).outcome, SAC_QP_SOLVED);
    check(&other, x, u);
    sac_qp_destroy(cold), sac_qp_destroy(warm);
}

TEST(a_warm_start_gives_up_rows_that_no_longer_hold)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, MOST, MOST_ROWS));
    for (uint64_t seed = 0; seed < 100; seed++)
    {
        double x[MOST], u[MOST_ROWS];
        make(&one, seed, 20, 50, false);
        make(&other, seed + 1000, 20, 50, false);
        assert_int_equal(sac_qp_solve(qp, x, u, &one.def, false).outcome, SAC_QP_SOLVED);
        assert_int_equal(sac_qp_solve(qp, x, u, &other.def, true).outcome, SAC_QP_SOLVED);
        check(&other, x, u);
    }
    sac_qp_destroy(qp);
}

TEST(rows_that_repeat_others_do_no_harm)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, MOST, MOST_ROWS));
    for (uint64_t seed = 0; seed < 100; seed++)
    {
        make(&one, seed, 10, 30, false);
        for (int i = 15; i < 30; i++) // the same rows again, twice as large
        {
            for (int j = 0; j < 10; j++) one.a[i * 10 + j] = 2 * one.a[(i - 15) * 10 + j];
            one.lower[i] = 2 * one.lower[i - 15], one.upper[i] = 2 * one.upper[i - 15];
        }
        double x[MOST], u[MOST_ROWS];
        assert_int_equal(sac_qp_solve(qp, x, u, &one.def, seed % 2).outcome, SAC_QP_SOLVED);
        check(&one, x, u);
    }
    sac_qp_destroy(qp);
}

TEST(what_cannot_be_solved_is_said)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, MOST, MOST_ROWS));
    double x[MOST], u[MOST_ROWS];
    make(&one, 3, 8, 20, false);
    for (int j = 0; j < 8; j++) one.a[7 * 8 + j] = one.a[4 * 8 + j];
    one.lower[4] = 2, one.upper[4] = 3, one.lower[7] = -1, one.upper[7] = 1; // the same sum in two places
    sac_qp_solution s = sac_qp_solve(qp, x, u, &one.def, false);
    assert_int_equal(s.outcome, SAC_QP_INFEASIBLE);
    for (int i = 0; i < 8; i++) assert_true(x[i] == 0);
    make(&one, 3, 8, 20, false);
    assert_int_equal(sac_qp_solve(qp, x, u, &one.def, true).outcome, SAC_QP_SOLVED); // nothing is left of it

    make(&one, 3, 8, 20, false);
    one.p[3 * 8 + 3] = -1;
    assert_int_equal(sac_qp_solve(qp, x, u, &one.def, false).outcome, SAC_QP_UNSUITABLE);
    double *const numbers[] = {&one.p[10], &one.q[2], &one.a[17], &one.lower[5], &one.upper[5]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    {
        make(&one, 3, 8, 20, false);
        *numbers[i] = (double)NAN;
        assert_int_equal(sac_qp_solve(qp, x, u, &one.def, i % 2).outcome, SAC_QP_UNSUITABLE);
    }
    make(&one, 3, 8, 20, false);
    one.lower[6] = one.upper[6] + 1;
    assert_int_equal(sac_qp_solve(qp, x, u, &one.def, false).outcome, SAC_QP_UNSUITABLE);
    sac_qp_destroy(qp);
    assert_fails(sac_qp_create(&qp, 0, 1), SAC_ERROR_ARGUMENT, "0 variables");
    assert_fails(sac_qp_create(&qp, 1, 5000), SAC_ERROR_ARGUMENT, "5000 rows");
    sac_qp_destroy(NULL);
}

TESTS(a_solution_meets_the_conditions_of_a_minimum, a_warm_start_ends_at_the_same_minimum_in_fewer_steps,
      a_warm_start_gives_up_rows_that_no_longer_hold, rows_that_repeat_others_do_no_harm, what_cannot_be_solved_is_said)
