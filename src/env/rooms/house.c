#include "env/rooms/house.h"

#include <math.h>

#include "numerics/arc_tangent.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "env/rooms/robot.h"

enum
{
    MOST_SQUARES = 1 << 18, // of a user's model: 51 m x 51 m
    TRIES = 20              // goals that are drawn before one is kept from which few places can be reached
};

static const double beside = 0.9; // m from a thing's middle to the square beside it that ways lead to, at most
static const double cell = 0.1, margin = 0.05; // m; the margin is kept from everything on the shortest way
static const double pi = 3.14159265358979312;
static const double radius = ROOMS_RADIUS + 0.05;

// --- life

static sac_status make_room(rooms_house *h, const double origin[2], int columns, int rows)
{
    SAC_TRY(sac_ways_create(&h->map, origin, cell, columns, rows));
    h->choices = SAC_NEW_ARRAY(int, (size_t)columns *(size_t)rows);
    return h->choices ? SAC_OK : sac_fail_memory("a map");
}

// --- a user's model

// Widen the bounds by a geom that stays where it is.
static void take_bounds(rooms_house *h, const mjModel *m, const mjData *d, int geom)
{
    const double *axes = d->geom_xmat + (ptrdiff_t)9 * geom, *box = m->geom_aabb + (ptrdiff_t)6 * geom;
    for (int i = 0; i < 2; i++)
    {
        double middle = d->geom_xpos[3 * geom + i], half = 0;
        for (int k = 0; k < 3; k++) middle += axes[3 * i + k] * box[k], half += fabs(axes[3 * i + k]) * box[3 + k];
        if (middle - half < h->low[i]) h->low[i] = middle - half;
        if (middle + half > h->high[i]) h->high[i] = middle + half;
    }
}

static sac_status measure(rooms_house *h, const rooms_body *b)
{
    for (int i = 0; i < 2; i++) h->low[i] = INFINITY, h->high[i] = -INFINITY;
    for (int i = 0; i < (int)b->model->ngeom; i++)
        if (b->model->geom_type[i] != mjGEOM_PLANE && b->model->geom_bodyid[i] != b->robot)
            take_bounds(h, b->model, b->data, i);
    const double x = h->high[0] - h->low[0], y = h->high[1] - h->low[1];
    if (!(x > 0 && y > 0)) return sac_fail(SAC_ERROR_FORMAT, "the plan has no walls, and so no extent");
    if (x / cell * (y / cell) > MOST_SQUARES)
        return sac_fail(SAC_ERROR_FORMAT, "the plan is %g x %g m, expected at most %d squares of %g m", x, y,
                        MOST_SQUARES, cell);
    return SAC_OK;
}

static sac_status explore(rooms_house *h, rooms_body *b)
{
    int count = 0;
    SAC_TRY(sac_rooms_body_reset(b, NULL, 0, 0, 0));
    SAC_TRY(measure(h, b));
    const int columns = (int)ceil((h->high[0] - h->low[0]) / cell), rows = (int)ceil((h->high[1] - h->low[1]) / cell);
    SAC_TRY(make_room(h, h->low, columns, rows));
    sac_ways_clear(h->map, columns, rows, radius);
    for (int i = 0; i < columns * rows; i++)
    {
        double place[2];
        bool touches = false;
        sac_ways_middle(h->map, i, place);
        if (h->map->free[i]) SAC_TRY(sac_rooms_body_touches(b, place[0], place[1], margin, &touches));
        if (touches) h->map->free[i] = 0;
        count += h->map->free[i];
    }
    return count > 1 ? SAC_OK : sac_fail(SAC_ERROR_FORMAT, "the plan has no room for a robot of %g m", ROOMS_RADIUS);
}

static sac_status make(rooms_house *h, double largest, rooms_body *body)
{
    static const double origin[2] = {0, 0};
    const int most = (int)ceil(largest / cell);
    if (body) return explore(h, body);
    h->plan = SAC_NEW(rooms_plan);
    if (!h->plan) return sac_fail_memory("a plan");
    return make_room(h, origin, most, most);
}

sac_status sac_rooms_house_create(rooms_house **out, double largest, rooms_body *body)
{
    *out = NULL;
    rooms_house *h = SAC_NEW(rooms_house);
    if (!h) return sac_fail_memory("a house");
    h->turned = pi;
    h->thing = -1;
    sac_status status = make(h, largest, body);
    if (status != SAC_OK)
        sac_rooms_house_destroy(h);
    else
        *out = h;
    return status;
}

void sac_rooms_house_destroy(rooms_house *h)
{
    if (!h) return;
    sac_ways_destroy(h->map);
    sac_free(h->choices);
    sac_free(h->plan);
    sac_free(h);
}

// --- episodes

void sac_rooms_house_block(const rooms_plan *plan, ways_map *map, double distance)
{
    for (int i = 0; i < plan->box_count; i++)
        sac_ways_block(map, plan->boxes[i].center, plan->boxes[i].half, false, distance);
    for (int i = 0; i < plan->round_count; i++)
        sac_ways_block(map, plan->rounds[i].center, plan->rounds[i].half, true, distance);
}

