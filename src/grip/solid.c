#include "grip/solid.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// --- reach

// The largest d . x of a solid about its own centre, d in its own axes
static double reach(const grip_solid *s, const double d[3])
{
    const double *r = s->size, length = sqrt(grip_dot(d, d)), flat = sqrt(d[0] * d[0] + d[1] * d[1]);
    const double scaled[3] = {r[0] * d[0], r[1] * d[1], r[2] * d[2]};
    switch (s->kind)
    {
    case GRIP_SPHERE: return r[0] * length;
    case GRIP_CAPSULE: return r[0] * length + r[1] * fabs(d[2]);
    case GRIP_ELLIPSOID: return sqrt(grip_dot(scaled, scaled));
    case GRIP_CYLINDER: return r[0] * flat + r[1] * fabs(d[2]);
    default: return fabs(scaled[0]) + fabs(scaled[1]) + fabs(scaled[2]);
    }
}

double sac_grip_reach(const grip_thing *thing, const double direction[3])
{
    double most = -INFINITY;
    for (int i = 0; i < thing->count; i++)
    {
        double own[3];
        grip_turn_back(own, thing->solids[i].axes, direction);
        const double far = grip_dot(thing->solids[i].center, direction) + reach(&thing->solids[i], own);
        if (far > most) most = far;
    }
    return most;
}

// --- weight

// Volume, and the second moments of mass over it along the solid's own axes, at density 1
static double fill(const grip_solid *s, double moments[3])
{
    const double *r = s->size, a = r[0], h = r[1];
    double volume, across, along;
    switch (s->kind)
    {
    case GRIP_SPHERE:
    case GRIP_ELLIPSOID:
    {
        const double radii[3] = {a, s->kind == GRIP_SPHERE ? a : r[1], s->kind == GRIP_SPHERE ? a : r[2]};
        volume = 4 * pi / 3 * radii[0] * radii[1] * radii[2];
        for (int i = 0; i < 3; i++) moments[i] = volume * radii[i] * radii[i] / 5;
        return volume;
    }
    case GRIP_BOX:
        volume = 8 * r[0] * r[1] * r[2];
        for (int i = 0; i < 3; i++) moments[i] = volume * r[i] * r[i] / 3;
        return volume;
    default: break;
    }
    volume = 2 * pi * a * a * h;
    across = volume * a * a / 4;
    along = volume * h * h / 3;
    if (s->kind == GRIP_CAPSULE)
    {
        // two halves of a ball, each with its mean 3/8 of a radius beyond the straight part's end
        const double ball = 4 * pi / 3 * a * a * a;
        volume += ball;
        across += ball * a * a / 5;
        along += ball * (h * h + 0.75 * h * a + a * a / 5);
    }
    moments[0] = moments[1] = across;
    moments[2] = along;
    return volume;
}

grip_weight sac_grip_weigh(const grip_thing *thing, double density)
{
    // m, sum m x, and sum m x_i x_j about the thing's origin
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double mass = 0, first[3] = {0}, second[6] = {0};
    for (int k = 0; k < thing->count; k++)
    {
        const grip_solid *s = &thing->solids[k];
        double moments[3];
        const double m = fill(s, moments) * density;
        mass += m;
        for (int i = 0; i < 3; i++) first[i] += m * s->center[i];
        for (int p = 0; p < 6; p++)
        {
            const int i = pairs[p][0], j = pairs[p][1];
            second[p] += m * s->center[i] * s->center[j];
            for (int c = 0; c < 3; c++) second[p] += density * moments[c] * s->axes[3 * i + c] * s->axes[3 * j + c];
        }
    }
    grip_weight w = {.mass = mass};
    for (int i = 0; i < 3; i++) w.center[i] = first[i] / mass;
    for (int p = 0; p < 6; p++) second[p] -= mass * w.center[pairs[p][0]] * w.center[pairs[p][1]];
    for (int i = 0; i < 3; i++)
    {
        w.inertia[i] = second[(i + 1) % 3] + second[(i + 2) % 3];
        w.inertia[3 + i] = -second[3 + i];
    }
    return w;
}

// One of Jacobi's rotations: it makes entry (i, j) zero.
static void rotate(double a[9], double axes[9], int i, int j)
{
    const double off = a[3 * i + j];
    if (off == 0) return;
    const double half = (a[4 * j] - a[4 * i]) / (2 * off);
    const double t = (half < 0 ? -1 : 1) / (fabs(half) + sqrt(half * half + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++)
    {
        const double p = a[3 * k + i], q = a[3 * k + j], u = axes[3 * k + i], v = axes[3 * k + j];
        a[3 * k + i] = c * p - s * q, a[3 * k + j] = s * p + c * q;
        axes[3 * k + i] = c * u - s * v, axes[3 * k + j] = s * u + c * v;
    }
    for (int k = 0; k < 3; k++)
    {
        const double p = a[3 * i + k], q = a[3 * j + k];
        a[3 * i + k] = c * p - s * q, a[3 * j + k] = s * p + c * q;
    }
}

void sac_grip_principal(double values[3], double axes[9], const double matrix[9])
{
    enum
    {
        SWEEPS = 12 // each squares what is left: far more than doubles need
    };
    double a[9];
    memcpy(a, matrix, sizeof a);
    memcpy(axes, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof a);
    for (int k = 0; k < SWEEPS; k++) rotate(a, axes, 0, 1), rotate(a, axes, 0, 2), rotate(a, axes, 1, 2);
    for (int i = 0; i < 3; i++) values[i] = a[4 * i];
}

// --- numbers

void sac_grip_tell(float *numbers, const grip_thing *thing)
{
    memset(numbers, 0, GRIP_SHAPE_NUMBERS * sizeof *numbers);
    for (int i = 0; i < thing->count; i++)
    {
        const grip_solid *s = &thing->solids[i];
        float *n = numbers + (ptrdiff_t)i * GRIP_SOLID_NUMBERS;
        n[0] = (float)(s->kind + 1);
        for (int k = 0; k < 3; k++) n[1 + k] = (float)s->size[k], n[4 + k] = (float)s->center[k];
        for (int k = 0; k < 9; k++) n[7 + k] = (float)s->axes[k];
    }
}

void sac_grip_read(grip_thing *thing, const float *numbers)
{
    thing->count = 0;
    for (int i = 0; i < GRIP_SOLIDS; i++)
    {
        const float *n = numbers + (ptrdiff_t)i * GRIP_SOLID_NUMBERS;
        grip_solid *s = &thing->solids[thing->count];
        if (!(n[0] >= 1 && n[0] < GRIP_KINDS + 1) || !(n[1] > 0)) continue;
        s->kind = (grip_kind)((int)n[0] - 1);
        for (int k = 0; k < 3; k++) s->size[k] = (double)n[1 + k], s->center[k] = (double)n[4 + k];
        for (int k = 0; k < 9; k++) s->axes[k] = (double)n[7 + k];
        thing->count++;
    }
}
