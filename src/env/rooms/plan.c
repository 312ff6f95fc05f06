#include "env/rooms/plan.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "env/rooms/furniture.h"
#include "env/rooms/things.h"

/// A square is split by walls until no side of a part is longer than 5 m; no part has a side shorter than 2.5 m. Both
/// sides of a wall that splits may be split again, but not within 2.5 m of its ends, so that at least one stretch of
/// 2.5 m has one room on each side. One such stretch of each wall gets a door, and so every room can be reached.

enum
{
    SPLITS = ROOMS_MOST_ROOMS, // one room more with each
};

static const double shortest = 2.5, longest = 5, beside_door = 0.2;

/// A wall that splits a rectangle.
typedef struct split
{
    int across; // as in rooms_door
    double line, low, high;
} split;

typedef struct splits
{
    split all[SPLITS];
    int count;
} splits;

// --- rooms

// The axis along which a part is split: one on which it is too long, the longer one in doubt; -1: none.
static int split_axis(const rooms_rectangle *r)
{
    const double x = r->high[0] - r->low[0], y = r->high[1] - r->low[1];
    if (x <= longest && y <= longest) return -1;
    return x > y ? 0 : 1;
}

// Splits parts in order; what is split off is put behind them and comes later.
static void split_rooms(rooms_plan *plan, splits *walls, sac_stream *random)
{
    plan->room_count = 1;
    plan->rooms[0] = (rooms_rectangle){.high = {plan->size, plan->size}};
    for (int i = 0; i < plan->room_count;)
    {
        rooms_rectangle *r = &plan->rooms[i];
        const int axis = split_axis(r);
        if (axis < 0 || plan->room_count == ROOMS_MOST_ROOMS)
        {
            i++;
            continue;
        }
        const double line = sac_stream_uniform(random, r->low[axis] + shortest, r->high[axis] - shortest);
        walls->all[walls->count++] =
            (split){.across = axis, .line = line, .low = r->low[1 - axis], .high = r->high[1 - axis]};
        rooms_rectangle *other = &plan->rooms[plan->room_count++];
        *other = *r;
        other->low[axis] = r->high[axis] = line;
    }
}

// --- doors

/// A part of a wall with one room on each side.
typedef struct stretch
{
    double low, high;
    int rooms[2];
} stretch;

static int find_stretches(stretch *out, const rooms_plan *plan, const split *wall)
{
    const int axis = wall->across, along = 1 - axis;
    int count = 0;
    for (int a = 0; a < plan->room_count; a++)
        for (int b = 0; b < plan->room_count && plan->rooms[a].high[axis] == wall->line; b++)
        {
            const rooms_rectangle *before = &plan->rooms[a], *behind = &plan->rooms[b];
            if (behind->low[axis] != wall->line) continue;
            const double low = fmax(fmax(before->low[along], behind->low[along]), wall->low);
            const double high = fmin(fmin(before->high[along], behind->high[along]), wall->high);
            if (high - low > 0) out[count++] = (stretch){low, high, {a, b}};
        }
    return count;
}

static void add_door(rooms_plan *plan, const split *wall, const stretch *s, double width, sac_stream *random)
{
    const double edge = plan->thickness / 2 + beside_door + width / 2;
    plan->doors[plan->door_count++] = (rooms_door){.across = wall->across,
                                                   .line = wall->line,
                                                   .middle = sac_stream_uniform(random, s->low + edge, s->high - edge),
                                                   .width = width,
                                                   .rooms = {s->rooms[0], s->rooms[1]}};
}

static void add_doors(rooms_plan *plan, const rooms_plan_def *def, const split *wall, sac_stream *random)
{
    stretch all[ROOMS_MOST_ROOMS], wide[ROOMS_MOST_ROOMS];
    const int count = find_stretches(all, plan, wall);
    int wide_count = 0;
    for (int i = 0; i < count; i++)
        if (all[i].high - all[i].low > def->door_high + plan->thickness + 2 * beside_door) wide[wide_count++] = all[i];
    if (wide_count == 0) return; // not with rooms and doors of these sizes
    const int sure = (int)sac_stream_below(random, (uint32_t)wide_count);
    for (int i = 0; i < wide_count && plan->door_count < ROOMS_MOST_DOORS; i++)
    {
        const double width = sac_stream_uniform(random, def->door_low, def->door_high);
        if (sac_stream_uniform(random, 0, 1) < def->loops || i == sure) add_door(plan, wall, &wide[i], width, random);
    }
}

// --- walls

static void add_wall(rooms_plan *plan, int across, double line, double low, double high, double height)
{
    if (high - low < 1e-6 || plan->box_count == ROOMS_MOST_BOXES) return;
    rooms_piece *p = &plan->boxes[plan->box_count++];
    *p = (rooms_piece){.height = height, .rgba = {0.86f, 0.84f, 0.8f, 1}};
    p->center[across] = line;
    p->half[across] = plan->thickness / 2;
    p->center[1 - across] = (low + high) / 2;
    p->half[1 - across] = (high - low) / 2;
}

// A wall from end to end, without its doors, which are taken in their order along it
static void add_pieces(rooms_plan *plan, const split *wall, double height)
{
    double at = wall->low;
    for (;;)
    {
        const rooms_door *next = NULL;
        for (int i = 0; i < plan->door_count; i++)
        {
            const rooms_door *d = &plan->doors[i];
            const bool here =
                d->across == wall->across && d->line == wall->line && d->middle > at && d->middle < wall->high;
            if (here && (!next || d->middle < next->middle)) next = d;
        }
        if (!next) break;
        add_wall(plan, wall->across, wall->line, at, next->middle - next->width / 2, height);
        at = next->middle + next->width / 2;
    }
    add_wall(plan, wall->across, wall->line, at, wall->high, height);
}

static void add_walls(rooms_plan *plan, const splits *walls, double height)
{
    const double over = plan->thickness / 2;
    for (int side = 0; side < 4; side++)
        add_wall(plan, side / 2, side % 2 ? plan->size : 0, -over, plan->size + over, height);
    for (int i = 0; i < walls->count; i++) add_pieces(plan, &walls->all[i], height);
    plan->wall_count = plan->box_count;
}

void sac_rooms_plan_draw(rooms_plan *plan, const rooms_plan_def *def, uint64_t seed)
{
    sac_stream random = sac_stream_create(seed, 0x706c616e, 0), extra = sac_stream_create(seed, 0x706c616e, 1);
    splits walls = {0};
    plan->size = def->size;
    plan->thickness = def->unmet ? sac_stream_uniform(&random, 0.2, 0.3) : 0.1;
    plan->door_count = plan->box_count = plan->round_count = plan->thing_count = 0;
    split_rooms(plan, &walls, &random);
    for (int i = 0; i < walls.count; i++) add_doors(plan, def, &walls.all[i], &random);
    add_walls(plan, &walls, def->unmet ? 1.5 : 2.5);
    // before furniture, so that there is room for them; in a plan without things nothing is drawn for any
    sac_stream named = sac_stream_create(seed, 0x706c616e, 2);
    sac_rooms_add_things(plan, def->things, (rooms_names)def->names, &named);
    sac_rooms_furnish(plan, def, &extra);
}
