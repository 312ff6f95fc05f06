#include "saccade/qp.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/level.h"
#include "base/memory.h"
#include "qp/active.h"

/// The dual active set method of Goldfarb and Idnani (1983), in the variables y = U x, in which the unbounded cost is a
/// sphere around y0 = -U'^-1 q. At any time (x, u) is the minimum over the held rows, and all u of inequalities are
/// positive; rows that are violated are added one by one, and those whose multiplier would become negative are dropped.

struct sac_qp
{
    const sac_qp_loops *loops;
    int variables, rows, stride;   // at most
    double *u, *inverse;           // [variables, stride] the factor of P, [stride] the inverse of its diagonal
    double *t;                     // [variables, stride] the inverse of the factor
    double *y0, *x, *d, *z, *step; // [stride]; y0, d, z and x are zero beyond the problem's variables
    bool *held;                    // [rows]
    double *violations;            // [rows]
    sac_qp_short_rows shortened;   // A, where all of its rows are short; else it has no rows
    sac_active active;
    int *last_rows, *last_sides; // of the last solved problem
    int last_count, last_variables, last_row_count;
};

enum
{
    VECTORS = 7,        // that lie one after the other, from `inverse` to `before`
    ACTIVE_VECTORS = 5, // likewise, from `inverse` to `again`, after R and its inverse
    COUNTS = 3          // ints of a state before its rows and sides
};

// Give each array its part of the memory that it shares with others.
static void share(sac_qp *qp)
{
    sac_active *a = &qp->active;
    double **vectors[VECTORS] = {&qp->inverse, &qp->y0, &qp->x, &qp->d, &qp->z, &qp->step, &a->before};
    double **held[ACTIVE_VECTORS] = {&a->inverse, &a->u, &a->along, &a->change, &a->again};
    for (int i = 1; i < VECTORS; i++) *vectors[i] = qp->inverse + (ptrdiff_t)i * qp->stride;
    a->s = a->r + (ptrdiff_t)a->r_stride * a->r_stride;
    for (int i = 0; i < ACTIVE_VECTORS; i++) *held[i] = a->s + (ptrdiff_t)(a->r_stride + i) * a->r_stride;
    qp->shortened.values = qp->violations + qp->rows;
    qp->t = qp->u + (ptrdiff_t)qp->stride * qp->stride;
    qp->last_sides = qp->last_rows + a->most;
    a->rows = qp->last_sides + a->most;
    a->sides = a->rows + a->most;
}

sac_status sac_qp_create(sac_qp **out, int variables, int rows)
{
    *out = NULL;
    if (variables < 1 || variables > 4096 || rows < 1 || rows > 4096)
        return sac_fail(SAC_ERROR_ARGUMENT, "qp: %d variables and %d rows, expected 1 to 4096 of each", variables,
                        rows);
    sac_qp *qp = SAC_NEW(sac_qp);
    if (!qp) return sac_fail_memory("a solver of quadratic programs");
    const int stride = SAC_QP_ROOM(variables), most = variables < rows ? variables : rows;
    const int r_stride = SAC_QP_ROOM(most);
    *qp = (sac_qp){.loops = SAC_AT_LEVEL(&sac_qp_loops), .variables = variables, .rows = rows, .stride = stride};
    qp->u = SAC_NEW_MATRIX(double, 2 * (size_t)stride, (size_t)stride);
    qp->inverse = SAC_NEW_MATRIX(double, VECTORS, (size_t)stride);
    qp->held = SAC_NEW_ARRAY(bool, (size_t)rows);
    qp->last_rows = SAC_NEW_MATRIX(int, 4, (size_t)most);
    qp->active = (sac_active){.loops = qp->loops, .stride = stride, .most = most, .r_stride = r_stride};
    qp->active.q = SAC_NEW_MATRIX(double, (size_t)r_stride, (size_t)stride);
    qp->active.r = SAC_NEW_MATRIX(double, 2 * (size_t)r_stride + ACTIVE_VECTORS, (size_t)r_stride);
    qp->violations = SAC_NEW_MATRIX(double, 1 + SAC_QP_SHORT, (size_t)rows);
    qp->shortened.first = SAC_NEW_ARRAY(int, (size_t)rows);
    if (!qp->violations || !qp->shortened.first || !qp->u || !qp->inverse || !qp->held || !qp->last_rows ||
        !qp->active.q || !qp->active.r)
    {
        sac_qp_destroy(qp);
        return sac_fail_memory("a solver of quadratic programs");
    }
    share(qp);
    *out = qp;
    return SAC_OK;
}

