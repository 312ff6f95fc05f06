#include "qp_scene.h"
#include "test.h"

/// The solver of quadratic programs. A point that meets the conditions of Karush, Kuhn and Tucker is the only minimum
/// of a strictly convex problem, so these conditions are what is checked; tests/qp compares with other solvers.

// what a sum of n products of numbers up to `size` may be off by, with room for a condition of 1e4
static double error_of(int n, double size)
{
    return n * size * 1e4 * 2.3e-16;
}

// the four conditions: bounds are met, P x + q = A'u, multipliers have the sign of their bound, and are zero elsewhere
static void check(const qp_scene *t, const double *x, const double *u)
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

static qp_scene one, other;

enum
{
    OUT_OF_STEPS = 377421 // the seed of make_hard
};

TEST(a_solution_meets_the_conditions_of_a_minimum)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    int most = 0, equations = 0;
    for (uint64_t seed = 0; seed < 300; seed++)
    {
        const int n = 1 + (int)(seed * 7 % QP_SCENE_VARIABLES), m = 1 + (int)(seed * 11 % QP_SCENE_ROWS);
        qp_scene_make(&one, seed, n, m, seed % 3 == 0);
        double x[QP_SCENE_VARIABLES], u[QP_SCENE_ROWS];
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
    assert_ok(sac_qp_create(&cold, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    assert_ok(sac_qp_create(&warm, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    int cold_steps = 0, warm_steps = 0;
    qp_scene_make(&one, 5, QP_SCENE_VARIABLES, QP_SCENE_ROWS, false);
    sac_stream s = sac_stream_create(6, 1, 2);
    for (int t = 0; t < 50; t++)
    {
        // a slow drift, as of a controller from step to step
        for (int i = 0; i < QP_SCENE_VARIABLES; i++) one.q[i] += 0.05 * qp_scene_draw(&s);
        double x[QP_SCENE_VARIABLES], y[QP_SCENE_VARIABLES], u[QP_SCENE_ROWS], v[QP_SCENE_ROWS];
        sac_qp_solution a = sac_qp_solve(cold, x, u, &one.def, false), b = sac_qp_solve(warm, y, v, &one.def, true);
        assert_int_equal(b.outcome, SAC_QP_SOLVED);
        check(&one, y, v);
        for (int i = 0; i < QP_SCENE_VARIABLES; i++)
            assert_near(x[i], y[i], error_of(QP_SCENE_VARIABLES + QP_SCENE_ROWS, QP_SCENE_VARIABLES));
        cold_steps += a.steps;
        warm_steps += b.steps;
    }
    assert_true(warm_steps < cold_steps / 3);
    // rows of a problem of another size are not held
    qp_scene_make(&other, 9, 7, 12, false);
    double x[QP_SCENE_VARIABLES], u[QP_SCENE_ROWS];
    assert_int_equal(sac_qp_solve(warm, x, u, &other.def, true).outcome, SAC_QP_SOLVED);
    check(&other, x, u);
    sac_qp_destroy(cold), sac_qp_destroy(warm);
}

TEST(a_warm_start_gives_up_rows_that_no_longer_hold)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    for (uint64_t seed = 0; seed < 100; seed++)
    {
        double x[QP_SCENE_VARIABLES], u[QP_SCENE_ROWS];
        qp_scene_make(&one, seed, 20, 50, false);
        qp_scene_make(&other, seed + 1000, 20, 50, false);
        assert_int_equal(sac_qp_solve(qp, x, u, &one.def, false).outcome, SAC_QP_SOLVED);
        assert_int_equal(sac_qp_solve(qp, x, u, &other.def, true).outcome, SAC_QP_SOLVED);
        check(&other, x, u);
    }
    sac_qp_destroy(qp);
}

TEST(rows_that_repeat_others_do_no_harm)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    for (uint64_t seed = 0; seed < 100; seed++)
    {
        qp_scene_make(&one, seed, 10, 30, false);
        for (int i = 15; i < 30; i++) // the same rows again, twice as large
        {
            for (int j = 0; j < 10; j++) one.a[i * 10 + j] = 2 * one.a[(i - 15) * 10 + j];
            one.lower[i] = 2 * one.lower[i - 15], one.upper[i] = 2 * one.upper[i - 15];
        }
        double x[QP_SCENE_VARIABLES], u[QP_SCENE_ROWS];
        assert_int_equal(sac_qp_solve(qp, x, u, &one.def, seed % 2).outcome, SAC_QP_SOLVED);
        check(&one, x, u);
    }
    sac_qp_destroy(qp);
}

TEST(what_cannot_be_solved_is_said)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    double x[QP_SCENE_VARIABLES], u[QP_SCENE_ROWS];
    qp_scene_make(&one, 3, 8, 20, false);
    for (int j = 0; j < 8; j++) one.a[7 * 8 + j] = one.a[4 * 8 + j];
    one.lower[4] = 2, one.upper[4] = 3, one.lower[7] = -1, one.upper[7] = 1; // the same sum in two places
    sac_qp_solution s = sac_qp_solve(qp, x, u, &one.def, false);
    assert_int_equal(s.outcome, SAC_QP_INFEASIBLE);
    for (int i = 0; i < 8; i++) assert_true(x[i] == 0);
    qp_scene_make(&one, 3, 8, 20, false);
    assert_int_equal(sac_qp_solve(qp, x, u, &one.def, true).outcome, SAC_QP_SOLVED); // nothing is left of it

    qp_scene_make(&one, 3, 8, 20, false);
    one.p[3 * 8 + 3] = -1;
    assert_int_equal(sac_qp_solve(qp, x, u, &one.def, false).outcome, SAC_QP_UNSUITABLE);
    double *const numbers[] = {&one.p[10], &one.q[2], &one.a[17], &one.lower[5], &one.upper[5]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    {
        qp_scene_make(&one, 3, 8, 20, false);
        *numbers[i] = (double)NAN;
        assert_int_equal(sac_qp_solve(qp, x, u, &one.def, i % 2).outcome, SAC_QP_UNSUITABLE);
    }
    qp_scene_make(&one, 3, 8, 20, false);
    one.lower[6] = one.upper[6] + 1;
    assert_int_equal(sac_qp_solve(qp, x, u, &one.def, false).outcome, SAC_QP_UNSUITABLE);
    const int columns[][2] = {{-1, 8}, {0, 9}, {5, 4}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    {
        int first[20] = {0}, end[20];
        qp_scene_make(&one, 3, 8, 20, false);
        for (int row = 0; row < 20; row++) end[row] = 8;
        one.def.first = first, one.def.end = end;
        assert_int_equal(sac_qp_solve(qp, x, u, &one.def, i % 2).outcome, SAC_QP_SOLVED);
        first[9] = columns[i][0], end[9] = columns[i][1];
        assert_int_equal(sac_qp_solve(qp, x, u, &one.def, i % 2).outcome, SAC_QP_UNSUITABLE);
    }
    sac_qp_destroy(qp);
    assert_fails(sac_qp_create(&qp, 0, 1), SAC_ERROR_ARGUMENT, "0 variables");
    assert_fails(sac_qp_create(&qp, 1, 5000), SAC_ERROR_ARGUMENT, "5000 rows");
    sac_qp_destroy(NULL);
}

// 10^exponent, without libm
static double ten_to(int exponent)
{
    double x = 1;
    for (; exponent > 0; exponent--) x *= 10;
    for (; exponent < 0; exponent++) x /= 10;
    return x;
}

// Problems of which a point is known that meets all bounds, and whose numbers are far apart: P has a few directions and
// beside them next to nothing, rows are nearly parallel in pairs, and scales of rows, bounds and slopes differ.
static void make_hard(qp_scene *t, uint64_t seed)
{
    sac_stream s = sac_stream_create(seed, 5, 6);
    const int n = 2 + (int)sac_stream_below(&s, 7), m = 2 + (int)sac_stream_below(&s, 47);
    const int rank = 1 + (int)sac_stream_below(&s, (uint32_t)n), kind = (int)sac_stream_below(&s, 4);
    const double least = ten_to(-4 - (int)sac_stream_below(&s, 11)), slope = ten_to((int)sac_stream_below(&s, 13)),
                 far = ten_to((int)sac_stream_below(&s, 13) - 6), near = ten_to(-3 - (int)sac_stream_below(&s, 10));
    double f[8][8], point[8];
    for (int i = 0; i < n; i++)
    {
        t->q[i] = slope * qp_scene_draw(&s), point[i] = far * qp_scene_draw(&s);
        for (int k = 0; k < rank; k++) f[k][i] = qp_scene_draw(&s);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            t->p[i * n + j] = i == j ? least : 0;
            for (int k = 0; k < rank; k++) t->p[i * n + j] += f[k][i] * f[k][j];
        }
    for (int i = 0; i < m; i++)
    {
        const double scale = kind & 2 ? ten_to((int)sac_stream_below(&s, 9) - 4) : 1;
        double value = 0, size = 0;
        for (int j = 0; j < n; j++)
        {
            double *a = &t->a[i * n + j];
            *a = scale * qp_scene_draw(&s);
            if (kind & 1 && i > 1) *a = scale * t->a[i % 2 * n + j] + near * *a;
            value += *a * point[j], size = fmax(size, fabs(*a * point[j]));
        }
        // not nearer than 1e-9 of the largest product, so that the point meets them however sums are rounded
        t->lower[i] = sac_stream_below(&s, 2) ? -INFINITY : value - size * (1e-9 + 0.05 * (1 + qp_scene_draw(&s)));
        t->upper[i] = sac_stream_below(&s, 2) ? INFINITY : value + size * (1e-9 + 0.05 * (1 + qp_scene_draw(&s)));
    }
    t->def = (sac_qp_problem){
        .variables = n, .rows = m, .p = t->p, .q = t->q, .a = t->a, .lower = t->lower, .upper = t->upper};
}

// 'Solved' says that every row holds, those at a bound included, and 'infeasible' that nothing meets them all, however
// far apart numbers are.
TEST(what_is_said_of_hard_problems_is_so)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    int outcomes[4] = {0};
    for (uint64_t seed = 0; seed < 3000; seed++)
    {
        double x[QP_SCENE_VARIABLES];
        make_hard(&one, seed);
        const sac_qp_solution s = sac_qp_solve(qp, x, NULL, &one.def, seed % 2);
        outcomes[s.outcome]++;
        for (int i = 0; i < one.def.rows; i++)
        {
            double value = 0, size = 0;
            for (int j = 0; j < one.def.variables; j++)
            {
                const double term = one.a[i * one.def.variables + j] * x[j];
                value += term, size = fmax(size, fabs(term));
            }
            if (s.outcome != SAC_QP_SOLVED) assert_true(value == 0);
            // as the header says, and what the other order of the sum here may be off by
            const double off = 1e-10 * size + 1e-13 + one.def.variables * 2.3e-16 * size;
            if (s.outcome == SAC_QP_SOLVED) assert_true(value >= one.lower[i] - off && value <= one.upper[i] + off);
        }
    }
    assert_int_equal(outcomes[SAC_QP_INFEASIBLE], 0);
    assert_true(outcomes[SAC_QP_SOLVED] > 1000 && outcomes[SAC_QP_UNSUITABLE] > 100);
    sac_qp_destroy(qp);
}

// Two variables of weights p0 and p1, the first of which is b, while both are c together: x = (b, c - b) meets both
// rows, whatever the weights are.
static sac_qp_solution solve_pair(sac_qp *qp, double p0, double p1, double b, double c)
{
    double x[2];
    const double p[] = {p0, 0, 0, p1}, q[2] = {0}, a[] = {1, 0, 1, 1}, lower[] = {b, c}, upper[] = {b, INFINITY};
    const sac_qp_problem problem = {.variables = 2, .rows = 2, .p = p, .q = q, .a = a, .lower = lower, .upper = upper};
    const sac_qp_solution s = sac_qp_solve(qp, x, NULL, &problem, false);
    if (s.outcome == SAC_QP_SOLVED) assert_true(fabs(x[0] - b) <= 1e-9 * (1 + b) && x[0] + x[1] >= c * (1 - 1e-9));
    return s;
}

// Where weights are far apart or numbers overflow, rows that can be met are never called rows that cannot.
TEST(weights_do_not_make_rows_infeasible)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, 2, 2));
    int solved = 0, count = 0;
    for (int p0 = -12; p0 <= 12; p0 += 3)
        for (int p1 = -12; p1 <= 24; p1 += 3)
            for (int c = 0; c <= 12; c += 3, count++)
            {
                const sac_qp_solution s = solve_pair(qp, ten_to(p0), ten_to(p1), 1, ten_to(c));
                assert_int_not_equal(s.outcome, SAC_QP_INFEASIBLE);
                solved += s.outcome == SAC_QP_SOLVED;
            }
    assert_true(solved > count / 2);
    const double far = ten_to(100), heavy = ten_to(300), none = 0, one_ = 1;
    double x;
    sac_qp_problem single = {
        .variables = 1, .rows = 1, .p = &heavy, .q = &none, .a = &one_, .lower = &far, .upper = &far};
    assert_int_equal(sac_qp_solve(qp, &x, NULL, &single, false).outcome, SAC_QP_UNSUITABLE);
    sac_qp_destroy(qp);
}