static void draw_plan(rooms_house *h, const rooms_plan_def *def, uint64_t seed)
{
    const int side = (int)ceil(def->size / cell);
    const double over = 0.1; // the outer walls
    sac_rooms_plan_draw(h->plan, def, seed);
    sac_ways_clear(h->map, side, side, 0);
    sac_rooms_house_block(h->plan, h->map, radius);
    for (int i = 0; i < 2; i++) h->low[i] = -over, h->high[i] = def->size + over;
}

// Squares whose way to the goal is between two lengths; the numbers are in the house's choices.
static int choose(rooms_house *h, double low, double high)
{
    const double unit = cell / WAYS_STRAIGHT;
    int count = 0;
    for (int i = 0; i < h->map->columns * h->map->rows; i++)
        if (h->map->free[i] && h->map->field[i] != WAYS_FAR && h->map->field[i] * unit >= low &&
            h->map->field[i] * unit <= high)
            h->choices[count++] = i;
    return count;
}

static int all_free(rooms_house *h)
{
    int count = 0;
    for (int i = 0; i < h->map->columns * h->map->rows; i++)
        if (h->map->free[i]) h->choices[count++] = i;
    return count;
}

static int farthest_of(const rooms_house *h)
{
    int best = h->map->goal;
    for (int i = 0; i < h->map->columns * h->map->rows; i++)
        if (h->map->field[i] != WAYS_FAR && h->map->field[i] > h->map->field[best]) best = i;
    return best;
}

// A goal that at least half of the free squares lead to, or the last that was tried
static void draw_goal(rooms_house *h, sac_stream *random)
{
    for (int t = 0; t < TRIES; t++)
    {
        const int count = all_free(h);
        sac_ways_aim(h->map, h->choices[sac_stream_below(random, (uint32_t)count)], -1);
        if (2 * choose(h, 0, INFINITY) >= count) break;
    }
    sac_ways_middle(h->map, h->map->goal, h->goal);
}

// --- things

// Whether a straight line from `from` to `to` meets a box that is wider by nothing; the slab method
static bool meets_box(const rooms_piece *p, const double from[2], const double to[2])
{
    double first = 0, last = 1;
    for (int i = 0; i < 2; i++)
    {
        const double way = to[i] - from[i], low = p->center[i] - p->half[i], high = p->center[i] + p->half[i];
        if (way == 0)
        {
            if (from[i] < low || from[i] > high) return false;
            continue;
        }
        const double a = (low - from[i]) / way, b = (high - from[i]) / way;
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    }
    return first <= last;
}

static bool meets_round(const rooms_piece *p, const double from[2], const double to[2])
{
    const double x = to[0] - from[0], y = to[1] - from[1], a = p->center[0] - from[0], b = p->center[1] - from[1];
    const double square = x * x + y * y, along = square > 0 ? (a * x + b * y) / square : 0;
    const double at = along < 0 ? 0 : along < 1 ? along : 1, right = a - at * x, up = b - at * y;
    return right * right + up * up < p->half[0] * p->half[0];
}

bool sac_rooms_house_clear(const rooms_house *h, const double from[2], int thing)
{
    const double *to = h->plan->rounds[thing].center;
    for (int i = 0; i < h->plan->box_count; i++)
        if (meets_box(&h->plan->boxes[i], from, to)) return false;
    for (int i = 0; i < h->plan->round_count; i++)
        if (i != thing && meets_round(&h->plan->rounds[i], from, to)) return false;
    return true;
}

// The free square nearest to a thing from which it is in straight view; -1: there is none.
static int square_beside(const rooms_house *h, int thing)
{
    const double *at = h->plan->rounds[thing].center;
    double least = beside * beside;
    int best = -1;
    for (int i = 0; i < h->map->columns * h->map->rows; i++)
    {
        double place[2];
        if (!h->map->free[i]) continue;
        sac_ways_middle(h->map, i, place);
        const double x = place[0] - at[0], y = place[1] - at[1], away = x * x + y * y;
        if (away >= least || !sac_rooms_house_clear(h, place, thing)) continue;
        least = away;
        best = i;
    }
    return best;
}

// False where the plan has no thing that can be the goal, which leaves a place to be it.
static bool aim_at_thing(rooms_house *h)
{
    h->thing = -1;
    if (!h->plan || h->plan->thing_count == 0) return false;
    const int square = square_beside(h, 0);
    if (square < 0) return false;
    sac_ways_aim(h->map, square, -1);
    sac_ways_middle(h->map, square, h->goal);
    h->thing = 0;
    return true;
}

void sac_rooms_house_draw(rooms_house *h, const rooms_plan_def *def, double nearest, double farthest, uint64_t seed)
{
    sac_stream random = sac_stream_create(seed, 0x686f7573, 0);
    if (def) draw_plan(h, def, seed);
    if (!aim_at_thing(h)) draw_goal(h, &random);
    const int count = choose(h, nearest, farthest);
    const int start = count > 0 ? h->choices[sac_stream_below(&random, (uint32_t)count)] : farthest_of(h);
    sac_ways_middle(h->map, start, h->start);
    h->start[2] = sac_stream_uniform(&random, -h->turned, h->turned);
    if (h->thing < 0 || h->turned >= pi) return;
    const double *thing = h->plan->rounds[h->thing].center;
    h->start[2] += sac_arc_tangent(thing[1] - h->start[1], thing[0] - h->start[0]);
}
