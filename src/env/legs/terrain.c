#include "env/legs/terrain.h"

#include <math.h>

#include "base/error.h"
#include "base/random.h"
#include "base/series.h"

// Sizes are the article's (Choromanski et al. 2021) where it gives them, and PyBullet's envs_v2 with `released`.

typedef struct range
{
    double low, high;
} range;

static const float grey[4] = {0.5f, 0.5f, 0.52f, 1};
static const float colours[4][4] = {
    {0.25f, 0.6f, 0.3f, 1}, {0.85f, 0.75f, 0.2f, 1}, {0.75f, 0.25f, 0.2f, 1}, {0.2f, 0.4f, 0.75f, 1}};

static double draw(sac_stream *random, range r)
{
    return sac_stream_uniform(random, r.low, r.high);
}

// from one of two ranges
static double draw_one(sac_stream *random, const range ranges[2])
{
    return draw(random, ranges[sac_stream_below(random, 2)]);
}

// Adds a box from x on, whose top is at a height.
static void add(legs_terrain *t, double x, double length, double y, double width, double top, double thick,
                const float rgba[4])
{
    SAC_ASSERT(t->count < LEGS_MOST_PIECES);
    legs_piece *p = &t->pieces[t->count++];
    *p = (legs_piece){.center = {x + length / 2, y, top - thick / 2}, .half = {length / 2, width / 2, thick / 2}};
    for (int i = 0; i < 4; i++) p->rgba[i] = rgba[i];
}

// --- stones

// The gap lies before the stone. The first platform is centred on the origin, the last one lies beyond the course.
static void draw_stones(legs_terrain *t, const legs_terrain_def *def, sac_stream *random)
{
    range length = {0.5, 0.8}, gap = {0.1, 0.2};
    double width = 0.5;
    if (def->released)
        length = (range){0.1, 0.3}, gap = (range){0.07, 0.15}, width = 0.6;
    else if (def->unmet)
        length = (range){0.35, 0.5}, gap = (range){0.12, 0.22};
    const double platform = draw(random, (range){0.75, 1});
    add(t, -platform / 2, platform, 0, width, 0, 0.1, grey);
    double x = platform / 2;
    for (int i = 0; x < def->length; i++)
    {
        const double stone = draw(random, length);
        x += draw(random, gap) * def->level / 10;
        add(t, x, stone, 0, width, 0, 0.1, colours[i % 4]);
        x += stone;
    }
    x += draw(random, gap) * def->level / 10;
    add(t, x, 3, 0, width, 0, 0.1, grey);
}

// --- grid

enum
{
    COLUMNS = 8,
    HALF = COLUMNS / 2
};

// Rows and columns are turned about the origin, and of each row the stones near the course's middle are there.
static void draw_grid(legs_terrain *t, const legs_terrain_def *def, sac_stream *random)
{
    const double side = def->unmet ? 0.13 : 0.15, start = 0.45, corridor = 0.9;
    const range gap = def->unmet ? (range){0.16, 0.19} : (range){0.13, 0.17};
    const double turn = draw(random, (range){-0.1, 0.1});
    const double across = side + draw(random, gap) * def->level / 10;
    double sine, cosine;
    sac_series_sin_cos(turn, &sine, &cosine);
    add(t, -start, 2 * start, 0, 1.6, 0, 0.1, grey);
    double u = start + side / 2;
    for (int row = 0; u < def->length + 1; row++)
    {
        u += draw(random, gap) * def->level / 10;
        const double middle = -u * sine / cosine / across; // of the columns at y = 0
        for (int k = 0; k < COLUMNS; k++)
        {
            const double v = (floor(middle) + k - HALF + 0.5) * across;
            const double x = u * cosine - v * sine, y = u * sine + v * cosine;
            if (x - side / 2 < start || fabs(y) > corridor) continue;
            add(t, x - side / 2, side, y, side, 0, 0.1, colours[(row + k) % 4]);
            t->pieces[t->count - 1].turn = turn;
        }
        u += side;
    }
}

// --- stairs

static void draw_stairs(legs_terrain *t, const legs_terrain_def *def, sac_stream *random)
{
    // those of unmet stairs have nothing in common with the plain ones, and lie to both sides of them
    static const range depth = {0.25, 0.33}, unmet_depth[2] = {{0.2, 0.24}, {0.34, 0.4}};
    static const range rise = {0.16, 0.19}, unmet_rise[2] = {{0.13, 0.155}, {0.195, 0.22}};
    double x = 0.45, top = 0;
    add(t, -1, 1 + x, 0, 2, 0, 0.5, grey);
    // of one staircase all risers are alike, as people build
    const double height = (def->unmet ? draw_one(random, unmet_rise) : draw(random, rise)) * def->level / 10;
    const double tread = def->unmet ? draw_one(random, unmet_depth) : draw(random, depth);
    for (int i = 0; x < def->length - 1; i++)
    {
        top += height;
        add(t, x, tread, 0, 2, top, top + 0.5, colours[i % 4]);
        x += tread;
    }
    add(t, x, 4, 0, 2, top, top + 0.5, grey);
}

// --- obstacles

// Of two ranges one is drawn: of the platform's for a course, of a wall's for each wall.
typedef struct obstacle_ranges
{
    range width[2];            // of the platform, m
    range apart[2], closed[2]; // from wall to wall, m; which part of the width a wall closes at level 10
    range thick[2], tall[2];   // of walls, m
} obstacle_ranges;

static const obstacle_ranges plain_obstacles = {.width = {{2, 2}, {2, 2}},
                                                .apart = {{2, 2.5}, {2, 2.5}},
                                                .closed = {{0.5, 0.65}, {0.5, 0.65}},
                                                .thick = {{0.1, 0.1}, {0.1, 0.1}},
                                                .tall = {{0.5, 0.5}, {0.5, 0.5}}};

