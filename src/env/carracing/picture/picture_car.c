#include <math.h>
#include <string.h>

#include "env/carracing/picture/picture_parts.h"

/// The car as the picture shows it: black wheels with a turning stripe, a red hull.

#define UNIT 0.02

static const double WHEEL_WIDTH = 14, WHEEL_RADIUS = 27, STRIPE = 1.2;

/// Corners of the hull's four polygons in the car's own frame, in the order in which Box2D keeps them:
/// counter-clockwise from the rightmost, the lower one of two.
static const struct
{
    int count;
    short corners[8][2]; ///< x, y in units
} hull[CAR_HULL_PARTS] = {
    {4, {{60, 110}, {60, 130}, {-60, 130}, {-60, 110}}},
    {4, {{20, 20}, {15, 120}, {-15, 120}, {-20, 20}}},
    {8, {{50, -40}, {50, -10}, {25, 20}, {-25, 20}, {-50, -10}, {-50, -40}, {-20, -90}, {20, -90}}},
    {4, {{50, -120}, {50, -90}, {-50, -90}, {-50, -120}}},
};

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

car_part sac_car_wheel_part(void)
{
    float x = (float)(WHEEL_WIDTH * UNIT), y = (float)(WHEEL_RADIUS * UNIT);
    return (car_part){4, {{x, -y}, {x, y}, {-x, y}, {-x, -y}}};
}

car_part sac_car_hull_part(int i)
{
    car_part part = {.count = hull[i].count};
    for (int k = 0; k < part.count; k++)
        for (int c = 0; c < 2; c++) part.corners[k][c] = (float)(hull[i].corners[k][c] * UNIT);
    return part;
}

/// The stripe is seen while it is on the upper half of the turning wheel.
bool sac_car_stripe_part(double phase, car_part *part)
{
    double s1, c1, s2, c2;
    sac_car_turn(phase, &s1, &c1);
    sac_car_turn(phase + STRIPE, &s2, &c2);
    if (s1 > 0 && s2 > 0) return false;
    if (s1 > 0) c1 = sign(c1);
    if (s2 > 0) c2 = sign(c2);
    float x = (float)(WHEEL_WIDTH * UNIT), y1 = (float)(WHEEL_RADIUS * c1 * UNIT),
          y2 = (float)(WHEEL_RADIUS * c2 * UNIT);
    *part = (car_part){4, {{-x, y1}, {x, y1}, {x, y2}, {-x, y2}}};
    return true;
}

void sac_car_clear_plane(const car_plane *plane)
{
    memset(plane->cells, 0, sizeof(float) * (size_t)(plane->height + CAR_SPARE_ROWS) * (size_t)plane->stride);
}

/// Add a part of a body in smooth edges.
static void add_part(const car_picture *p, const car_plane *plane, const car_camera *c, const car_body *body,
                     const car_part *part)
{
    double sine, cosine, area = 0;
    sac_car_turn(body->angle, &sine, &cosine);
    car_point seen[8];
    for (int i = 0; i < part->count; i++)
    {
        double x = part->corners[i][0], y = part->corners[i][1];
        seen[i] = sac_car_see(c, body->x - c->x + cosine * x - sine * y, body->y - c->y + sine * x + cosine * y);
        seen[i].x -= (float)p->figure.column;
        seen[i].y -= (float)p->figure.row;
    }
    for (int i = 0; i < part->count; i++) // stripes come in either sense
    {
        const car_point *a = &seen[i], *b = &seen[(i + 1) % part->count];
        area += (double)a->x * b->y - (double)b->x * a->y;
    }
    sac_car_add_polygon(p, plane, seen, part->count, area > 0 ? 1 : -1);
}

void sac_car_draw_smooth_figure(car_picture *p, const car_scene *scene, const car_camera *c)
{
    const car_figure *f = &p->figure;
    car_part part, wheel = sac_car_wheel_part();
    sac_car_clear_plane(&f->wheel);
    sac_car_clear_plane(&f->stripe);
    sac_car_clear_plane(&f->hull);
    for (int i = 0; i < CAR_WHEELS; i++)
    {
        add_part(p, &f->wheel, c, &scene->wheel[i], &wheel);
        if (sac_car_stripe_part(scene->wheel_phase[i], &part)) add_part(p, &f->stripe, c, &scene->wheel[i], &part);
    }
    for (int i = 0; i < CAR_HULL_PARTS; i++)
    {
        part = sac_car_hull_part(i);
        add_part(p, &f->hull, c, &scene->hull, &part);
    }
    p->raster->settle(&f->wheel);
    p->raster->settle(&f->stripe);
    p->raster->settle(&f->hull);
    for (int i = 0; i < f->hull.height * f->hull.stride; i++)
    {
        f->wheel.cells[i] *= 1 - f->hull.cells[i];
        f->stripe.cells[i] *= 1 - f->hull.cells[i];
    }
}
