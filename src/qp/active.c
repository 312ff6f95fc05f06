#include "qp/active.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "qp/factor.h"

static double *column_q(const sac_active *a, int j)
{
    return a->q + (ptrdiff_t)j * a->stride;
}

static double *column_r(const sac_active *a, int j)
{
    return a->r + (ptrdiff_t)j * a->most;
}

void sac_active_solve(const sac_active *a, double *x)
{
    for (int j = a->count - 1; j >= 0; j--)
    {
        const double *r = column_r(a, j);
        x[j] /= r[j];
        for (int i = 0; i < j; i++) x[i] -= x[j] * r[i];
    }
}

void sac_active_solve_transposed(const sac_active *a, double *x)
{
    for (int j = 0; j < a->count; j++)
    {
        const double *r = column_r(a, j);
        double sum = x[j];
        for (int i = 0; i < j; i++) sum -= r[i] * x[i];
        x[j] = sum / r[j];
    }
}

// Gram and Schmidt twice, which leaves an orthogonal rest (Kahan and Parlett: "twice is enough").
double sac_active_split(sac_active *a, double *z, const double *d)
{
    const double size = sac_factor_dot(d, d, a->n);
    memcpy(z, d, (size_t)a->n * sizeof *z);
    for (int j = 0; j < a->count; j++) a->along[j] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < a->count; j++)
        {
            const double share = sac_factor_dot(column_q(a, j), z, a->n);
            a->along[j] += share;
            sac_factor_add(z, column_q(a, j), -share, a->n);
        }
    memcpy(a->change, a->along, (size_t)a->count * sizeof *a->change);
    sac_active_solve(a, a->change);
    const double zz = sac_factor_dot(z, z, a->n);
    // a rest of 1e-10 of the column's length and less is what rounding leaves of a column that the others span
    return a->count < a->n && zz > 1e-20 * size ? zz : 0;
}

void sac_active_add(sac_active *a, int row, int side, const double *z, double zz)
{
    SAC_ASSERT(a->count < a->most && zz > 0);
    const int j = a->count++;
    const double size = sqrt(zz);
    double *q = column_q(a, j), *r = column_r(a, j);
    for (int i = 0; i < a->n; i++) q[i] = z[i] / size;
    memcpy(r, a->along, (size_t)j * sizeof *r);
    r[j] = size;
    a->rows[j] = row;
    a->sides[j] = side;
}

// Turn two columns of Q, and the rows of R that belong to them, so that R's number below the diagonal becomes zero.
static void turn(sac_active *a, int j)
{
    double *r = column_r(a, j), *q = column_q(a, j), *next = column_q(a, j + 1);
    const double size = sqrt(r[j] * r[j] + r[j + 1] * r[j + 1]), c = r[j] / size, s = r[j + 1] / size;
    for (int k = j; k < a->count; k++)
    {
        double *column = column_r(a, k), upper = column[j], lower = column[j + 1];
        column[j] = c * upper + s * lower;
        column[j + 1] = c * lower - s * upper;
    }
    for (int i = 0; i < a->n; i++)
    {
        const double upper = q[i], lower = next[i];
        q[i] = c * upper + s * lower;
        next[i] = c * lower - s * upper;
    }
}

void sac_active_drop(sac_active *a, int index)
{
    a->count--;
    for (int j = index; j < a->count; j++)
    {
        memcpy(column_r(a, j), column_r(a, j + 1), (size_t)(j + 2) * sizeof *a->r);
        a->rows[j] = a->rows[j + 1];
        a->sides[j] = a->sides[j + 1];
        a->u[j] = a->u[j + 1];
    }
    for (int j = index; j < a->count; j++) turn(a, j);
}
