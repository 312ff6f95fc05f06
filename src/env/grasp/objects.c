#include "env/grasp/objects.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/series.h"

const char *const sac_grasp_families[GRASP_FAMILIES] = {"can",    "bottle", "eraser", "banana", "octopus",
                                                        "carton", "ball",   "bar",    "egg",    "dumbbell",
                                                        "cup",    "ring",   "tee",    "jack",   "pear"};

static const double pi = 3.14159265358979323846;

static const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double on_side[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0}; // about y: z lies along x
static const double on_back[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0}; // about x: z lies along -y

static double draw(sac_stream *s, double low, double high)
{
    return sac_stream_uniform(s, low, high);
}

// The next solid of a thing, in its origin and unturned
static grip_solid *add(grasp_object *o, grip_kind kind, double a, double b, double c)
{
    SAC_ASSERT(o->thing.count < GRIP_SOLIDS);
    grip_solid *s = &o->thing.solids[o->thing.count++];
    *s = (grip_solid){.kind = kind, .size = {a, b, c}};
    memcpy(s->axes, upright, sizeof upright);
    return s;
}

static void put(grip_solid *s, double x, double y, double z)
{
    s->center[0] = x, s->center[1] = y, s->center[2] = z;
}

static void rest(grasp_object *o, const double pose[9])
{
    memcpy(o->poses[o->pose_count++], pose, sizeof o->poses[0]);
}

// Turn a solid so that its z lies along a direction, and the rest anyhow
static void point(grip_solid *s, const double direction[3])
{
    const double length = sqrt(grip_dot(direction, direction));
    const double other[3] = {fabs(direction[0]) < 0.7 * length, fabs(direction[0]) >= 0.7 * length, 0};
    double z[3], x[3], y[3];
    for (int i = 0; i < 3; i++) z[i] = direction[i] / length;
    grip_cross(x, other, z);
    const double across = sqrt(grip_dot(x, x));
    for (int i = 0; i < 3; i++) x[i] /= across;
    grip_cross(y, z, x);
    for (int i = 0; i < 3; i++) s->axes[3 * i] = x[i], s->axes[3 * i + 1] = y[i], s->axes[3 * i + 2] = z[i];
}

