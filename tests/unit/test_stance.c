#include <float.h>

#include "base/random.h"
#include "saccade/stance.h"
#include "test.h"

/// Forces of standing feet: recorded ones of the released controller, balance, symmetry, and what goes wrong.

static sac_stance_input scene(bool four)
{
    return (sac_stance_input){
        .toes = {{0.148, -0.115, -0.456}, {0.148, 0.117, -0.456}, {-0.29, -0.115, -0.456}, {-0.29, 0.117, -0.456}},
        .stands = {true, four, four, true},
        .roll = 0.02,
        .pitch = -0.03,
        .turning = {0.05, -0.1, 0.02},
        .velocity = {0.2, 0.02, 0},
        .height = 0.45,
        .wanted_velocity = {0.3, 0},
        .wanted_height = 0.45};
}

static sac_stance *controller(bool released, int horizon)
{
    sac_stance_def def = sac_stance_default_def();
    def.released = released;
    def.horizon = horizon;
    sac_stance *stance;
    assert_ok(sac_stance_create(&stance, &def));
    return stance;
}

// Forces that were recorded with the released controller, and with a version of it whose last step is mended. They are
// printed to a tenth of a newton.
TEST(recorded_forces)
{
    static const double recorded[2][2][SAC_LEGS][3] = {
        {{{14.0, -6.8, 114.6}, {0}, {0}, {15.2, -4.0, 130.1}},
         {{9.4, -2.1, 52.0}, {9.9, -2.1, 52.0}, {8.9, -1.3, 68.9}, {9.4, -1.3, 68.8}}},
        {{{17.0, -6.5, 153.6}, {0}, {0}, {18.2, -3.9, 161.7}},
         {{10.5, -2.3, 76.7}, {11.1, -2.3, 74.9}, {10.2, -1.5, 87.3}, {10.7, -1.5, 85.5}}}};
    for (int released = 0; released < 2; released++)
        for (int four = 0; four < 2; four++)
        {
            sac_stance *stance = controller(released, 10);
            sac_stance_input in = scene(four);
            sac_stance_output out = sac_stance_solve(stance, &in);
            assert_int_equal(out.solution.outcome, SAC_QP_SOLVED);
            for (int leg = 0; leg < SAC_LEGS; leg++)
                for (int i = 0; i < 3; i++) assert_near(out.forces[leg][i], recorded[released][four][leg][i], 0.1);
            sac_stance_destroy(stance);
        }
}

// --- the definition: 12 numbers and gravity, step by step ---

enum
{
    STATES = 13,
    MOST = 3 * SAC_LEGS * 10,
    FORCE = 100 // N, with which the definition is asked for its costs
};

static void turn(double out[3], double roll, double pitch, const double v[3], bool toes)
{
    // Rx(roll) Ry(pitch) for toes, as released, else Ry(pitch) Rx(roll)
    const double a = cos(roll), b = sin(roll), c = cos(pitch), d = sin(pitch);
    if (toes)
    {
        const double w[3] = {c * v[0] + d * v[2], v[1], c * v[2] - d * v[0]};
        out[0] = w[0], out[1] = a * w[1] - b * w[2], out[2] = b * w[1] + a * w[2];
        return;
    }
    const double w[3] = {v[0], a * v[1] - b * v[2], b * v[1] + a * v[2]};
    out[0] = c * w[0] + d * w[2], out[1] = w[1], out[2] = c * w[2] - d * w[0];
}

// the turning acceleration that a force at a toe gives: R I^-1 R' (r x f)
static void accelerate(double out[3], const sac_stance_def *def, const sac_stance_input *in, int leg, int axis)
{
    double r[3], f[3] = {0}, axes[3][3], result[3] = {0};
    f[axis] = 1;
    turn(r, in->roll, in->pitch, in->toes[leg], true);
    const double torque[3] = {r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]};
    for (int k = 0; k < 3; k++)
    {
        const double unit[3] = {k == 0, k == 1, k == 2};
        turn(axes[k], in->roll, in->pitch, unit, false);
        const double along = axes[k][0] * torque[0] + axes[k][1] * torque[1] + axes[k][2] * torque[2];
        for (int i = 0; i < 3; i++) result[i] += axes[k][i] * along / def->inertia[k];
    }
    for (int i = 0; i < 3; i++) out[i] = result[i];
}