void sac_qp_destroy(sac_qp *qp)
{
    if (!qp) return;
    sac_free(qp->u), sac_free(qp->inverse), sac_free(qp->held), sac_free(qp->last_rows);
    sac_free(qp->active.q), sac_free(qp->active.r);
    sac_free(qp->violations), sac_free(qp->shortened.first);
    sac_free(qp);
}

static int first_of(const sac_qp_problem *p, int row)
{
    return p->first ? p->first[row] : 0;
}

static int end_of(const sac_qp_problem *p, int row)
{
    return p->end ? p->end[row] : p->variables;
}

static const double *row_of(const sac_qp_problem *p, int row)
{
    return p->a + (ptrdiff_t)row * p->variables;
}

// a x of a row
static double value_of(const sac_qp_problem *p, int row, const double *x)
{
    const double *a = row_of(p, row);
    double sum = 0;
    for (int j = first_of(p, row), end = end_of(p, row); j < end; j++) sum += a[j] * x[j];
    return sum;
}

static double bound_of(const sac_qp_problem *p, int row, int side)
{
    return side > 0 ? p->lower[row] : -p->upper[row];
}

static bool is_equation(const sac_qp_problem *p, int row)
{
    return p->lower[row] == p->upper[row];
}

static bool is_suitable(const sac_qp_problem *p)
{
    double sum = 0;
    for (int i = 0; i < p->variables; i++) sum += fabs(p->q[i]);
    for (int i = 0; i < p->rows; i++)
    {
        const double *a = row_of(p, i);
        if (first_of(p, i) < 0 || first_of(p, i) > end_of(p, i) || end_of(p, i) > p->variables) return false;
        for (int j = first_of(p, i); j < end_of(p, i); j++) sum += fabs(a[j]);
        if (!(p->lower[i] <= p->upper[i]) || p->lower[i] == INFINITY || p->upper[i] == -INFINITY) return false;
    }
    return isfinite(sum);
}

// d = U'^-1 (side a)
static void set_normal(sac_qp *qp, const sac_qp_problem *p, int row, int side)
{
    const int first = first_of(p, row), end = end_of(p, row);
    const double *a = row_of(p, row);
    for (int j = first; j < end; j++) qp->step[j] = side * a[j];
    qp->loops->multiply_transposed(qp->d, qp->t, qp->stride, qp->step, first, end, p->variables);
}

// x = U^-1 y
static void solve(const sac_qp *qp, const sac_qp_problem *p, double *x, const double *y)
{
    qp->loops->multiply(x, qp->t, qp->stride, y, p->variables);
}

// The minimum over the held rows, and its multipliers: y = y0 + Q w, w = R'^-1 (b - N'y0), u = R^-1 w.
static void settle(sac_qp *qp, const sac_qp_problem *p)
{
    sac_active *a = &qp->active;
    solve(qp, p, qp->x, qp->y0); // the minimum without any row
    if (a->count == 0) return;
    for (int j = 0; j < a->count; j++)
        a->u[j] = bound_of(p, a->rows[j], a->sides[j]) - a->sides[j] * value_of(p, a->rows[j], qp->x);
    sac_active_settle(a);
    memcpy(qp->d, qp->y0, (size_t)qp->stride * sizeof *qp->d);
    for (int j = 0; j < a->count; j++)
        qp->loops->add(qp->d, a->q + (ptrdiff_t)j * a->stride, a->along[j], p->variables);
    solve(qp, p, qp->x, qp->d);
}

// the held inequality with the most negative multiplier; -1: none
static int wrong_one(const sac_active *a, const sac_qp_problem *p)
{
    int worst = -1;
    for (int j = 0; j < a->count; j++)
        if (a->u[j] < 0 && !is_equation(p, a->rows[j]) && (worst < 0 || a->u[j] < a->u[worst])) worst = j;
    return worst;
}

static void drop(sac_qp *qp, int index)
{
    qp->held[qp->active.rows[index]] = false;
    sac_active_drop(&qp->active, index);
}

