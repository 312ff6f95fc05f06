#include "env/rooms/seen.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    RAYS = 64 // of a look: 7 cm apart at 4 m with a field of view of 60 degrees
};

static const double stride = 0.05; // m along a ray from one look to the next
static const double touched = 0.3; // m around its middle that the robot knows because it stands there
static const double solidity =
    0.03; // m by which solid things are thicker, so that a wall of 0.1 m has a square for sure

// --- life

static sac_status make(rooms_seen *s, const rooms_house *house)
{
    const ways_map *m = house->map;
    SAC_TRY(sac_ways_create(&s->map, m->origin, m->cell, m->columns, m->rows));
    return sac_ways_create(&s->solid, m->origin, m->cell, m->columns, m->rows);
}

sac_status sac_rooms_seen_create(rooms_seen **out, const rooms_house *house, double far, double tangent)
{
    *out = NULL;
    rooms_seen *s = SAC_NEW(rooms_seen);
    if (!s) return sac_fail_memory("what was seen");
    s->far = far;
    s->tangent = tangent;
    sac_status status = make(s, house);
    if (status != SAC_OK)
        sac_rooms_seen_destroy(s);
    else
        *out = s;
    return status;
}

void sac_rooms_seen_destroy(rooms_seen *s)
{
    if (!s) return;
    sac_ways_destroy(s->map);
    sac_ways_destroy(s->solid);
    sac_free(s);
}

// --- looking

// Of a user's model it is only known where the robot cannot stand.
static void find_solid(ways_map *solid, const rooms_house *house)
{
    const ways_map *m = house->map;
    sac_ways_clear(solid, m->columns, m->rows, 0);
    if (house->plan)
        sac_rooms_house_block(house->plan, solid, solidity);
    else
        memcpy(solid->free, m->free, (size_t)m->columns * (size_t)m->rows);
}

void sac_rooms_seen_begin(rooms_seen *s, const rooms_house *house)
{
    sac_ways_clear(s->map, house->map->columns, house->map->rows, 0);
    find_solid(s->solid, house);
    s->stale = true;
}

static void learn(rooms_seen *s, const rooms_house *house, int square)
{
    if (house->map->free[square] || !s->map->free[square]) return;
    s->map->free[square] = 0;
    s->stale = true;
}

static void look_along(rooms_seen *s, const rooms_house *house, const rooms_place *from, double x, double y, double far)
{
    for (int i = 0; i * stride <= far; i++)
    {
        const double way = i * stride;
        const int square = sac_ways_at(s->map, from->x + way * x, from->y + way * y);
        if (square < 0) return;
        learn(s, house, square);
        if (!s->solid->free[square] && way > touched) return;
    }
}

static void touch(rooms_seen *s, const rooms_house *house, const rooms_place *p)
{
    const int ring = (int)(touched / s->map->cell);
    for (int i = -ring; i <= ring; i++)
        for (int k = -ring; k <= ring; k++)
        {
            const int square = sac_ways_at(s->map, p->x + i * s->map->cell, p->y + k * s->map->cell);
            if (square >= 0) learn(s, house, square);
        }
}

// Rays are evenly apart in the picture, whose columns are at even tangents. How far the camera sees is along its view.
void sac_rooms_seen_look(rooms_seen *s, const rooms_house *house, const rooms_place *p)
{
    touch(s, house, p);
    for (int i = 0; i < RAYS; i++)
    {
        const double aside = s->tangent * ((2 * i + 1.0) / RAYS - 1), length = sqrt(1 + aside * aside);
        const double x = (p->cosine - aside * p->sine) / length, y = (p->sine + aside * p->cosine) / length;
        look_along(s, house, p, x, y, s->far * length);
    }
}

void sac_rooms_seen_corner(rooms_seen *s, const rooms_house *house, const rooms_place *p, double corner[2])
{
    const double here[2] = {p->x, p->y};
    const int from = sac_ways_at(s->map, p->x, p->y);
    // Ways are found to a little beyond the robot, so it needs others wherever it goes: where it stood when it was
    // asked before must not matter.
    if (s->stale || from != s->from) sac_ways_aim(s->map, house->map->goal, from);
    s->from = from;
    s->stale = false;
    const int square = sac_ways_enter(s->map, here, NULL);
    if (square >= 0)
        sac_ways_corner(s->map, square, corner);
    else
        memcpy(corner, house->goal, 2 * sizeof *corner);
}