// A capsule from one place to another
static void join(grasp_object *o, double radius, const double from[3], const double to[3])
{
    const double way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    grip_solid *s = add(o, GRIP_CAPSULE, radius, sqrt(grip_dot(way, way)) / 2, 0);
    put(s, (from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2);
    point(s, way);
}

// --- families that are trained with

static void make_can(grasp_object *o, sac_stream *s)
{
    const double radius = draw(s, 0.022, 0.038), half = draw(s, 0.04, 0.07);
    add(o, GRIP_CYLINDER, radius, half, 0);
    rest(o, upright);
    rest(o, on_side);
}

static void make_bottle(grasp_object *o, sac_stream *s)
{
    const double radius = draw(s, 0.022, 0.036), half = draw(s, 0.04, 0.06);
    const double neck = draw(s, 0.010, 0.014), length = draw(s, 0.015, 0.03), shoulder = draw(s, 0.5, 1) * radius;
    add(o, GRIP_CYLINDER, radius, half, 0);
    put(add(o, GRIP_ELLIPSOID, radius, radius, shoulder), 0, 0, half);
    put(add(o, GRIP_CYLINDER, neck, length, 0), 0, 0, half + shoulder + length - 0.008);
    rest(o, upright);
    rest(o, on_side);
}

static void make_eraser(grasp_object *o, sac_stream *s)
{
    const double half = draw(s, 0.04, 0.065), breadth = draw(s, 0.022, 0.032), height = draw(s, 0.013, 0.02);
    add(o, GRIP_BOX, half, breadth, height);
    rest(o, upright);
    rest(o, on_back);
}

static void make_banana(grasp_object *o, sac_stream *s)
{
    enum
    {
        PIECES = 6
    };
    const double bend = draw(s, 0.08, 0.12), angle = draw(s, 1.3, 2), thick = draw(s, 0.015, 0.019);
    double from[3] = {0}, to[3] = {0};
    for (int i = 0; i <= PIECES; i++)
    {
        double sine, cosine;
        sac_series_sin_cos(angle * ((double)i / PIECES - 0.5), &sine, &cosine);
        to[0] = bend * sine, to[1] = bend * (cosine - 1);
        const double along = (i - 0.5) / PIECES - 0.5; // thinner at its ends
        if (i > 0) join(o, thick * (1 - 1.2 * along * along), from, to);
        memcpy(from, to, sizeof from);
    }
    rest(o, upright);
}

static void make_octopus(grasp_object *o, sac_stream *s)
{
    enum
    {
        ARMS = 8
    };
    const double head = draw(s, 0.024, 0.034), arm = draw(s, 0.006, 0.009), length = draw(s, 0.025, 0.045);
    add(o, GRIP_SPHERE, head, 0, 0);
    for (int i = 0; i < ARMS; i++)
    {
        double sine, cosine;
        sac_series_sin_cos(2 * pi * i / ARMS, &sine, &cosine);
        const double in = 0.6 * head, out = head + length;
        join(o, arm, (double[3]){in * cosine, in * sine, -0.6 * head},
             (double[3]){out * cosine, out * sine, -head + arm});
    }
    rest(o, upright);
}

static void make_carton(grasp_object *o, sac_stream *s)
{
    const double depth = draw(s, 0.016, 0.034), breadth = draw(s, 0.03, 0.05), height = draw(s, 0.045, 0.075);
    add(o, GRIP_BOX, depth, breadth, height);
    rest(o, upright);
    rest(o, on_side);
    rest(o, on_back);
}

static void make_ball(grasp_object *o, sac_stream *s)
{
    add(o, GRIP_SPHERE, draw(s, 0.022, 0.042), 0, 0);
    rest(o, upright);
}

static void make_bar(grasp_object *o, sac_stream *s)
{
    const double radius = draw(s, 0.013, 0.02), half = draw(s, 0.035, 0.08);
    add(o, GRIP_CAPSULE, radius, half, 0);
    rest(o, on_side);
}

static void make_egg(grasp_object *o, sac_stream *s)
{
    const double a = draw(s, 0.022, 0.034), b = draw(s, 0.022, 0.034), c = draw(s, 0.034, 0.055);
    add(o, GRIP_ELLIPSOID, a, b, c);
    rest(o, on_side);
}

static void make_dumbbell(grasp_object *o, sac_stream *s)
{
    const double ends = draw(s, 0.02, 0.03), rod = draw(s, 0.008, 0.012), half = draw(s, 0.035, 0.055);
    add(o, GRIP_CYLINDER, rod, half, 0);
    put(add(o, GRIP_SPHERE, ends, 0, 0), 0, 0, half);
    put(add(o, GRIP_SPHERE, ends, 0, 0), 0, 0, -half);
    rest(o, on_side);
}

// --- families that are kept for testing

static void make_cup(grasp_object *o, sac_stream *s)
{
    enum
    {
        WALLS = 8
    };
    const double radius = draw(s, 0.03, 0.04), half = draw(s, 0.03, 0.05), thick = draw(s, 0.0025, 0.004);
    const double out = draw(s, 0.018, 0.025), high = 0.5 * half;
    for (int i = 0; i < WALLS; i++)
    {
        double sine, cosine;
        sac_series_sin_cos(2 * pi * i / WALLS, &sine, &cosine);
        const double breadth = radius * 0.41421356; // tan(pi / 8)
        grip_solid *wall = add(o, GRIP_BOX, thick, breadth, half);
        const double axes[9] = {cosine, -sine, 0, sine, cosine, 0, 0, 0, 1};
        memcpy(wall->axes, axes, sizeof axes);
        put(wall, radius * cosine, radius * sine, 0);
    }
    put(add(o, GRIP_CYLINDER, radius, 0.004, 0), 0, 0, 0.004 - half);
    const double handle[4][3] = {
        {radius, 0, high}, {radius + out, 0, high}, {radius + out, 0, -high}, {radius, 0, -high}};
    for (int i = 0; i < 3; i++) join(o, 0.005, handle[i], handle[i + 1]);
    rest(o, upright);
}

static void make_ring(grasp_object *o, sac_stream *s)
{
    enum
    {
        PIECES = 12
    };
    const double radius = draw(s, 0.024, 0.034), thick = draw(s, 0.012, 0.015);
    double from[3] = {radius, 0, 0};
    for (int i = 1; i <= PIECES; i++)
    {
        double sine, cosine;
        sac_series_sin_cos(2 * pi * i / PIECES, &sine, &cosine);
        const double to[3] = {radius * cosine, radius * sine, 0};
        join(o, thick, from, to);
        memcpy(from, to, sizeof from);
    }
    rest(o, upright);
}

static void make_tee(grasp_object *o, sac_stream *s)
{
    const double half = draw(s, 0.045, 0.07), grip = draw(s, 0.013, 0.018), head = draw(s, 0.03, 0.045);
    const double thick = draw(s, 0.013, 0.02);
    add(o, GRIP_BOX, half, grip, grip);
    put(add(o, GRIP_BOX, thick, head, grip), half + thick, 0, 0);
    rest(o, upright);
}

static void make_jack(grasp_object *o, sac_stream *s)
{
    const double thick = draw(s, 0.009, 0.013), half = draw(s, 0.03, 0.042);
    const double third = sqrt(1.0 / 3), sixth = sqrt(1.0 / 6), other = sqrt(0.5);
    // it stands on three of its six ends: its diagonal is upright
    const double standing[9] = {other, -other, 0, sixth, sixth, -2 * sixth, third, third, third};
    for (int i = 0; i < 3; i++)
    {
        double end[3] = {0}, start[3] = {0};
        end[i] = half, start[i] = -half;
        join(o, thick, start, end);
    }
    rest(o, standing);
}

static void make_pear(grasp_object *o, sac_stream *s)
{
    const double body = draw(s, 0.029, 0.037), top = draw(s, 0.018, 0.024), apart = draw(s, 0.04, 0.05);
    add(o, GRIP_SPHERE, body, 0, 0);
    put(add(o, GRIP_SPHERE, (body + top) / 2, 0, 0), 0, 0, apart / 2);
    put(add(o, GRIP_SPHERE, top, 0, 0), 0, 0, apart);
    rest(o, on_side);
}

void sac_grasp_object(grasp_object *object, int index)
{
    static void (*const makers[GRASP_FAMILIES])(grasp_object *, sac_stream *) = {
        make_can, make_bottle,   make_eraser, make_banana, make_octopus, make_carton, make_ball, make_bar,
        make_egg, make_dumbbell, make_cup,    make_ring,   make_tee,     make_jack,   make_pear};
    SAC_ASSERT(index >= 0 && index < GRASP_OBJECTS);
    sac_stream stream = sac_stream_create(0x7468696e67, (uint64_t)index, 0);
    memset(object, 0, sizeof *object);
    object->density = draw(&stream, 250, 700);
    for (int i = 0; i < 3; i++) object->rgba[i] = (float)draw(&stream, 0.2, 0.95);
    object->rgba[3] = 1;
    makers[index / GRASP_VARIANTS](object, &stream);
}