// Hold the rows that the last problem ended with, as far as the dual method may begin with them.
static void begin(sac_qp *qp, const sac_qp_problem *p, bool warm)
{
    sac_active_clear(&qp->active);
    qp->active.n = p->variables;
    memset(qp->held, 0, (size_t)p->rows * sizeof *qp->held);
    warm = warm && qp->last_variables == p->variables && qp->last_row_count == p->rows;
    for (int i = 0; warm && i < qp->last_count; i++)
    {
        const int row = qp->last_rows[i], side = qp->last_sides[i];
        if (!isfinite(bound_of(p, row, side))) continue;
        set_normal(qp, p, row, side);
        const double zz = sac_active_split(&qp->active, qp->z, qp->d, first_of(p, row));
        if (!(zz > 0)) continue;
        sac_active_add(&qp->active, row, side, qp->z, zz);
        qp->held[row] = true;
    }
    settle(qp, p);
    for (int wrong; (wrong = wrong_one(&qp->active, p)) >= 0; settle(qp, p)) drop(qp, wrong);
}

// Rows of a few columns, one after the other.
static void shorten(sac_qp *qp, const sac_qp_problem *p)
{
    sac_qp_short_rows *s = &qp->shortened;
    s->count = 0;
    for (int i = 0; i < p->rows; i++)
        if (end_of(p, i) - first_of(p, i) > SAC_QP_SHORT) return;
    s->count = p->rows;
    s->lower = p->lower;
    s->upper = p->upper;
    for (int i = 0; i < p->rows; i++)
    {
        const int first = first_of(p, i), last = SAC_QP_ROOM(p->variables) - SAC_QP_SHORT;
        double *values = s->values + (ptrdiff_t)SAC_QP_SHORT * i;
        s->first[i] = first < last ? first : last;
        memset(values, 0, SAC_QP_SHORT * sizeof *values);
        for (int j = first; j < end_of(p, i); j++) values[j - s->first[i]] = row_of(p, i)[j];
    }
}

static void find_violations(sac_qp *qp, const sac_qp_problem *p)
{
    if (qp->shortened.count > 0)
    {
        qp->loops->violations(qp->violations, &qp->shortened, qp->x);
        return;
    }
    for (int i = 0; i < p->rows; i++)
    {
        const double value = value_of(p, i, qp->x);
        qp->violations[i] = fmax(p->lower[i] - value, value - p->upper[i]);
    }
}

// what rounding explains: sums of products are off by some 1e-16 of their largest terms, and 1e-10 of these leaves room
// for a P whose condition is 1e12, because x comes from the root of P
static double rounding_of(const sac_qp *qp, const sac_qp_problem *p, int row)
{
    double size = 0;
    const double *a = row_of(p, row);
    for (int j = first_of(p, row); j < end_of(p, row); j++)
    {
        const double term = fabs(a[j] * qp->x[j]);
        if (term > size) size = term;
    }
    return 1e-10 * (1e-3 + size);
}

// The row that is violated most, beyond what rounding explains; -1: none.
static int most_violated(sac_qp *qp, const sac_qp_problem *p, int *side, double *by)
{
    int worst = -1;
    *by = 0;
    find_violations(qp, p);
    for (int i = 0; i < p->rows; i++)
    {
        const double violation = qp->violations[i];
        if (!(violation > *by) || qp->held[i] || violation <= rounding_of(qp, p, i)) continue;
        worst = i;
        *by = violation;
    }
    if (worst >= 0)
    {
        const double value = value_of(p, worst, qp->x);
        *side = p->lower[worst] - value > value - p->upper[worst] ? 1 : -1;
    }
    return worst;
}

// Whether rounding left the held rows where they should be, by the violations that were last found.
static bool are_held(const sac_qp *qp, const sac_qp_problem *p)
{
    const sac_active *a = &qp->active;
    for (int j = 0; j < a->count; j++)
    {
        const double violation = qp->violations[a->rows[j]];
        if (violation > 0 && violation > rounding_of(qp, p, a->rows[j])) return false;
    }
    return true;
}