static const obstacle_ranges varied_obstacles = {.width = {{1.9, 2.1}, {1.9, 2.1}},
                                                 .apart = {{2, 2.5}, {2, 2.5}},
                                                 .closed = {{0.5, 0.65}, {0.5, 0.65}},
                                                 .thick = {{0.08, 0.14}, {0.08, 0.14}},
                                                 .tall = {{0.4, 0.6}, {0.4, 0.6}}};

// Nothing in common with those above, and to both sides of them.
static const obstacle_ranges unmet_obstacles = {.width = {{1.75, 1.85}, {2.2, 2.4}},
                                                .apart = {{1.7, 1.95}, {2.55, 2.8}},
                                                .closed = {{0.4, 0.48}, {0.66, 0.7}},
                                                .thick = {{0.05, 0.07}, {0.16, 0.25}},
                                                .tall = {{0.3, 0.37}, {0.65, 0.8}}};

// A wall from one of the platform's edges on.
static void add_wall(legs_terrain *t, const obstacle_ranges *r, double x, bool left, double part, bool red,
                     sac_stream *random)
{
    const double width = 2 * t->pieces[0].half[1];
    const double thick = draw_one(random, r->thick), tall = draw_one(random, r->tall);
    add(t, x, thick, (left ? 1 : -1) * (width - part) / 2, part, tall, tall, colours[red ? 2 : 3]);
}

// Walls close a part of the platform's width from the right and the left in turn, or each from a side of its own; a
// course begins on either side. Where they take turns a colour tells the side.
static void draw_obstacles(legs_terrain *t, const legs_terrain_def *def, sac_stream *random)
{
    const obstacle_ranges *r = def->unmet                  ? &unmet_obstacles
                               : def->walls == LEGS_VARIED ? &varied_obstacles
                                                           : &plain_obstacles;
    const bool any_side = def->unmet || def->walls != LEGS_ALTERNATING;
    const double width = draw_one(random, r->width);
    add(t, -1.5, def->length + 4, 0, width, 0, 0.5, grey);
    t->lasting = 1;
    bool left = sac_stream_below(random, 2) == 1;
    double x = 2;
    while (x < def->length)
    {
        if (any_side) left = sac_stream_below(random, 2) == 1;
        const bool red = any_side ? sac_stream_below(random, 2) == 1 : left;
        const double part = width * draw_one(random, r->closed) * def->level / 10;
        add_wall(t, r, x, left, part, red, random);
        x += draw_one(random, r->apart);
        left = !left;
    }
}

// --- all courses

void sac_legs_terrain_draw(legs_terrain *t, const legs_terrain_def *def, uint64_t seed)
{
    sac_stream random = sac_stream_create(seed, 0x6c656773, 0);
    t->count = t->lasting = 0;
    t->course = def->course;
    switch (def->course)
    {
    case LEGS_FLAT: break;
    case LEGS_OBSTACLES: draw_obstacles(t, def, &random); break;
    case LEGS_STONES: draw_stones(t, def, &random); break;
    case LEGS_GRID: draw_grid(t, def, &random); break;
    case LEGS_STAIRS: draw_stairs(t, def, &random); break;
    }
}

double sac_legs_terrain_floor(legs_course course)
{
    return course == LEGS_FLAT ? 0 : -0.5;
}

// From 0.8 m behind the robot to 1 m ahead of it at least, and two walls ahead.
int sac_legs_terrain_room(legs_course course)
{
    switch (course)
    {
    case LEGS_FLAT: return 0;
    case LEGS_OBSTACLES: return 5;
    case LEGS_STONES: return 16;
    case LEGS_GRID: return 128;
    case LEGS_STAIRS: return 12;
    }
    return 0;
}

int sac_legs_terrain_first(const legs_terrain *t, int room, double x)
{
    int first = t->lasting;
    while (first + room - t->lasting < t->count && t->pieces[first].center[0] + t->pieces[first].half[0] < x - 0.8)
        first++;
    return first;
}

const legs_piece *sac_legs_terrain_near(const legs_terrain *t, int first, int place)
{
    const int index = place < t->lasting ? place : first + place - t->lasting;
    return index < t->count ? &t->pieces[index] : NULL;
}

void sac_legs_terrain_opening(double opening[2], const legs_terrain *t, double length, double x)
{
    const double left_behind = 0.1; // m from the wall's far side to the robot's middle
    opening[0] = length;
    opening[1] = 0;
    for (int i = t->lasting; i < t->count; i++)
    {
        const legs_piece *p = &t->pieces[i];
        if (p->center[0] + p->half[0] + left_behind < x) continue;
        opening[0] = p->center[0];
        opening[1] = p->center[1] - (p->center[1] > 0 ? 1 : -1) * t->pieces[0].half[1];
        return;
    }
}

static bool covers(const legs_piece *p, double x, double y)
{
    double sine = 0, cosine = 1;
    const double dx = x - p->center[0], dy = y - p->center[1];
    if (p->turn != 0) sac_series_sin_cos(p->turn, &sine, &cosine);
    return fabs(dx * cosine + dy * sine) <= p->half[0] && fabs(dy * cosine - dx * sine) <= p->half[1];
}

double sac_legs_terrain_height(const legs_terrain *t, int first, int room, double x, double y)
{
    double height = sac_legs_terrain_floor(t->course);
    for (int i = 0; i < room; i++)
    {
        const legs_piece *p = sac_legs_terrain_near(t, first, i);
        if (p && p->center[2] + p->half[2] > height && covers(p, x, y)) height = p->center[2] + p->half[2];
    }
    return height;
}
