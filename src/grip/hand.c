#include "grip/hand.h"

#include <math.h>

#include "base/series.h"

// v turned by the smallest turn from straight down to `to`, a unit vector: with w = down x to and c = down . to, it is
// v + w x v + w x (w x v) / (1 + c)
static void turn_from_down(double out[3], const double v[3], const double to[3])
{
    static const double down[3] = {0, 0, -1};
    const double c = grip_dot(down, to);
    double w[3], once[3], twice[3];
    grip_cross(w, down, to);
    grip_cross(once, w, v);
    grip_cross(twice, w, once);
    for (int i = 0; i < 3; i++) out[i] = v[i] + once[i] + (c > -1 + 1e-9 ? twice[i] / (1 + c) : 0);
}

void sac_grip_axes(double axes[9], const double approach[3], double roll)
{
    static const double ahead[3] = {1, 0, 0};
    const double length = sqrt(grip_dot(approach, approach));
    double z[3] = {0, 0, -1}, start[3], aside[3], x[3], y[3], sine, cosine;
    for (int i = 0; i < 3 && length > 1e-9; i++) z[i] = approach[i] / length;
    turn_from_down(start, ahead, z);
    grip_cross(aside, z, start);
    sac_series_sin_cos(roll, &sine, &cosine);
    for (int i = 0; i < 3; i++) x[i] = cosine * start[i] + sine * aside[i];
    grip_cross(y, z, x);
    for (int i = 0; i < 3; i++) axes[3 * i] = x[i], axes[3 * i + 1] = y[i], axes[3 * i + 2] = z[i];
}

// A box about `center` on the z axis: how far it reaches below the origin
static double box_depth(const double axes[9], const double half[3], double aside, double center)
{
    const double *up = axes + 6; // the third row: what each axis of the hand adds to the world's z
    return -up[2] * center + fabs(up[0]) * (half[0] + aside) + fabs(up[1]) * half[1] + fabs(up[2]) * half[2];
}

double sac_grip_depth(const double axes[9])
{
    const double fingers = box_depth(axes, grip_finger, grip_stroke / 2 + grip_finger[0], -grip_finger[2]);
    const double palm = box_depth(axes, grip_palm, 0, -2 * grip_finger[2] - grip_palm[2]);
    return fmax(fingers, palm);
}
