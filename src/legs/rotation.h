#pragma once

#include "base/series.h"

/// Small matrices [3, 3], row by row.

static inline void sac_product(double out[9], const double a[9], const double b[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/// a' b
static inline void sac_product_of_transposed(double out[9], const double a[9], const double b[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}

static inline void sac_turn_vector(double out[3], const double a[9], const double x[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

static inline void sac_rotation_x(double out[9], double angle)
{
    double c, s;
    sac_series_sin_cos(angle, &s, &c);
    const double r[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    for (int i = 0; i < 9; i++) out[i] = r[i];
}

static inline void sac_rotation_y(double out[9], double angle)
{
    double c, s;
    sac_series_sin_cos(angle, &s, &c);
    const double r[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
    for (int i = 0; i < 9; i++) out[i] = r[i];
}

/// The matrix of r x f.
static inline void sac_cross(double out[9], const double r[3])
{
    const double m[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
    for (int i = 0; i < 9; i++) out[i] = m[i];
}