// one step of the motion under constant accelerations
static void advance(double x[STATES], const sac_stance_def *def, double pitch, const double a[6])
{
    const double h = def->step, c = cos(pitch), t = tan(pitch);
    double rates[6] = {x[6] / c, x[7], t * x[6] + x[8], a[0] / c, a[1], t * a[0] + a[2]};
    for (int i = 0; i < 3; i++)
    {
        const double pull = i == 2 ? x[12] : 0;
        x[i] += h * rates[i] + h * h / 2 * rates[3 + i];
        x[3 + i] += h * x[9 + i] + h * h / 2 * (a[3 + i] + pull);
        x[6 + i] += h * a[i];
        x[9 + i] += h * (a[3 + i] + pull);
    }
}

// the cost of forces [horizon, feet, 3], by the definition
static double cost_of(const sac_stance_def *def, const sac_stance_input *in, const double *u)
{
    double x[STATES] = {in->roll, in->pitch, 0, 0, 0, in->height}, cost = 0;
    for (int i = 0; i < 3; i++) x[6 + i] = in->turning[i], x[9 + i] = in->velocity[i];
    x[12] = -def->gravity;
    for (int step = 1; step <= def->horizon; step++)
    {
        double a[6] = {0};
        for (int leg = 0; leg < SAC_LEGS; leg++)
            for (int axis = 0; in->stands[leg] && axis < 3; axis++, u++)
            {
                double turning[3];
                accelerate(turning, def, in, leg, axis);
                for (int i = 0; i < 3; i++) a[i] += turning[i] * *u;
                a[3 + axis] += *u / def->mass;
                cost += def->effort / 2 * *u * *u;
            }
        advance(x, def, in->pitch, a);
        const double t = step * def->step;
        const double wanted[12] = {in->wanted_roll,
                                   in->wanted_pitch,
                                   t * in->wanted_twist,
                                   t * in->wanted_velocity[0],
                                   t * in->wanted_velocity[1],
                                   in->wanted_height,
                                   0,
                                   0,
                                   in->wanted_twist,
                                   in->wanted_velocity[0],
                                   in->wanted_velocity[1],
                                   0};
        for (int i = 0; i < 12; i++) cost += def->weights[i] * (x[i] - wanted[i]) * (x[i] - wanted[i]);
    }
    return cost;
}

// P and q from costs: a quadratic function is known from its values at 0, single forces and pairs of them
// @param[out] most  the largest of these costs
static int quadratic_of(double *p, double *q, double *most, const sac_stance_def *def, const sac_stance_input *in)
{
    int feet = 0;
    for (int leg = 0; leg < SAC_LEGS; leg++) feet += in->stands[leg];
    const int n = 3 * feet * def->horizon;
    double u[MOST] = {0}, size = FORCE;
    const double none = cost_of(def, in, u);
    *most = none;
    static double alone[MOST], against[MOST];
    for (int i = 0; i < n; i++)
    {
        u[i] = size, alone[i] = cost_of(def, in, u);
        u[i] = -size, against[i] = cost_of(def, in, u);
        u[i] = 0;
        q[i] = (alone[i] - against[i]) / (2 * size);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            u[i] += size, u[j] += size;
            const double both = cost_of(def, in, u);
            *most = fmax(*most, fmax(both, against[i]));
            p[i * n + j] = (both - alone[i] - alone[j] + none) / (size * size);
            if (i == j) p[i * n + j] = (alone[i] + against[i] - 2 * none) / (size * size);
            u[i] = u[j] = 0;
        }
    return n;
}

static sac_stance_input any(uint64_t seed)
{
    sac_stream s = sac_stream_create(seed, 3, 4);
    sac_stance_input in = scene(true);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        in.stands[leg] = (seed + (uint64_t)leg) % 3 != 0;
        for (int i = 0; i < 3; i++) in.toes[leg][i] += sac_stream_uniform(&s, -0.05, 0.05);
    }
    in.roll = sac_stream_uniform(&s, -0.3, 0.3), in.pitch = sac_stream_uniform(&s, -0.3, 0.3);
    for (int i = 0; i < 3; i++) in.turning[i] = sac_stream_uniform(&s, -1, 1);
    for (int i = 0; i < 3; i++) in.velocity[i] = sac_stream_uniform(&s, -0.5, 0.5);
    in.height = sac_stream_uniform(&s, 0.4, 0.5);
    in.wanted_twist = sac_stream_uniform(&s, -0.5, 0.5), in.wanted_velocity[0] = sac_stream_uniform(&s, -0.5, 1);
    return in;
}

