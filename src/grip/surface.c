#include <math.h>

#include "base/series.h"
#include "grip/solid.h"

/// Points on the surfaces of solids.

static const double pi = 3.14159265358979323846;

static void add(grip_surface *out, const grip_solid *s, const double point[3], const double normal[3])
{
    if (out->count == out->room) return;
    double *p = out->points[out->count], *n = out->normals[out->count++];
    grip_turn(p, s->axes, point);
    grip_turn(n, s->axes, normal);
    for (int i = 0; i < 3; i++) p[i] += s->center[i];
}

static int steps(double length, double apart)
{
    const int count = (int)ceil(length / apart);
    return count < 1 ? 1 : count;
}

static void cover_box(grip_surface *out, const grip_solid *s, double apart)
{
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2)
        {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            const int rows = steps(2 * s->size[u], apart), columns = steps(2 * s->size[v], apart);
            double point[3], normal[3] = {0};
            normal[axis] = sign;
            point[axis] = sign * s->size[axis];
            for (int i = 0; i <= rows; i++)
                for (int k = 0; k <= columns; k++)
                {
                    point[u] = s->size[u] * (2.0 * i / rows - 1);
                    point[v] = s->size[v] * (2.0 * k / columns - 1);
                    add(out, s, point, normal);
                }
        }
}

// A circle of points at a height, with a normal that leans up by `up`, between -1 and 1
static void cover_circle(grip_surface *out, const grip_solid *s, double radius, double z, double up, double apart)
{
    const int count = steps(2 * pi * radius, apart);
    const double level = sqrt(1 - up * up);
    for (int i = 0; i < count; i++)
    {
        double sine, cosine;
        sac_series_sin_cos(2 * pi * i / count, &sine, &cosine);
        add(out, s, (double[3]){radius * cosine, radius * sine, z}, (double[3]){level * cosine, level * sine, up});
    }
}

static void cover_cylinder(grip_surface *out, const grip_solid *s, double apart)
{
    const double radius = s->size[0], half = s->size[1];
    const int rows = steps(2 * half, apart), rings = steps(radius, apart);
    for (int i = 0; i <= rows; i++) cover_circle(out, s, radius, half * (2.0 * i / rows - 1), 0, apart);
    for (int i = 0; i < rings; i++)
        for (int sign = -1; sign <= 1; sign += 2) cover_circle(out, s, radius * i / rings, sign * half, sign, apart);
}

// A ball of radius 1 scaled by three radii and cut apart in its middle by two `half`
static void cover_round(grip_surface *out, const grip_solid *s, const double radii[3], double half, double apart)
{
    const double largest = fmax(radii[0], fmax(radii[1], radii[2]));
    const int rows = steps(pi * largest, apart);
    for (int i = 0; i <= rows; i++)
    {
        double level, up, sine, cosine;
        sac_series_sin_cos(pi * i / rows, &level, &up);
        const int count = steps(2 * pi * largest * level, apart);
        for (int k = 0; k < count; k++)
        {
            sac_series_sin_cos(2 * pi * k / count, &sine, &cosine);
            const double unit[3] = {level * cosine, level * sine, up};
            double point[3], normal[3], square = 0;
            for (int c = 0; c < 3; c++)
            {
                point[c] = radii[c] * unit[c] + (c == 2 ? (up < 0 ? -half : half) : 0);
                normal[c] = unit[c] / radii[c];
                square += normal[c] * normal[c];
            }
            for (int c = 0; c < 3; c++) normal[c] /= sqrt(square);
            add(out, s, point, normal);
        }
    }
}

static void cover_solid(grip_surface *out, const grip_solid *s, double apart)
{
    const double *r = s->size;
    const double ball[3] = {r[0], r[0], r[0]};
    switch (s->kind)
    {
    case GRIP_SPHERE: cover_round(out, s, ball, 0, apart); break;
    case GRIP_ELLIPSOID: cover_round(out, s, r, 0, apart); break;
    case GRIP_BOX: cover_box(out, s, apart); break;
    case GRIP_CYLINDER: cover_cylinder(out, s, apart); break;
    default:
        cover_round(out, s, ball, r[1], apart);
        for (int i = 0, rows = steps(2 * r[1], apart); i <= rows; i++)
            cover_circle(out, s, r[0], r[1] * (2.0 * i / rows - 1), 0, apart);
    }
}

void sac_grip_cover(grip_surface *surface, const grip_thing *thing, double apart)
{
    surface->count = 0;
    for (int i = 0; i < thing->count; i++) cover_solid(surface, &thing->solids[i], apart);
}