// the held inequality whose multiplier becomes zero first, and at which step; -1: none does
static int first_to_go(const sac_active *a, const sac_qp_problem *p, double *step)
{
    int first = -1;
    *step = INFINITY;
    for (int j = 0; j < a->count; j++)
    {
        if (!(a->change[j] > 0) || is_equation(p, a->rows[j])) continue;
        const double t = a->u[j] / a->change[j];
        if (t < *step) *step = t, first = j;
    }
    return first;
}

// Whether the rows themselves say that a violated row cannot be met beside the held ones: it is a sum of these, times
// `change`, of which those of inequalities are not positive, and the bounds of that sum leave a gap. The split says
// that it is such a sum in the metric of P, and an ill-conditioned P makes rows alike that are not. So that counts here
// which leaves nothing of the row in any column but rounding of the terms that meet in it, and whose gap is larger than
// what is left times an x a million times as large as the one at hand.
static bool cannot_be(const sac_qp *qp, const sac_qp_problem *p, int row, int side)
{
    const sac_active *a = &qp->active;
    double gap = bound_of(p, row, side), size = fabs(gap), product = 0;
    for (int j = 0; j < a->count; j++)
    {
        const double term = a->change[j] * bound_of(p, a->rows[j], a->sides[j]);
        gap -= term, size += fabs(term);
    }
    for (int c = 0; c < p->variables; c++)
    {
        double rest = c >= first_of(p, row) && c < end_of(p, row) ? side * row_of(p, row)[c] : 0, terms = fabs(rest);
        for (int j = 0; j < a->count; j++)
        {
            if (c < first_of(p, a->rows[j]) || c >= end_of(p, a->rows[j])) continue;
            const double term = a->change[j] * a->sides[j] * row_of(p, a->rows[j])[c];
            rest -= term, terms += fabs(term);
        }
        if (!(fabs(rest) <= 1e-10 * terms)) return false;
        product += fabs(rest) * 1e6 * (1e-3 + fabs(qp->x[c]));
    }
    return gap > product && gap > 1e-10 * size;
}

// Add a violated row, and drop others on the way. @return SAC_QP_INFEASIBLE where no x meets it beside the others, and
// SAC_QP_UNSUITABLE where rounding makes it seem so
static sac_qp_outcome add(sac_qp *qp, const sac_qp_problem *p, int row, int side, double violation, int *steps)
{
    sac_active *a = &qp->active;
    double multiplier = 0;
    set_normal(qp, p, row, side);
    for (;; ++*steps)
    {
        const double zz = sac_active_split(a, qp->z, qp->d, first_of(p, row));
        double partial;
        const int leaves = first_to_go(a, p, &partial);
        const double whole = zz > 0 ? violation / zz : INFINITY, t = whole <= partial ? whole : partial;
        if (t == INFINITY) return cannot_be(qp, p, row, side) ? SAC_QP_INFEASIBLE : SAC_QP_UNSUITABLE;
        for (int j = 0; j < a->count; j++) a->u[j] -= t * a->change[j];
        multiplier += t;
        if (zz > 0)
        {
            solve(qp, p, qp->step, qp->z);
            qp->loops->add(qp->x, qp->step, t, p->variables);
            violation -= t * zz;
        }
        if (whole <= partial)
        {
            a->u[a->count] = multiplier;
            sac_active_add(a, row, side, qp->z, zz);
            qp->held[row] = true;
            ++*steps;
            return SAC_QP_SOLVED;
        }
        drop(qp, leaves);
    }
}

static bool is_finite(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}

// 1/2 x'P x + q'x, where x'P x = y'y with y = U x
static double cost_of(sac_qp *qp, const sac_qp_problem *p)
{
    double cost = 0.5 * qp->loops->square(qp->u, qp->stride, qp->x, p->variables);
    for (int i = 0; i < p->variables; i++) cost += p->q[i] * qp->x[i];
    return cost;
}

// Whether what was found is what the header promises: rows at their bounds, and numbers that are finite.
static bool is_sound(sac_qp *qp, const sac_qp_problem *p)
{
    return is_finite(qp->x, p->variables) && is_finite(qp->active.u, qp->active.count) && isfinite(cost_of(qp, p)) &&
           are_held(qp, p);
}