// How far costs and forces may be off when costs are known to a share of `roundings` epsilons of the largest, `most`.
// P is found from four costs over size^2, and q from two over 2 size. Where P and q are off by dP and dq in each
// number, the least cost is off by x' dP x / 2 + dq' x at most, and the place of the minimum by (|dP| |x| + |dq|) over
// the least eigenvalue of P, which is the effort.
typedef struct slack
{
    double cost, force;
} slack;

static slack slack_of(const double *x, int n, double most, double size, double roundings, double effort)
{
    const double off = roundings * DBL_EPSILON * most, dp = 4 * off / (size * size), dq = off / size;
    double sum = 0, square = 0;
    for (int i = 0; i < n; i++) sum += fabs(x[i]), square += x[i] * x[i];
    return (slack){.cost = dp * sum * sum / 2 + dq * sum, .force = (n * dp * sqrt(square) + sqrt(n) * dq) / effort};
}

// The same forces by the definition's P and q, which come from differences of costs. A cost sums 12 squares and up to
// 12 forces a step, and in each step a state goes through some 16 roundings: 40 a step.
TEST(forces_are_the_minimum_of_the_definition)
{
    static double p[MOST * MOST], q[MOST], a[5 * MOST / 3 * MOST], lower[5 * MOST / 3], upper[5 * MOST / 3], x[MOST];
    static const int horizons[] = {1, 2, 5, 10};
    for (uint64_t seed = 0; seed < 16; seed++)
    {
        sac_stance_def def = sac_stance_default_def();
        def.horizon = horizons[seed % 4];
        sac_stance_input in = any(seed);
        double most;
        const int n = quadratic_of(p, q, &most, &def, &in), m = 5 * n / 3;
        memset(a, 0, sizeof a);
        for (int i = 0; i < m; i++)
        {
            double *row = a + (ptrdiff_t)i * n + i / 5 * 3;
            lower[i] = 0, upper[i] = INFINITY;
            row[2] = i % 5 < 4 ? 0.45 : 1;
            if (i % 5 < 4)
                row[i % 5 / 2] = i % 2 ? 1 : -1;
            else
                lower[i] = 0.1 * 235, upper[i] = 10 * 235;
        }
        sac_qp *qp;
        assert_ok(sac_qp_create(&qp, n, m));
        const sac_qp_problem problem = {
            .variables = n, .rows = m, .p = p, .q = q, .a = a, .lower = lower, .upper = upper};
        sac_qp_solution expected = sac_qp_solve(qp, x, NULL, &problem, false);
        assert_int_equal(expected.outcome, SAC_QP_SOLVED);
        sac_stance *stance = controller(false, def.horizon);
        sac_stance_output out = sac_stance_solve(stance, &in);
        assert_int_equal(out.solution.outcome, SAC_QP_SOLVED);
        const slack s = slack_of(x, n, most, FORCE, 40.0 * def.horizon, def.effort);
        assert_near(out.solution.cost, expected.cost, s.cost);
        for (int leg = 0, k = 0; leg < SAC_LEGS; leg++)
            for (int i = 0; i < 3; i++) assert_near(out.forces[leg][i], in.stands[leg] ? x[k++] : 0, s.force);
        sac_qp_destroy(qp);
        sac_stance_destroy(stance);
    }
}

