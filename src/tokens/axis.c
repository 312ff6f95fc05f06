#include "tokens/axis.h"

#include <math.h>

/// Eigenvectors of symmetric matrices of three rows.

// Do one rotation of Jacobi's method, which makes a[p][q] vanish; the columns of v are rotated with it.
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0) return;
    // the smaller of the two angles that do so, whose tangent t solves t^2 + 2 theta t = 1 (Golub and Van Loan,
    // Matrix Computations, on Jacobi methods)
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++)
    {
        double left = a[k][p], right = a[k][q];
        a[k][p] = c * left - s * right;
        a[k][q] = s * left + c * right;
    }
    for (int k = 0; k < 3; k++)
    {
        double upper = a[p][k], lower = a[q][k];
        a[p][k] = c * upper - s * lower;
        a[q][k] = s * upper + c * lower;
        upper = v[k][p], lower = v[k][q];
        v[k][p] = c * upper - s * lower;
        v[k][q] = s * upper + c * lower;
    }
}

void sac_eigen(double a[3][3], double v[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) v[i][j] = i == j;
    // Each sweep squares the size of what is left beside the diagonal, so six sweeps are plenty.
    for (int sweep = 0; sweep < 10; sweep++)
        for (int pair = 0; pair < 3; pair++) rotate(a, v, pair / 2, pair == 0 ? 1 : 2);
}

void sac_major_axis(float axis[3], double covariance[3][3])
{
    double v[3][3];
    sac_eigen(covariance, v);
    int major = 2, largest = 0;
    for (int i = 0; i < 2; i++)
        if (covariance[i][i] > covariance[major][major]) major = i;
    for (int i = 1; i < 3; i++)
        if (fabs(v[i][major]) > fabs(v[largest][major])) largest = i;
    // An axis has no sign of its own. The largest number of it is made positive, so that equal clouds have equal axes.
    double sign = v[largest][major] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) axis[i] = (float)(sign * v[i][major]);
}
