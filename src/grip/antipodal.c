#include "grip/antipodal.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"

enum
{
    ROLLS = 36, // over half a turn: the hand is the same when it is turned by half a turn
    SLABS = 9,  // places across, that far apart
    DEPTHS = 4, // places along the approach
    TILTS = 2,  // of directions that are not straight down
    TURNS = 8,  // about the vertical, of each of them
    MOST_POINTS = 6000,
};

static const double pi = 3.14159265358979323846;
static const double apart = 0.006, // m between points of the surface
    slab_apart = 0.008,
                    pad = 0.022, // m of a finger's end that is to touch
    clearance = 0.004,           // m beside the thing on both sides while the hand comes
    above_table = 0.002, aligned = 0.85;

grip_costs sac_grip_usual_costs(void)
{
    return (grip_costs){.lever = 25, .depth = 8, .tilt = 0.7, .roll = 0.02, .width = 2};
}

// A direction of the hand: what is fixed of a grasp but its place
typedef struct direction
{
    double approach[3], roll, tilt, axes[9];
} direction;

// The surface in the hand's axes, for one direction
typedef struct view
{
    double points[MOST_POINTS][3];
    double facing[MOST_POINTS]; // x of the normals
    int count;
    double center[3];
    double least[3], most[3];
} view;

struct grip_finder
{
    double points[MOST_POINTS][3], normals[MOST_POINTS][3];
    grip_surface surface;
    double center[3], table; // of the thing's mass; z of the table
    grip_costs costs;
    view view;
};

sac_status sac_grip_finder_create(grip_finder **out)
{
    *out = SAC_NEW(grip_finder);
    return *out ? SAC_OK : sac_fail_memory("a search for grasps");
}

void sac_grip_finder_destroy(grip_finder *finder)
{
    sac_free(finder);
}

static void look(view *v, const grip_finder *s, const direction *d)
{
    const grip_surface *surface = &s->surface;
    v->count = surface->count;
    grip_turn_back(v->center, d->axes, s->center);
    for (int k = 0; k < 3; k++) v->least[k] = INFINITY, v->most[k] = -INFINITY;
    for (int i = 0; i < v->count; i++)
    {
        grip_turn_back(v->points[i], d->axes, surface->points[i]);
        const double *n = surface->normals[i];
        v->facing[i] = d->axes[0] * n[0] + d->axes[3] * n[1] + d->axes[6] * n[2];
        for (int k = 0; k < 3; k++)
        {
            v->least[k] = fmin(v->least[k], v->points[i][k]);
            v->most[k] = fmax(v->most[k], v->points[i][k]);
        }
    }
}

// What lies between the fingers where the tip is at height w (along z) of the slab about y
typedef struct between
{
    double left, right; // x of the outermost points that pads would touch
    double widest[2];   // the same of all that lies between the fingers
    double left_normal, right_normal;
    double top; // the least z under the palm
} between;

static bool measure(between *b, const view *v, double y, double w)
{
    *b = (between){INFINITY, -INFINITY, {INFINITY, -INFINITY}, 0, 0, INFINITY};
    const double half = grip_finger[1];
    for (int i = 0; i < v->count; i++)
    {
        const double *p = v->points[i];
        const double aside = fabs(p[1] - y);
        if (aside < grip_palm[1]) b->top = fmin(b->top, p[2]);
        if (aside > half + 0.002 || p[2] > w) continue;
        b->widest[0] = fmin(b->widest[0], p[0]);
        b->widest[1] = fmax(b->widest[1], p[0]);
        if (aside > half || p[2] < w - pad) continue;
        b->left = fmin(b->left, p[0]);
        b->right = fmax(b->right, p[0]);
    }
    return b->left < b->right;
}

// How well the surfaces that pads touch face along x: the means over points within 3 mm of the outermost ones
static void face(between *b, const view *v, double y, double w)
{
    double sum[2] = {0};
    int count[2] = {0};
    for (int i = 0; i < v->count; i++)
    {
        const double *p = v->points[i];
        if (fabs(p[1] - y) > grip_finger[1] || p[2] > w || p[2] < w - pad) continue;
        // what faces inwards there belongs to another solid, inside of this one or behind it
        if (p[0] < b->left + 0.003 && v->facing[i] < 0) sum[0] -= v->facing[i], count[0]++;
        if (p[0] > b->right - 0.003 && v->facing[i] > 0) sum[1] += v->facing[i], count[1]++;
    }
    b->left_normal = count[0] ? sum[0] / count[0] : 0;
    b->right_normal = count[1] ? sum[1] / count[1] : 0;
}

