#include "saccade/stance.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "legs/rotation.h"

enum
{
    ROWS = 5, // of a foot: four sides of the pyramid of friction, and fz
    MOST = 3 * SAC_LEGS * SAC_MAX_HORIZON
};

// what lasts from one problem to the next, beside the solver's own
typedef struct lasting
{
    int32_t warm;
    uint32_t feet; // which ones stood in the last problem, one bit each
} lasting;

struct sac_stance
{
    sac_stance_def def;
    sac_qp *qp;
    lasting last;
    double late[SAC_MAX_HORIZON][SAC_MAX_HORIZON];  // sum over steps i > j, l of (i - j - 1/2) (i - l - 1/2) step^4
    double often[SAC_MAX_HORIZON][SAC_MAX_HORIZON]; // their number times step^2
    double p[MOST * MOST], q[MOST], x[MOST];
    double a[ROWS * MOST / 3 * MOST], lower[ROWS * MOST / 3], upper[ROWS * MOST / 3];
    int first[ROWS * MOST / 3], end[ROWS * MOST / 3];
    int bound; // forces that `a`, `lower` and `upper` are made for
    sac_qp_problem problem;
};

sac_stance_def sac_stance_default_def(void)
{
    return (sac_stance_def){.mass = 235 / 9.8,
                            .inertia = {0.183375, 0.6267, 0.636175},
                            .gravity = 9.8,
                            .horizon = 10,
                            .step = 0.025,
                            .weights = {5, 5, 0.2, 0, 0, 10, 0.5, 0.5, 0.2, 0.2, 0.2, 0.1},
                            .effort = 1e-6,
                            .friction = 0.45,
                            .least = 0.1,
                            .most = 10,
                            .spring = {0, 0, 100, 100, 100, 0},
                            .damper = {40, 30, 10, 10, 10, 30},
                            .limit = {10, 10, 10, 20, 20, 20},
                            .instant_weights = {1, 1, 1, 10, 10, 1}};
}

static bool are_in(const double *x, int count, double low, double high)
{
    for (int i = 0; i < count; i++)
        if (!(x[i] >= low && x[i] <= high)) return false;
    return true;
}

static sac_status check(const sac_stance_def *d)
{
    if (d->horizon < 1 || d->horizon > SAC_MAX_HORIZON)
        return sac_fail(SAC_ERROR_ARGUMENT, "stance: the horizon is %d steps, expected 1 to %d", d->horizon,
                        SAC_MAX_HORIZON);
    const double positive[] = {d->mass, d->inertia[0], d->inertia[1], d->inertia[2], d->step, d->effort, d->friction};
    if (!are_in(positive, sizeof positive / sizeof *positive, 1e-12, 1e12))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "stance: mass, inertia, step, effort and friction must be positive and finite");
    if (!are_in(&d->gravity, 1, 0, 1e6) || !are_in(&d->least, 1, 0, 1e6) || !are_in(&d->most, 1, d->least, 1e6))
        return sac_fail(SAC_ERROR_ARGUMENT, "stance: expected gravity >= 0 and 0 <= least <= most");
    if (!are_in(d->weights, 12, 0, 1e12) || !are_in(d->instant_weights, 6, 0, 1e12) || !are_in(d->limit, 6, 0, 1e12) ||
        !are_in(d->spring, 6, -1e12, 1e12) || !are_in(d->damper, 6, -1e12, 1e12))
        return sac_fail(SAC_ERROR_ARGUMENT, "stance: weights and limits must be finite and not negative");
    return SAC_OK;
}

// A force of step j moves the body at the end of step i > j by (i - j - 1/2) step^2 / m, and gives it the speed
// step / m: what the squares of both sum up to depends on the steps alone.
static void sum_steps(sac_stance *s)
{
    const int h = s->def.horizon;
    const double square = s->def.step * s->def.step;
    for (int j = 0; j < h; j++)
        for (int l = 0; l < h; l++)
        {
            const int last = j > l ? j : l;
            double sum = 0;
            for (int i = last + 1; i <= h; i++) sum += (i - j - 0.5) * (i - l - 0.5);
            s->late[j][l] = sum * square * square;
            s->often[j][l] = (h - last) * square;
        }
}