static sac_qp_outcome find(sac_qp *qp, const sac_qp_problem *p, bool warm, int *steps)
{
    const int n = p->variables;
    if (!is_suitable(p) || !qp->loops->factor(qp->u, qp->inverse, qp->stride, p->p, n)) return SAC_QP_UNSUITABLE;
    qp->loops->invert(qp->t, qp->u, qp->inverse, qp->stride, 0, n);
    for (int i = 0; i < n; i++) qp->step[i] = -p->q[i];
    qp->loops->multiply_transposed(qp->y0, qp->t, qp->stride, qp->step, 0, n, n);
    shorten(qp, p);
    begin(qp, p, warm);
    for (;;)
    {
        int side;
        double violation;
        const int row = most_violated(qp, p, &side, &violation);
        if (row < 0) return is_sound(qp, p) ? SAC_QP_SOLVED : SAC_QP_UNSUITABLE;
        if (*steps > 10 * (n + p->rows)) return SAC_QP_OUT_OF_STEPS;
        const sac_qp_outcome added = add(qp, p, row, side, violation, steps);
        if (added != SAC_QP_SOLVED) return added;
    }
}

// After a problem that was not solved numbers may be left that are not finite; times zero they are not zero.
static void wipe(sac_qp *qp)
{
    const sac_active *a = &qp->active;
    memset(qp->u, 0, 2 * (size_t)qp->stride * (size_t)qp->stride * sizeof *qp->u);
    memset(qp->inverse, 0, VECTORS * (size_t)qp->stride * sizeof *qp->inverse);
    memset(a->q, 0, (size_t)a->r_stride * (size_t)a->stride * sizeof *a->q);
    memset(a->r, 0, (2 * (size_t)a->r_stride + ACTIVE_VECTORS) * (size_t)a->r_stride * sizeof *a->r);
    qp->active.count = 0;
    qp->last_count = 0;
}

static void keep(sac_qp *qp, const sac_qp_problem *p)
{
    const sac_active *a = &qp->active;
    qp->last_count = a->count;
    qp->last_variables = p->variables;
    qp->last_row_count = p->rows;
    memcpy(qp->last_rows, a->rows, (size_t)a->count * sizeof *a->rows);
    memcpy(qp->last_sides, a->sides, (size_t)a->count * sizeof *a->sides);
}

sac_qp_solution sac_qp_solve(sac_qp *qp, double *x, double *multipliers, const sac_qp_problem *p, bool warm)
{
    SAC_ASSERT(p->variables >= 1 && p->variables <= qp->variables && p->rows >= 0 && p->rows <= qp->rows);
    const sac_active *a = &qp->active;
    sac_qp_solution s = {0};
    s.outcome = find(qp, p, warm, &s.steps);
    memset(x, 0, (size_t)p->variables * sizeof *x);
    if (multipliers) memset(multipliers, 0, (size_t)p->rows * sizeof *multipliers);
    if (s.outcome != SAC_QP_SOLVED)
    {
        wipe(qp);
        return s;
    }
    memcpy(x, qp->x, (size_t)p->variables * sizeof *x);
    for (int j = 0; multipliers && j < a->count; j++) multipliers[a->rows[j]] = a->sides[j] * a->u[j];
    s.cost = cost_of(qp, p);
    s.active = a->count;
    keep(qp, p);
    return s;
}

size_t sac_qp_state_size(const sac_qp *qp)
{
    return (COUNTS + 2 * (size_t)qp->active.most) * sizeof(int);
}

void sac_qp_save(const sac_qp *qp, void *state)
{
    const int counts[COUNTS] = {qp->last_count, qp->last_variables, qp->last_row_count};
    const size_t rows = (size_t)qp->last_count * sizeof(int), most = (size_t)qp->active.most * sizeof(int);
    char *to = (char *)state;
    memset(to, 0, sac_qp_state_size(qp));
    memcpy(to, counts, sizeof counts);
    memcpy(to + sizeof counts, qp->last_rows, rows);
    memcpy(to + sizeof counts + most, qp->last_sides, rows);
}

void sac_qp_restore(sac_qp *qp, const void *state)
{
    int counts[COUNTS];
    const char *from = (const char *)state;
    const size_t most = (size_t)qp->active.most * sizeof(int);
    memcpy(counts, from, sizeof counts);
    qp->last_count = counts[0], qp->last_variables = counts[1], qp->last_row_count = counts[2];
    memcpy(qp->last_rows, from + sizeof counts, most);
    memcpy(qp->last_sides, from + sizeof counts + most, most);
}