// A grasp at a place; false where fingers would hit something or find no hold.
static bool try(grip_grasp *out, const grip_finder *s, const direction *d, const view *v, double y, double w)
{
    between b;
    if (!measure(&b, v, y, w)) return false;
    const double middle = (b.left + b.right) / 2, room = grip_stroke / 2 - clearance;
    if (b.widest[1] > middle + room || b.widest[0] < middle - room) return false;
    if (b.top < w - 2 * grip_finger[2] + clearance) return false;
    face(&b, v, y, w);
    if (b.left_normal < aligned || b.right_normal < aligned) return false;
    const double tip[3] = {middle, y, w};
    grip_turn(out->tip, d->axes, tip);
    if (out->tip[2] - sac_grip_depth(d->axes) < s->table + above_table - 1e-9) return false;
    memcpy(out->approach, d->approach, sizeof out->approach);
    out->roll = d->roll;
    const double aside = 0.3 * (middle - v->center[0]), away = y - v->center[1];
    const double across = sqrt(away * away + aside * aside);
    const double along = fabs(w - pad / 2 - v->center[2]);
    const grip_costs *c = &s->costs;
    out->cost = 4 * (2 - b.left_normal - b.right_normal) + c->lever * across + c->depth * along + c->tilt * d->tilt +
                c->roll * fabs(d->roll) + c->width * (b.right - b.left);
    return true;
}

static bool are_alike(const grip_grasp *a, const grip_grasp *b)
{
    double square = 0, turn = fabs(a->roll - b->roll);
    for (int i = 0; i < 3; i++) square += (a->tip[i] - b->tip[i]) * (a->tip[i] - b->tip[i]);
    if (turn > pi / 2) turn = pi - turn;
    return square < 0.015 * 0.015 && turn < 20 * pi / 180 && grip_dot(a->approach, b->approach) > 0.94;
}

// Keep a list of grasps that differ, the cheapest first. @return its new length
static int insert(grip_grasp *list, int count, int room, const grip_grasp *g)
{
    for (int i = 0; i < count; i++)
        if (are_alike(&list[i], g))
        {
            if (list[i].cost <= g->cost) return count;
            memmove(list + i, list + i + 1, (size_t)(count - i - 1) * sizeof *list);
            count--;
            i--;
        }
    int at = count;
    while (at > 0 && list[at - 1].cost > g->cost) at--;
    if (at == room) return count;
    if (count == room) count--;
    memmove(list + at + 1, list + at, (size_t)(count - at) * sizeof *list);
    list[at] = *g;
    return count + 1;
}

// The deepest that the tip may go in a direction: the hand stays above the table, and the palm above the thing
static double deepest(const grip_finder *s, const direction *d, const view *v)
{
    const double *up = d->axes + 6;
    double most = v->most[2] + 0.01;
    if (up[2] < -0.1)
    {
        // z of the tip is up . (x, y, w), and x and y are near the centre's
        const double level = up[0] * v->center[0] + up[1] * v->center[1];
        most = fmin(most, (s->table + above_table + sac_grip_depth(d->axes) - level) / up[2]);
    }
    return most;
}

static int look_in(grip_grasp *out, int count, int room, grip_finder *s, const direction *d)
{
    view *v = &s->view;
    look(v, s, d);
    const double most = deepest(s, d, v), wanted = v->center[2] + pad / 2;
    const double depths[DEPTHS] = {wanted, wanted + 0.012, wanted - 0.015, v->least[2] + pad + 0.004};
    for (int k = 0; k < DEPTHS; k++)
        for (int i = 0; i < SLABS; i++)
        {
            const int aside = i - SLABS / 2;
            const double y = v->center[1] + aside * slab_apart;
            grip_grasp g;
            if (y < v->least[1] - 0.002 || y > v->most[1] + 0.002) continue;
            if (try(&g, s, d, v, y, fmin(depths[k], most))) count = insert(out, count, room, &g);
        }
    return count;
}

static void aim(direction *d, double tilt, double turn, double roll)
{
    double sine, cosine, s, c;
    sac_series_sin_cos(tilt, &sine, &cosine);
    sac_series_sin_cos(turn, &s, &c);
    *d = (direction){.approach = {sine * c, sine * s, -cosine}, .roll = roll, .tilt = sine};
    sac_grip_axes(d->axes, d->approach, roll);
}

// Over half a turn, from just above -pi / 2 to pi / 2
static double roll_at(int index)
{
    const int steps = index - ROLLS / 2 + 1;
    return steps * pi / ROLLS;
}

int sac_grip_find(grip_finder *finder, grip_grasp *out, int room, const grip_thing *thing, double table,
                  const grip_costs *costs)
{
    static const double tilts[TILTS] = {0.35, 0.8};
    direction d;
    int count = 0;
    finder->surface = (grip_surface){finder->points, finder->normals, 0, MOST_POINTS};
    finder->table = table;
    finder->costs = *costs;
    if (thing->count == 0) return 0;
    memcpy(finder->center, sac_grip_weigh(thing, 1).center, sizeof finder->center);
    sac_grip_cover(&finder->surface, thing, apart);
    for (int r = 0; r < ROLLS; r++)
    {
        aim(&d, 0, 0, roll_at(r));
        count = look_in(out, count, room, finder, &d);
    }
    for (int t = 0; t < TILTS && count < room; t++)
        for (int k = 0; k < TURNS; k++)
            for (int r = 0; r < ROLLS; r += 2)
            {
                aim(&d, tilts[t], 2 * pi * k / TURNS, roll_at(r));
                count = look_in(out, count, room, finder, &d);
            }
    return count;
}
