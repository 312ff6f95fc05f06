#include "env/rooms/furniture.h"

#include <math.h>

// m between two pieces, or between a piece and a wall that it does not stand at; m that a door keeps free around it
static const double passage = 0.75, door_room = 0.85;

enum
{
    TRIES = 4 // places for each piece
};

static double gap(const rooms_piece *a, const rooms_piece *b)
{
    double square = 0;
    for (int i = 0; i < 2; i++)
    {
        const double apart = fabs(a->center[i] - b->center[i]) - a->half[i] - b->half[i];
        if (apart > 0) square += apart * apart;
    }
    return sqrt(square);
}

static double way_to_door(const rooms_piece *p, const rooms_door *d)
{
    rooms_piece opening = {.center = {d->middle, d->middle}, .half = {d->width / 2, d->width / 2}};
    opening.center[d->across] = d->line;
    opening.half[d->across] = 0;
    return gap(p, &opening);
}

static bool fits(const rooms_plan *plan, const rooms_piece *p)
{
    for (int i = 0; i < plan->door_count; i++)
        if (way_to_door(p, &plan->doors[i]) < door_room) return false;
    for (int i = plan->wall_count; i < plan->box_count; i++)
        if (gap(p, &plan->boxes[i]) < passage) return false;
    for (int i = 0; i < plan->round_count; i++)
        if (gap(p, &plan->rounds[i]) < passage) return false;
    return true;
}

// A piece in a room, `least` from its walls on each axis, or at one of its walls; false where it has no room.
static bool place(rooms_piece *p, const rooms_plan *plan, const rooms_rectangle *room, bool at_wall, sac_stream *random)
{
    const int axis = (int)sac_stream_below(random, 2), end = (int)sac_stream_below(random, 2);
    const double edge = plan->thickness / 2;
    for (int i = 0; i < 2; i++)
    {
        const double least = edge + passage + p->half[i];
        const double low = room->low[i] + least, high = room->high[i] - least;
        if (at_wall && i == axis)
            p->center[i] = end ? room->high[i] - edge - p->half[i] : room->low[i] + edge + p->half[i];
        else if (low <= high)
            p->center[i] = sac_stream_uniform(random, low, high);
        else
            return false;
    }
    // and beside a piece at a wall there is a way to the wall on the other side
    const double across = room->high[axis] - room->low[axis] - 2 * edge - 2 * p->half[axis];
    return !at_wall || across >= passage;
}

bool sac_rooms_place(rooms_piece *p, const rooms_plan *plan, const rooms_rectangle *room, bool at_wall,
                     sac_stream *random)
{
    return place(p, plan, room, at_wall, random) && fits(plan, p);
}

static void draw(rooms_piece *p, bool round, bool unmet, sac_stream *random)
{
    const double low = round ? 0.12 : 0.15, high = round ? 0.3 : 0.5, more = unmet ? 1.3 : 1;
    p->half[0] = sac_stream_uniform(random, low, high) * more;
    p->half[1] = round ? p->half[0] : sac_stream_uniform(random, low, high) * more;
    p->height = unmet ? sac_stream_uniform(random, 0.3, 0.45) : sac_stream_uniform(random, 0.45, 1.4);
    for (int i = 0; i < 3; i++) p->rgba[i] = (float)sac_stream_uniform(random, 0.25, 0.75);
    p->rgba[3] = 1;
}

// Of each three pieces one is round, one a box in the middle and one a box at a wall, in the mean.
static void furnish(rooms_plan *plan, const rooms_plan_def *def, const rooms_rectangle *room, sac_stream *random)
{
    for (int n = 0; n < def->furniture; n++)
    {
        const uint32_t kind = sac_stream_below(random, 3);
        rooms_piece p = {0};
        draw(&p, kind == 0, def->unmet, random);
        for (int t = 0; t < TRIES; t++)
        {
            if (!sac_rooms_place(&p, plan, room, kind == 2, random)) continue;
            if (kind == 0 && plan->round_count < ROOMS_MOST_ROUNDS)
                plan->rounds[plan->round_count++] = p;
            else if (kind > 0 && plan->box_count < ROOMS_MOST_BOXES)
                plan->boxes[plan->box_count++] = p;
            break;
        }
    }
}

void sac_rooms_furnish(rooms_plan *plan, const rooms_plan_def *def, sac_stream *random)
{
    for (int i = 0; i < plan->room_count; i++) furnish(plan, def, &plan->rooms[i], random);
}