// The solver moves y = U x with U' U = P, from the minimum without rows, y0, to the answer, and both starts have the
// same U and y0. The definition's cost, C + |y - y0|^2 / 2 with C >= 0, is C + |y0|^2 / 2 where no foot presses: so
// |y0| and the way to the answer, whose cost is no higher, are sqrt(2 of that) at most, and |y| twice as much. Each of
// k rows moves y by an orthogonal step of n numbers, which rounds to n epsilon |y|; of these x has 1 / sqrt(effort) at
// most, as the effort is the least eigenvalue of P, and a cost |y| + |y0|. Both starts may be off so far.
TEST(a_warm_start_gives_the_forces_of_a_cold_one)
{
    const double none[MOST] = {0};
    const sac_stance_def def = sac_stance_default_def();
    sac_stance *warm = controller(false, 10);
    for (uint64_t seed = 0; seed < 60; seed++)
    {
        sac_stance_input in = any(seed / 10); // the feet change every ten steps
        in.velocity[0] += 0.01 * (double)(seed % 10);
        sac_stance *cold = controller(false, 10);
        sac_stance_output a = sac_stance_solve(cold, &in), b = sac_stance_solve(warm, &in);
        const double y = 2 * sqrt(2 * cost_of(&def, &in, none));
        const double off = 2 * (a.solution.active + 1) * MOST * DBL_EPSILON * y;
        assert_int_equal(a.solution.active, b.solution.active);
        assert_true(a.solution.cost < 0); // no higher than where no foot presses
        assert_near(a.solution.cost, b.solution.cost, off * 1.5 * y);
        for (int leg = 0; leg < SAC_LEGS; leg++)
            for (int i = 0; i < 3; i++) assert_near(a.forces[leg][i], b.forces[leg][i], off / sqrt(def.effort));
        sac_stance_destroy(cold);
    }
    sac_stance_destroy(warm);
}

// the height at which a body at rest presses with its weight
static double balance(bool released, bool four)
{
    sac_stance *stance = controller(released, 10);
    double low = 0.4, high = 0.6;
    for (int i = 0; i < 40; i++)
    {
        const double height = (low + high) / 2;
        sac_stance_input in = {.height = height, .wanted_height = 0.45, .stands = {true, four, four, true}};
        double force = 0;
        for (int leg = 0; leg < SAC_LEGS; leg++)
        {
            memcpy(in.toes[leg], scene(true).toes[leg], sizeof in.toes[leg]);
            in.toes[leg][2] = -height;
        }
        const sac_stance_output out = sac_stance_solve(stance, &in);
        for (int leg = 0; leg < SAC_LEGS; leg++) force += out.forces[leg][2];
        *(force > 235 ? &low : &high) = height;
    }
    sac_stance_destroy(stance);
    return low;
}

// The released defect lifts a body of Laikago's kind: by 1.7 cm on four feet and by 1.9 cm on two, to the millimetre.
TEST(the_released_defect_lifts_a_body)
{
    assert_near(balance(true, true) - balance(false, true), 0.017, 0.0005);
    assert_near(balance(true, false) - balance(false, false), 0.019, 0.0005);
}

// feet under the four corners of a level body at the wanted height
static sac_stance_input level(void)
{
    sac_stance_input in = {.height = 0.45, .wanted_height = 0.45};
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        in.stands[leg] = true;
        in.toes[leg][0] = leg < 2 ? 0.2 : -0.2;
        in.toes[leg][1] = leg % 2 ? 0.12 : -0.12;
        in.toes[leg][2] = -0.45;
    }
    return in;
}

// a body at rest at the wanted height stands still: each foot carries a quarter of the weight
TEST(what_stands_where_it_should_is_held)
{
    sac_stance *stance = controller(false, 10);
    sac_stance_input in = level();
    for (int form = 0; form < 2; form++)
    {
        sac_stance_output out = form ? sac_stance_instant(stance, &in) : sac_stance_solve(stance, &in);
        assert_int_equal(out.solution.outcome, SAC_QP_SOLVED);
        // The instant's 1e-4 beside 4 / m^2 lets a part of 1e-4 m^2 / 4 of the weight go; the effort beside the ten
        // steps' weight of height, 10 step^4 sum (i - 1/2)^2 / m^2, some 1e-6 m^2 / (4 * 0.01) of it.
        const double m = 235 / 9.8, part = form ? 1e-4 * m * m / 4 : 1e-6 * m * m / 0.04;
        for (int leg = 0; leg < SAC_LEGS; leg++) assert_near(out.forces[leg][2], 235.0 / 4, 235.0 / 4 * part * 1.05);
    }
    sac_stance_destroy(stance);
}

