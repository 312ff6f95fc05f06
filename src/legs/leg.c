#include "saccade/leg.h"

#include <math.h>
#include <string.h>

#include "numerics/arc_tangent.h"
#include "base/series.h"

/// In the plane in which a leg bends, x is forward and w up, seen from the hip. The plane turns about the abduction's
/// axis, from which it is `aside` away.

typedef struct bent
{
    double x, w;         // of the toe
    double across, down; // of the shank: what a turn of the knee moves the toe by, -dx and dw
    double cosine, sine; // of the abduction
} bent;

static bent bend(const sac_leg *leg, const double joints[SAC_LEG_JOINTS])
{
    bent b;
    double hip_sine, hip_cosine, sine, cosine;
    sac_series_sin_cos(joints[0], &b.sine, &b.cosine);
    sac_series_sin_cos(joints[1], &hip_sine, &hip_cosine);
    sac_series_sin_cos(joints[1] + joints[2], &sine, &cosine);
    b.across = leg->shank * cosine;
    b.down = leg->shank * sine;
    b.x = -leg->thigh * hip_sine - b.down;
    b.w = -leg->thigh * hip_cosine - b.across;
    return b;
}

void sac_leg_toe(double toe[3], const sac_leg *leg, const double joints[SAC_LEG_JOINTS])
{
    const bent b = bend(leg, joints);
    toe[0] = leg->place[0] + b.x;
    toe[1] = leg->place[1] + (b.cosine * leg->aside - b.sine * b.w);
    toe[2] = leg->place[2] + (b.sine * leg->aside + b.cosine * b.w);
}

void sac_leg_jacobian(double jacobian[9], const sac_leg *leg, const double joints[SAC_LEG_JOINTS])
{
    const bent b = bend(leg, joints);
    const double up = b.sine * leg->aside + b.cosine * b.w, left = b.cosine * leg->aside - b.sine * b.w;
    const double rows[3][3] = {
        {0, b.w, -b.across}, {-up, b.sine * b.x, -b.sine * b.down}, {left, -b.cosine * b.x, b.cosine * b.down}};
    memcpy(jacobian, rows, sizeof rows);
}

static double square(double x)
{
    return x * x;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

// What a toe can reach, by x and the distance `far` from the abduction's axis: a shell around the leg's place, less
// what is nearer to the axis than the plane of the leg. Where (x, far) is not in it, it is moved to the nearest point.
static bool bring_near(double *x, double *far, const sac_leg *leg)
{
    const double shortest = fabs(leg->thigh - leg->shank), longest = leg->thigh + leg->shank, aside = fabs(leg->aside);
    const double inner = square(shortest) + square(aside), outer = square(longest) + square(aside);
    const double size = square(*x) + square(*far), tolerance = 1e-12 * outer;
    const bool within = size >= inner - tolerance && size <= outer + tolerance && *far >= aside - tolerance / longest;
    const double bound = clamp(size, inner, outer), scale = size > 0 ? sqrt(bound / size) : 0;
    if (size > 0 && *far * scale >= aside)
        *x *= scale, *far *= scale;
    else
    {
        *x = copysign(clamp(fabs(*x), shortest, longest), *x);
        *far = aside;
    }
    return within;
}

bool sac_leg_reach(double joints[SAC_LEG_JOINTS], const sac_leg *leg, const double toe[3])
{
    const double y = toe[1] - leg->place[1], z = toe[2] - leg->place[2];
    double x = toe[0] - leg->place[0], far = sqrt(y * y + z * z);
    const bool within = bring_near(&x, &far, leg);
    const double rest = square(far) - square(leg->aside), w = -sqrt(rest > 0 ? rest : 0);
    joints[0] = sac_arc_tangent(leg->aside * z - w * y, leg->aside * y + w * z);

    const double size = square(x) + square(w), thigh = leg->thigh, shank = leg->shank;
    const double cosine = clamp((size - square(thigh) - square(shank)) / (2 * thigh * shank), -1, 1);
    const double sine = -sqrt((1 - cosine) * (1 + cosine));
    joints[2] = sac_arc_tangent(sine, cosine);
    // (x, w) is the toe of a leg with the hip at 0, (-ahead, -below), turned by the hip
    const double ahead = shank * sine, below = thigh + shank * cosine;
    joints[1] = sac_arc_tangent(w * ahead - x * below, -w * below - x * ahead);
    return within;
}