sac_status sac_stance_create(sac_stance **out, const sac_stance_def *def)
{
    *out = NULL;
    SAC_TRY(check(def));
    sac_stance *s = SAC_NEW(sac_stance);
    if (!s) return sac_fail_memory("a stance controller");
    s->def = *def;
    sum_steps(s);
    const int feet = SAC_LEGS * def->horizon;
    const sac_status status = sac_qp_create(&s->qp, 3 * feet, ROWS * feet);
    if (status != SAC_OK)
    {
        sac_stance_destroy(s);
        return status;
    }
    *out = s;
    return SAC_OK;
}

void sac_stance_destroy(sac_stance *s)
{
    if (!s) return;
    sac_qp_destroy(s->qp);
    sac_free(s);
}

void sac_stance_reset(sac_stance *s)
{
    s->last = (lasting){0};
}

size_t sac_stance_state_size(const sac_stance *s)
{
    return sizeof s->last + sac_qp_state_size(s->qp);
}

void sac_stance_save(const sac_stance *s, void *state)
{
    memcpy(state, &s->last, sizeof s->last);
    sac_qp_save(s->qp, (char *)state + sizeof s->last);
}

void sac_stance_restore(sac_stance *s, const void *state)
{
    memcpy(&s->last, state, sizeof s->last);
    sac_qp_restore(s->qp, (const char *)state + sizeof s->last);
}

// Numbers that are not finite are refused, and so are angles for which the series of sine and cosine are not made.
static bool is_sound(const sac_stance_input *in)
{
    const double angles[] = {in->roll, in->pitch, in->wanted_roll, in->wanted_pitch};
    const double numbers[] = {in->height, in->wanted_height, in->wanted_twist, in->wanted_velocity[0],
                              in->wanted_velocity[1]};
    return are_in(angles, 4, -1e6, 1e6) && are_in(numbers, 5, -1e9, 1e9) && are_in(in->turning, 3, -1e9, 1e9) &&
           are_in(in->velocity, 3, -1e9, 1e9) && are_in(in->toes[0], 3 * SAC_LEGS, -1e9, 1e9);
}

// --- the problem that both forms share: which feet stand, and what they may do ---

typedef struct footing
{
    int count;
    int legs[SAC_LEGS];
    unsigned bits;
} footing;

static footing standing(const sac_stance_input *in)
{
    footing f = {0};
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        if (!in->stands[leg]) continue;
        f.legs[f.count++] = leg;
        f.bits |= 1u << leg;
    }
    return f;
}

// -friction fz <= fx, fy <= friction fz, and bounds of fz, for `count` forces one after the other
static void bound(sac_stance *s, int count)
{
    if (s->bound == count) return; // they are those of the last problem
    s->bound = count;
    const int n = 3 * count;
    const double weight = s->def.mass * s->def.gravity, mu = s->def.friction;
    const double side[ROWS][3] = {{-1, 0, mu}, {1, 0, mu}, {0, -1, mu}, {0, 1, mu}, {0, 0, 1}};
    memset(s->a, 0, (size_t)(ROWS * count) * (size_t)n * sizeof *s->a);
    for (int foot = 0; foot < count; foot++)
        for (int k = 0; k < ROWS; k++)
        {
            const int row = ROWS * foot + k;
            memcpy(s->a + (ptrdiff_t)row * n + (ptrdiff_t)3 * foot, side[k], sizeof side[k]);
            s->first[row] = 3 * foot;
            s->end[row] = 3 * foot + 3;
            s->lower[row] = k < ROWS - 1 ? 0 : s->def.least * weight;
            s->upper[row] = k < ROWS - 1 ? INFINITY : s->def.most * weight;
        }
}

// what is pressed where no problem was solved: each standing foot carries its share of the weight
static sac_stance_output carry(sac_stance *s, const footing *f, sac_qp_solution solution)
{
    sac_stance_output out = {.solution = solution};
    s->last.warm = false;
    for (int k = 0; k < f->count; k++) out.forces[f->legs[k]][2] = s->def.mass * s->def.gravity / f->count;
    return out;
}

static sac_stance_output refuse(sac_stance *s, const footing *f)
{
    return carry(s, f, (sac_qp_solution){.outcome = SAC_QP_UNSUITABLE});
}