// The instant's forces give the acceleration that is asked for, less 1e-4 m^2 / 4 of it. Upwards, no torque comes
// along.
TEST(an_instant_gives_what_is_asked_for)
{
    sac_stance *stance = controller(false, 1);
    sac_stance_input in = level();
    in.height = 0.43;
    in.velocity[2] = -0.05;
    sac_stance_output out = sac_stance_instant(stance, &in);
    double force = 0;
    for (int leg = 0; leg < SAC_LEGS; leg++) force += out.forces[leg][2];
    const double m = 235 / 9.8, asked = 9.8 + 100 * 0.02 + 10 * 0.05;
    assert_near(force / m, asked / (1 + 1e-4 * m * m / 4), 1e-9 * asked);
    in.height = -10; // 1045 m/s^2, cut at 10
    out = sac_stance_instant(stance, &in);
    force = 0;
    for (int leg = 0; leg < SAC_LEGS; leg++) force += out.forces[leg][2];
    assert_near(force / m, 19.8 / (1 + 1e-4 * m * m / 4), 1e-9 * asked);
    sac_stance_destroy(stance);
}

// The released controller adds the weight of its forces to every entry of the quadratic form. That makes the sum of all
// forces along all axes cost something, so that feet which should only carry the body also push it back and aside.
TEST(the_released_instant_weighs_every_entry)
{
    enum
    {
        N = 3 * SAC_LEGS
    };
    double form[N * N], linear[N];
    sac_stance_input in = level();
    in.height = 0.43;
    for (int released = 0; released < 2; released++)
    {
        sac_stance *stance = controller(released, 1);
        const sac_stance_output out = sac_stance_instant(stance, &in);
        const sac_qp_problem *p = sac_stance_problem(stance, NULL);
        assert_int_equal(out.solution.outcome, SAC_QP_SOLVED);
        assert_int_equal(p->variables, N);
        double along = 0;
        for (int leg = 0; leg < SAC_LEGS; leg++) along += out.forces[leg][0];
        assert_true(released ? along < -1 : fabs(along) < 1e-9);
        for (int i = 0; i < N; i++)
        {
            if (released) assert_true(p->q[i] == linear[i]);
            linear[i] = p->q[i];
            for (int j = i; j < N; j++)
            {
                if (released) assert_near(p->p[i * N + j] - form[i * N + j], 1e-4, 1e-13);
                form[i * N + j] = p->p[i * N + j];
            }
        }
        sac_stance_destroy(stance);
    }
}

TEST(a_bad_input_gives_a_safe_answer)
{
    sac_stance *stance = controller(false, 10);
    for (int form = 0; form < 2; form++)
    {
        sac_stance_input in = scene(true);
        in.turning[1] = (double)NAN;
        sac_stance_output out = form ? sac_stance_instant(stance, &in) : sac_stance_solve(stance, &in);
        assert_int_equal(out.solution.outcome, SAC_QP_UNSUITABLE);
        for (int leg = 0; leg < SAC_LEGS; leg++)
            for (int i = 0; i < 3; i++) assert_near(out.forces[leg][i], i == 2 ? 235.0 / 4 : 0, 1e-9);
        in = scene(true);
        memset(in.stands, 0, sizeof in.stands);
        out = form ? sac_stance_instant(stance, &in) : sac_stance_solve(stance, &in);
        assert_int_equal(out.solution.outcome, SAC_QP_UNSUITABLE);
        for (int leg = 0; leg < SAC_LEGS; leg++)
            for (int i = 0; i < 3; i++) assert_true(out.forces[leg][i] == 0);
    }
    sac_stance_destroy(stance);
    sac_stance_def def = sac_stance_default_def();
    def.horizon = 17;
    assert_fails(sac_stance_create(&stance, &def), SAC_ERROR_ARGUMENT, "17 steps");
    def = sac_stance_default_def(), def.mass = 0;
    assert_fails(sac_stance_create(&stance, &def), SAC_ERROR_ARGUMENT, "mass");
    def = sac_stance_default_def(), def.most = 0.05;
    assert_fails(sac_stance_create(&stance, &def), SAC_ERROR_ARGUMENT, "least");
    def = sac_stance_default_def(), def.weights[3] = (double)NAN;
    assert_fails(sac_stance_create(&stance, &def), SAC_ERROR_ARGUMENT, "weights");
    sac_stance_destroy(NULL);
}

// x in -most..most, of any size in between
static double any_size(sac_stream *s, double most)
{
    double x = sac_stream_uniform(s, -most, most);
    for (uint32_t i = sac_stream_below(s, 12); i > 0; i--) x /= 10;
    return x;
}