// A minimum whose cost no double holds is not called solved.
TEST(what_is_solved_is_finite)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, 2, 2));
    const double big = ten_to(200), p[] = {big, 0, 0, big}, q[] = {-ten_to(300), 0};
    double x[2] = {1, 1};
    const sac_qp_problem problem = {.variables = 2, .p = p, .q = q};
    const sac_qp_solution s = sac_qp_solve(qp, x, NULL, &problem, false);
    assert_int_equal(s.outcome, SAC_QP_UNSUITABLE);
    assert_true(s.cost == 0 && x[0] == 0 && x[1] == 0);
    sac_qp_destroy(qp);
}

// Two steps that rounding sends back and forth, which one of the first 400,000 of these problems has.
TEST(who_takes_too_many_steps_is_stopped)
{
    sac_qp *qp;
    assert_ok(sac_qp_create(&qp, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    double x[QP_SCENE_VARIABLES], u[QP_SCENE_ROWS];
    make_hard(&one, OUT_OF_STEPS);
    const sac_qp_solution s = sac_qp_solve(qp, x, u, &one.def, false);
    assert_int_equal(s.outcome, SAC_QP_OUT_OF_STEPS);
    assert_true(s.steps > 10 * (one.def.variables + one.def.rows));
    for (int i = 0; i < one.def.variables; i++) assert_true(x[i] == 0);
    for (int i = 0; i < one.def.rows; i++) assert_true(u[i] == 0);
    qp_scene_make(&one, 3, 8, 20, false);
    assert_int_equal(sac_qp_solve(qp, x, u, &one.def, true).outcome, SAC_QP_SOLVED); // nothing is left of it
    check(&one, x, u);
    sac_qp_destroy(qp);
}

static void assert_same(const qp_scene *scene, sac_qp *a, sac_qp *b, bool warm)
{
    double x[QP_SCENE_VARIABLES], y[QP_SCENE_VARIABLES], u[QP_SCENE_ROWS], v[QP_SCENE_ROWS];
    const sac_qp_solution s = sac_qp_solve(a, x, u, &scene->def, warm), t = sac_qp_solve(b, y, v, &scene->def, warm);
    assert_int_equal(s.outcome, t.outcome);
    assert_int_equal(s.steps, t.steps);
    assert_memory_equal(&s.cost, &t.cost, sizeof s.cost);
    assert_memory_equal(x, y, (size_t)scene->def.variables * sizeof *x);
    assert_memory_equal(u, v, (size_t)scene->def.rows * sizeof *u);
}

// sizes of all kinds, rows of all lengths, and in every fifth problem rows that cannot be met
static void make_any(qp_scene *scene, uint64_t seed)
{
    sac_stream s = sac_stream_create(seed, 3, 4);
    const int n = 1 + (int)sac_stream_below(&s, QP_SCENE_VARIABLES),
              m = 2 + (int)sac_stream_below(&s, QP_SCENE_ROWS - 1);
    qp_scene_make(scene, seed, n, m, seed % 2);
    if (seed % 5 == 0) scene->upper[m - 1] = scene->lower[m - 1] = 1e200; // so large that numbers overflow on the way
}

// A cold start has the bits of a solver that was never used, whatever was solved before.
TEST(a_cold_start_forgets_everything)
{
    sac_qp *used, *fresh;
    assert_ok(sac_qp_create(&used, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    for (uint64_t seed = 0; seed < 300; seed++)
    {
        make_any(&one, seed);
        assert_ok(sac_qp_create(&fresh, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
        assert_same(&one, used, fresh, false);
        sac_qp_destroy(fresh);
    }
    sac_qp_destroy(used);
}

TEST(every_level_has_the_same_bits)
{
    const sac_cpu_level best = sac_get_cpu_level();
    sac_qp *solvers[2];
    for (int level = SAC_CPU_SCALAR; level <= (int)best; level++)
    {
        for (int i = 0; i < 2; i++)
        {
            sac_set_cpu_level(i == 0 ? SAC_CPU_SCALAR : (sac_cpu_level)level);
            assert_ok(sac_qp_create(&solvers[i], QP_SCENE_VARIABLES, QP_SCENE_ROWS));
        }
        for (uint64_t seed = 0; seed < 200; seed++)
        {
            make_any(&one, seed / 2);
            assert_same(&one, solvers[0], solvers[1], seed % 2);
        }
        for (int i = 0; i < 2; i++) sac_qp_destroy(solvers[i]);
    }
    sac_set_cpu_level(best);
}

// A solver that takes over the state of another one starts where that one would.
TEST(a_restored_solver_starts_as_the_saved_one)
{
    sac_qp *saved, *restored;
    assert_ok(sac_qp_create(&saved, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    assert_ok(sac_qp_create(&restored, QP_SCENE_VARIABLES, QP_SCENE_ROWS));
    const size_t size = sac_qp_state_size(saved);
    char *state = malloc(size), *again = malloc(size);
    assert_true(state && again);
    int held = 0;
    for (uint64_t seed = 1; seed < 100; seed++)
    {
        double x[QP_SCENE_VARIABLES];
        qp_scene_make(&one, seed, 20, 50, false);
        held += sac_qp_solve(saved, x, NULL, &one.def, false).active;
        make_any(&other, seed);
        sac_qp_solve(restored, x, NULL, &other.def, false); // something else
        sac_qp_save(saved, state);
        sac_qp_restore(restored, state);
        sac_qp_save(restored, again);
        assert_memory_equal(state, again, size);
        for (int j = 0; j < 20; j++) one.q[j] *= 1.1;
        assert_same(&one, saved, restored, true);
    }
    assert_true(held > 99);
    free(state), free(again);
    sac_qp_destroy(saved), sac_qp_destroy(restored);
}

TESTS(a_solution_meets_the_conditions_of_a_minimum, a_warm_start_ends_at_the_same_minimum_in_fewer_steps,
      a_warm_start_gives_up_rows_that_no_longer_hold, rows_that_repeat_others_do_no_harm, what_cannot_be_solved_is_said,
      what_is_said_of_hard_problems_is_so, weights_do_not_make_rows_infeasible, what_is_solved_is_finite,
      who_takes_too_many_steps_is_stopped, a_cold_start_forgets_everything, every_level_has_the_same_bits,
      a_restored_solver_starts_as_the_saved_one)