static sac_stance_output solve(sac_stance *s, const footing *f, int count)
{
    bound(s, count);
    s->problem = (sac_qp_problem){.variables = 3 * count,
                                  .rows = ROWS * count,
                                  .p = s->p,
                                  .q = s->q,
                                  .a = s->a,
                                  .lower = s->lower,
                                  .upper = s->upper,
                                  .first = s->first,
                                  .end = s->end};
    sac_stance_output out = {0};
    out.solution = sac_qp_solve(s->qp, s->x, NULL, &s->problem, s->last.warm && s->last.feet == f->bits);
    if (out.solution.outcome != SAC_QP_SOLVED) return carry(s, f, out.solution);
    s->last.warm = true;
    s->last.feet = f->bits;
    for (int k = 0; k < f->count; k++) memcpy(out.forces[f->legs[k]], s->x + (ptrdiff_t)3 * k, sizeof out.forces[0]);
    return out;
}

// --- several steps ---

// What a force of each foot does: turns [3, 3] = I^-1 [r], in the frame of the yaw, and tilts = T turns, T from rates
// to the change of roll, pitch and yaw.
typedef struct lever
{
    double turns[SAC_LEGS][9], tilts[SAC_LEGS][9], rates[9];
} lever;

static lever lever_of(const sac_stance *s, const sac_stance_input *in, const footing *f)
{
    lever v;
    double x[9], y[9], yx[9], xy[9], inverse[9], turned[9];
    sac_rotation_x(x, in->roll);
    sac_rotation_y(y, in->pitch);
    sac_product(xy, x, y); // the released order, for the toes
    sac_product(yx, y, x);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turned[3 * i + j] = yx[3 * i + j] / s->def.inertia[j];
    double transposed[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) transposed[3 * i + j] = yx[3 * j + i];
    sac_product(inverse, turned, transposed);                // R I^-1 R'
    const double c = y[0], t = y[2] / y[0];                  // of the pitch: cosine and tangent
    const double rates[9] = {1 / c, 0, 0, 0, 1, 0, t, 0, 1}; // at yaw 0
    memcpy(v.rates, rates, sizeof rates);
    for (int k = 0; k < f->count; k++)
    {
        double r[3], cross[9];
        sac_turn_vector(r, xy, in->toes[f->legs[k]]);
        sac_cross(cross, r);
        sac_product(v.turns[k], inverse, cross);
        sac_product(v.tilts[k], v.rates, v.turns[k]);
    }
    return v;
}

// The free motion less the reference at the end of step i = 1..horizon: angles, position, rates, velocity.
static void miss(double out[12], const sac_stance *s, const sac_stance_input *in, const lever *v, int i)
{
    const double t = i * s->def.step, g = s->def.gravity;
    double drift[3];
    sac_turn_vector(drift, v->rates, in->turning);
    double state[12] = {
        in->roll + t * drift[0], in->pitch + t * drift[1], t * drift[2],
        t * in->velocity[0],     t * in->velocity[1],      in->height + t * in->velocity[2] - g * t * t / 2,
        in->turning[0],          in->turning[1],           in->turning[2],
        in->velocity[0],         in->velocity[1],          in->velocity[2] - g * t};
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
    if (s->def.released && i == s->def.horizon) memset(state, 0, sizeof state);
    for (int k = 0; k < 12; k++) out[k] = s->def.weights[k] * (state[k] - wanted[k]);
}

// P of feet a and b: the part that counts where forces have acted for long (`late`), and the one of speeds (`often`)
static void blocks(double late[9], double often[9], const sac_stance *s, const lever *v, int a, int b)
{
    const double *w = s->def.weights, m = s->def.mass;
    double weighted[9];
    for (int i = 0; i < 9; i++) weighted[i] = w[i / 3] * v->tilts[b][i];
    sac_product_of_transposed(late, v->tilts[a], weighted);
    for (int i = 0; i < 9; i++) weighted[i] = w[6 + i / 3] * v->turns[b][i];
    sac_product_of_transposed(often, v->turns[a], weighted);
    for (int i = 0; i < 3; i++)
    {
        late[4 * i] += w[3 + i] / (m * m);
        often[4 * i] += w[9 + i] / (m * m);
    }
}

