#include "qp/active.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static double *column_q(const sac_active *a, int j)
{
    return a->q + (ptrdiff_t)j * a->stride;
}

static double *row_r(const sac_active *a, int i)
{
    return a->r + (ptrdiff_t)i * a->r_stride;
}

static double *row_s(const sac_active *a, int i)
{
    return a->s + (ptrdiff_t)i * a->r_stride;
}

void sac_active_settle(sac_active *a)
{
    a->loops->multiply_transposed(a->along, a->s, a->r_stride, a->u, 0, a->count, a->count);
    a->loops->multiply(a->u, a->s, a->r_stride, a->along, a->count);
}

double sac_active_split(sac_active *a, double *z, const double *d, int from)
{
    const double zz = a->loops->split(z, a->along, a->again, a->before, a->q, a->stride, a->count, d, from, a->n);
    a->loops->multiply(a->change, a->s, a->r_stride, a->along, a->count);
    return zz;
}

void sac_active_add(sac_active *a, int row, int side, const double *z, double zz)
{
    SAC_ASSERT(a->count < a->most && zz > 0);
    const int j = a->count++;
    const double size = sqrt(zz);
    memset(column_q(a, j), 0, (size_t)a->stride * sizeof *a->q);
    a->loops->add(column_q(a, j), z, 1 / size, a->n);
    for (int i = 0; i < j; i++) row_r(a, i)[j] = a->along[i], row_s(a, i)[j] = -a->change[i] / size;
    memset(row_r(a, j), 0, (size_t)a->r_stride * sizeof *a->r);
    memset(row_s(a, j), 0, (size_t)a->r_stride * sizeof *a->s);
    row_r(a, j)[j] = size;
    row_s(a, j)[j] = a->inverse[j] = 1 / size;
    a->rows[j] = row;
    a->sides[j] = side;
}

// Turn two columns of Q, and the rows of R that belong to them, so that R's number below the diagonal becomes zero.
static void turn(sac_active *a, int j)
{
    double *upper = row_r(a, j), *lower = row_r(a, j + 1);
    const double size = sqrt(upper[j] * upper[j] + lower[j] * lower[j]), c = upper[j] / size, s = lower[j] / size;
    const int first = j / SAC_QP_LANES * SAC_QP_LANES; // left of column j both rows are zero
    a->loops->turn(upper + first, lower + first, c, s, a->count - first);
    a->loops->turn(column_q(a, j), column_q(a, j + 1), c, s, a->n);
    lower[j] = 0;
    a->inverse[j] = 1 / upper[j];
}

void sac_active_drop(sac_active *a, int index)
{
    const int last = --a->count;
    for (int j = index; j < last; j++)
    {
        a->rows[j] = a->rows[j + 1];
        a->sides[j] = a->sides[j + 1];
        a->u[j] = a->u[j + 1];
    }
    for (int i = 0; i <= last; i++)
    {
        double *row = row_r(a, i);
        memmove(row + index, row + index + 1, (size_t)(last - index) * sizeof *row);
        row[last] = 0;
    }
    for (int j = index; j < last; j++) turn(a, j);
    a->inverse[last] = 0;
    const int kept = index < a->inverted ? index : a->inverted; // columns that would come out the same
    if (last > 0) a->loops->invert(a->s, a->r, a->inverse, a->r_stride, kept, last);
    a->inverted = last;
}

void sac_active_clear(sac_active *a)
{
    for (int i = 0; i < a->count; i++)
    {
        memset(row_r(a, i), 0, (size_t)a->r_stride * sizeof *a->r);
        memset(row_s(a, i), 0, (size_t)a->r_stride * sizeof *a->s);
    }
    memset(a->inverse, 0, (size_t)a->count * sizeof *a->inverse);
    a->count = a->inverted = 0;
}
