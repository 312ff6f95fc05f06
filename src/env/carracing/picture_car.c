#include <math.h>
#include <string.h>

#include "env/carracing/picture_parts.h"

/// The car as the picture shows it: black wheels with a turning stripe, a red hull.

static const double UNIT = 0.02, WHEEL_WIDTH = 14, WHEEL_RADIUS = 27, STRIPE = 1.2;

/// Corners of the hull's four polygons, counter-clockwise in the car's own frame.
static const struct
{
    int count;
    short corners[8][2]; ///< x, y in units
} hull[] = {
    {4, {{-60, 110}, {60, 110}, {60, 130}, {-60, 130}}},
    {4, {{-20, 20}, {20, 20}, {15, 120}, {-15, 120}}},
    {8, {{-20, -90}, {20, -90}, {50, -40}, {50, -10}, {25, 20}, {-25, 20}, {-50, -10}, {-50, -40}}},
    {4, {{-50, -120}, {50, -120}, {50, -90}, {-50, -90}}},
};

/// A body's place and turn in the view, in units from the upper left of the figure.
typedef struct seen_body
{
    double x, y;         ///< pixels
    double cosine, sine; ///< of its angle and the view's together
} seen_body;

static seen_body see_body(const car_picture *p, const car_camera *c, const car_body *body, double cosine, double sine)
{
    car_point at = sac_car_see(c, body->x - c->x, body->y - c->y);
    return (seen_body){at.x - p->figure.column, at.y - p->figure.row, c->cosine * cosine - c->sine * sine,
                       c->sine * cosine + c->cosine * sine};
}

/// Add a convex polygon of the body, counter-clockwise in its frame, each side moved outwards by `grow`.
static void add_part(const car_picture *p, const car_plane *plane, const car_camera *c, const seen_body *b,
                     const double (*corners)[2], int count, double grow)
{
    car_point seen[8];
    for (int i = 0; i < count; i++)
    {
        const double *a = corners[(i + count - 1) % count], *at = corners[i], *next = corners[(i + 1) % count];
        double ux = at[0] - a[0], uy = at[1] - a[1], vx = next[0] - at[0], vy = next[1] - at[1];
        double u = sqrt(ux * ux + uy * uy), v = sqrt(vx * vx + vy * vy), turn = (ux * vy - uy * vx) / (u * v);
        // the outer parallels of both sides meet at the corner plus grow (u - v) / sin(turn)
        double x = at[0], y = at[1];
        if (turn > 1e-6) x += grow / turn * (ux / u - vx / v), y += grow / turn * (uy / u - vy / v);
        double right = c->zoom * (b->cosine * x - b->sine * y), up = c->zoom * (b->sine * x + b->cosine * y);
        // the list runs backwards: y points down on the screen
        seen[i] = (car_point){(float)(b->x + c->scale_x * right), (float)(b->y - c->scale_y * up)};
    }
    sac_car_add_polygon(p, plane, seen, count, -1);
}

static void clear(const car_plane *plane)
{
    memset(plane->cells, 0, sizeof(float) * (size_t)(plane->height + 2) * (size_t)plane->stride);
}

static void draw_hull(car_picture *p, const car_camera *c, const seen_body *b, double grow)
{
    // it stands still on the screen while zoom and turn do not change
    float key[] = {(float)c->zoom, (float)b->cosine, (float)b->sine};
    if (memcmp(key, p->hull_seen, sizeof key) == 0) return;
    memcpy(p->hull_seen, key, sizeof key);
    clear(&p->figure.hull);
    for (size_t i = 0; i < sizeof hull / sizeof *hull; i++)
    {
        double corners[8][2];
        for (int k = 0; k < hull[i].count; k++)
        {
            corners[k][0] = hull[i].corners[k][0] * UNIT;
            corners[k][1] = hull[i].corners[k][1] * UNIT;
        }
        add_part(p, &p->figure.hull, c, b, (const double(*)[2])corners, hull[i].count, grow);
    }
    p->raster->settle(&p->figure.hull);
}

/// The part of a wheel between two heights, in wheel radii.
static void add_band(const car_picture *p, const car_plane *plane, const car_camera *c, const seen_body *b, double low,
                     double high, double grow)
{
    double x = WHEEL_WIDTH * UNIT, y0 = WHEEL_RADIUS * UNIT * low, y1 = WHEEL_RADIUS * UNIT * high;
    const double corners[][2] = {{-x, y0}, {x, y0}, {x, y1}, {-x, y1}};
    add_part(p, plane, c, b, corners, 4, grow);
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/// The stripe is seen while it is on the upper half of the turning wheel.
static void add_stripe(const car_picture *p, const car_camera *c, const seen_body *b, double phase, double grow)
{
    double s1, c1, s2, c2;
    sac_car_turn(phase, &s1, &c1);
    sac_car_turn(phase + STRIPE, &s2, &c2);
    if (s1 > 0 && s2 > 0) return;
    if (s1 > 0) c1 = sign(c1);
    if (s2 > 0) c2 = sign(c2);
    if (c1 != c2) add_band(p, &p->figure.stripe, c, b, sac_car_lesser(c1, c2), sac_car_greater(c1, c2), grow);
}

void sac_car_draw_figure(car_picture *p, const car_scene *scene, const car_camera *c, double grow)
{
    double sine, cosine;
    sac_car_turn(scene->hull.angle, &sine, &cosine);
    seen_body body = see_body(p, c, &scene->hull, cosine, sine);
    draw_hull(p, c, &body, grow);

    clear(&p->figure.wheel);
    clear(&p->figure.stripe);
    for (int i = 0; i < CAR_WHEELS; i++)
    {
        sac_car_turn(scene->wheel[i].angle, &sine, &cosine);
        body = see_body(p, c, &scene->wheel[i], cosine, sine);
        add_band(p, &p->figure.wheel, c, &body, -1, 1, grow);
        add_stripe(p, c, &body, scene->wheel_phase[i], grow);
    }
    p->raster->settle(&p->figure.wheel);
    p->raster->settle(&p->figure.stripe);
}