static void set_quadratic(sac_stance *s, const lever *v, int feet)
{
    const int n = 3 * feet * s->def.horizon;
    for (int a = 0; a < feet; a++)
        for (int b = 0; b < feet; b++)
        {
            double late[9], often[9];
            blocks(late, often, s, v, a, b);
            for (int j = 0; j < s->def.horizon; j++)
                for (int l = j; l < s->def.horizon; l++) // the upper triangle
                {
                    double *p = s->p + (ptrdiff_t)(3 * (j * feet + a)) * n + (ptrdiff_t)3 * (l * feet + b);
                    for (int i = 0; i < 9; i++)
                        p[i / 3 * n + i % 3] = 2 * (s->late[j][l] * late[i] + s->often[j][l] * often[i]);
                }
        }
    for (int i = 0; i < n; i++) s->p[(ptrdiff_t)i * n + i] += s->def.effort;
}

static void set_linear(sac_stance *s, const sac_stance_input *in, const lever *v, int feet)
{
    const double step = s->def.step, m = s->def.mass;
    memset(s->q, 0, (size_t)(3 * feet * s->def.horizon) * sizeof *s->q);
    for (int i = 1; i <= s->def.horizon; i++)
    {
        double e[12];
        miss(e, s, in, v, i);
        for (int k = 0; k < feet; k++)
            for (int c = 0; c < 3; c++)
            {
                const double *tilts = v->tilts[k] + c, *turns = v->turns[k] + c; // columns
                const double late = tilts[0] * e[0] + tilts[3] * e[1] + tilts[6] * e[2] + e[3 + c] / m;
                const double often = turns[0] * e[6] + turns[3] * e[7] + turns[6] * e[8] + e[9 + c] / m;
                for (int j = 0; j < i; j++)
                    s->q[3 * (j * feet + k) + c] += 2 * step * ((i - j - 0.5) * step * late + often);
            }
    }
}

sac_stance_output sac_stance_solve(sac_stance *s, const sac_stance_input *in)
{
    const footing f = standing(in);
    if (f.count == 0 || !is_sound(in)) return refuse(s, &f);
    const lever v = lever_of(s, in, &f);
    set_quadratic(s, &v, f.count);
    set_linear(s, in, &v, f.count);
    return solve(s, &f, f.count * s->def.horizon);
}

// --- one instant ---

static double cut(double x, double limit)
{
    return x > limit ? limit : x < -limit ? -limit : x;
}

// g + a of x, y, z, roll, pitch, yaw
static void ask(double out[6], const sac_stance *s, const sac_stance_input *in)
{
    const sac_stance_def *d = &s->def;
    const double off[6] = {
        0, 0, in->wanted_height - in->height, in->wanted_roll - in->roll, in->wanted_pitch - in->pitch, 0};
    const double slow[6] = {in->wanted_velocity[0] - in->velocity[0],
                            in->wanted_velocity[1] - in->velocity[1],
                            -in->velocity[2],
                            -in->turning[0],
                            -in->turning[1],
                            in->wanted_twist - in->turning[2]};
    for (int i = 0; i < 6; i++) out[i] = cut(d->spring[i] * off[i] + d->damper[i] * slow[i], d->limit[i]);
    out[2] += d->gravity;
}

sac_stance_output sac_stance_instant(sac_stance *s, const sac_stance_input *in)
{
    const footing f = standing(in);
    if (f.count == 0 || !is_sound(in)) return refuse(s, &f);
    const sac_stance_def *d = &s->def;
    const int n = 3 * f.count;
    double wanted[6], m[6][3 * SAC_LEGS] = {{0}};
    ask(wanted, s, in);
    for (int k = 0; k < f.count; k++)
    {
        double cross[9];
        sac_cross(cross, in->toes[f.legs[k]]);
        for (int i = 0; i < 3; i++)
        {
            m[i][3 * k + i] = 1 / d->mass;
            for (int c = 0; c < 3; c++) m[3 + i][3 * k + c] = cross[3 * i + c] / d->inertia[i];
        }
    }
    for (int i = 0; i < n; i++)
    {
        s->q[i] = 0;
        for (int r = 0; r < 6; r++) s->q[i] -= m[r][i] * d->instant_weights[r] * wanted[r];
        for (int j = 0; j < n; j++)
        {
            double sum = (d->released ? 1e-4 : 0) + (i == j ? 1e-4 : 0);
            for (int r = 0; r < 6; r++) sum += m[r][i] * d->instant_weights[r] * m[r][j];
            s->p[i * n + j] = sum;
        }
    }
    return solve(s, &f, f.count);
}

const sac_qp_problem *sac_stance_problem(const sac_stance *s, double *x)
{
    if (x) memcpy(x, s->x, (size_t)s->problem.variables * sizeof *x);
    return &s->problem;
}