// moments as no walk has them: a pitch at which yaw and roll are one, and numbers up to the bounds of the header
static sac_stance_input extreme(uint64_t seed)
{
    sac_stream s = sac_stream_create(seed, 5, 6);
    sac_stance_input in = any(seed);
    if (seed % 4 < 2) in.pitch = (seed % 8 < 4 ? 1.5707963267948966 : -1.5707963267948966) + any_size(&s, 1e-2);
    if (seed % 4 == 0) return in;
    double most = 1;
    for (uint64_t i = 0; i < seed / 4 % 10; i++) most *= 10;
    in.roll = any_size(&s, 1e6);
    for (int i = 0; i < 3; i++) in.turning[i] = any_size(&s, most), in.velocity[i] = any_size(&s, most);
    in.height = any_size(&s, most), in.wanted_height = any_size(&s, most), in.wanted_twist = any_size(&s, most);
    for (int i = 0; i < 2; i++) in.wanted_velocity[i] = any_size(&s, most);
    for (int leg = 0; leg < SAC_LEGS && seed % 3 == 0; leg++)
        for (int i = 0; i < 3; i++) in.toes[leg][i] = any_size(&s, most);
    return in;
}

// The forces of a solved problem are in the pyramid and between the bounds of fz, to 1e-10 of the largest term of a row
// and 1e-13, as sac_qp says, and to as much again for sums in another order.
static void assert_in_bounds(const sac_stance_def *def, const double f[3])
{
    const double weight = def->mass * def->gravity, most = def->friction * f[2], off = 2e-10 * (1e-3 + fabs(f[2]));
    assert_true(fabs(f[0]) <= most + off + 2e-10 * fabs(f[0]) && fabs(f[1]) <= most + off + 2e-10 * fabs(f[1]));
    assert_true(f[2] >= def->least * weight - off && f[2] <= def->most * weight + off);
}

// Whatever is asked, either all forces of the first step are allowed ones, or the outcome says that the problem was not
// solved and each standing foot carries its share of the weight. Feet that press straight down meet all bounds, so that
// no problem is infeasible.
TEST(extreme_moments_are_solved_or_given_up)
{
    sac_stance_def def = sac_stance_default_def();
    sac_stance *stance = controller(false, 10);
    for (int form = 0; form < 2; form++)
    {
        int outcomes[4] = {0};
        for (uint64_t seed = 0; seed < 400; seed++)
        {
            const sac_stance_input in = extreme(seed);
            const sac_stance_output out = form ? sac_stance_instant(stance, &in) : sac_stance_solve(stance, &in);
            int feet = 0;
            for (int leg = 0; leg < SAC_LEGS; leg++) feet += in.stands[leg];
            outcomes[out.solution.outcome]++;
            for (int leg = 0; leg < SAC_LEGS; leg++)
            {
                const double *f = out.forces[leg];
                if (!in.stands[leg])
                    assert_true(f[0] == 0 && f[1] == 0 && f[2] == 0);
                else if (out.solution.outcome == SAC_QP_SOLVED)
                    assert_in_bounds(&def, f);
                else
                    assert_true(f[0] == 0 && f[1] == 0 && f[2] == def.mass * def.gravity / feet);
            }
        }
        assert_int_equal(outcomes[SAC_QP_INFEASIBLE], 0);
        assert_true(outcomes[SAC_QP_SOLVED] > 100 && outcomes[SAC_QP_UNSUITABLE] > 10);
        // nothing is left of what was given up
        const sac_stance_input in = scene(true);
        sac_stance *fresh = controller(false, 10);
        const sac_stance_output a = form ? sac_stance_instant(stance, &in) : sac_stance_solve(stance, &in),
                                b = form ? sac_stance_instant(fresh, &in) : sac_stance_solve(fresh, &in);
        assert_int_equal(a.solution.outcome, SAC_QP_SOLVED);
        for (int leg = 0; leg < SAC_LEGS; leg++)
            for (int i = 0; i < 3; i++) assert_near(a.forces[leg][i], b.forces[leg][i], 1e-6);
        sac_stance_destroy(fresh);
    }
    sac_stance_destroy(stance);
}

TESTS(recorded_forces, forces_are_the_minimum_of_the_definition, a_warm_start_gives_the_forces_of_a_cold_one,
      the_released_defect_lifts_a_body, what_stands_where_it_should_is_held, an_instant_gives_what_is_asked_for,
      the_released_instant_weighs_every_entry, a_bad_input_gives_a_safe_answer, extreme_moments_are_solved_or_given_up)
