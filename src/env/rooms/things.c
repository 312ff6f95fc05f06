#include "env/rooms/things.h"

#include <string.h>

#include "env/rooms/furniture.h"

enum
{
    BALL,
    BOX,
    CONE,
    BOTTLE,
    CHAIR,
    LAMP,
    TRIES = 200 // places for each thing
};

static const char *const words[ROOMS_VOCABULARY] = {"red",  "green", "blue", "yellow", "purple", "black",
                                                    "ball", "box",   "cone", "bottle", "chair",  "lamp"};

static const float colours[ROOMS_COLOURS][4] = {{0.9f, 0.1f, 0.1f, 1},  {0.1f, 0.7f, 0.15f, 1},
                                                {0.1f, 0.25f, 0.9f, 1}, {0.95f, 0.85f, 0.1f, 1},
                                                {0.6f, 0.1f, 0.7f, 1},  {0.06f, 0.06f, 0.06f, 1}};

// m: the radius of the circle that a thing fits in, and its height
static const double sizes[ROOMS_SHAPES][2] = {[BALL] = {0.2, 0.4},    [BOX] = {0.24, 0.34},  [CONE] = {0.2, 0.5},
                                              [BOTTLE] = {0.14, 0.6}, [CHAIR] = {0.24, 0.7}, [LAMP] = {0.2, 0.75}};

const char *sac_rooms_word(int index)
{
    return words[index];
}

bool sac_rooms_unmet(int name)
{
    return name % ROOMS_SHAPES == (name / ROOMS_SHAPES + 2) % ROOMS_SHAPES;
}

void sac_rooms_caption(int name, float *bag)
{
    memset(bag, 0, ROOMS_VOCABULARY * sizeof *bag);
    bag[name / ROOMS_SHAPES] = 1;
    bag[ROOMS_COLOURS + name % ROOMS_SHAPES] = 1;
}

// --- in a plan

static bool may_have(int name, bool first, rooms_names names)
{
    return names == ROOMS_ALL_NAMES || (names == ROOMS_UNMET_NAMES && !first) ||
           sac_rooms_unmet(name) == (names == ROOMS_UNMET_NAMES);
}

// A name that no thing of the plan has yet
static int draw_name(const rooms_plan *plan, rooms_names names, sac_stream *random)
{
    int free[ROOMS_NAMES], count = 0;
    for (int name = 0; name < ROOMS_NAMES; name++)
    {
        bool taken = !may_have(name, plan->thing_count == 0, names);
        for (int i = 0; i < plan->thing_count; i++) taken = taken || plan->rounds[i].name == name + 1;
        if (!taken) free[count++] = name;
    }
    return free[sac_stream_below(random, (uint32_t)count)];
}

void sac_rooms_add_things(rooms_plan *plan, int count, rooms_names names, sac_stream *random)
{
    for (int n = 0; n < count; n++)
    {
        const int name = draw_name(plan, names, random);
        const double scale = sac_stream_uniform(random, 0.85, 1.15), *size = sizes[name % ROOMS_SHAPES];
        rooms_piece p = {.half = {scale * size[0], scale * size[0]}, .height = scale * size[1], .name = name + 1};
        for (int i = 0; i < 3; i++)
        {
            const double shade = sac_stream_uniform(random, -0.05, 0.05);
            p.rgba[i] = colours[name / ROOMS_SHAPES][i] + (float)shade;
        }
        p.rgba[3] = 1;
        for (int t = 0; t < TRIES; t++)
        {
            const rooms_rectangle *room = &plan->rooms[sac_stream_below(random, (uint32_t)plan->room_count)];
            const bool at_wall = sac_stream_below(random, 2) == 0;
            if (!sac_rooms_place(&p, plan, room, at_wall, random)) continue;
            plan->rounds[plan->round_count++] = p;
            plan->thing_count++;
            break;
        }
    }
}

// --- what they look like

typedef struct building
{
    const rooms_piece *thing;
    sac_geom *geoms;
    int count;
} building;

static sac_geom *add(building *b, sac_shape shape, double x, double y, double z)
{
    const rooms_piece *p = b->thing;
    sac_geom *g = &b->geoms[b->count++];
    *g = (sac_geom){.shape = shape,
                    .position = {(float)(p->center[0] + x), (float)(p->center[1] + y), (float)z},
                    .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                    .specular = 0.2f,
                    .shininess = 0.5f,
                    .texture = -1,
                    .id = p->name - 1};
    memcpy(g->rgba, p->rgba, sizeof g->rgba);
    return g;
}

static void add_box(building *b, double x, double y, double bottom, double top, double across, double deep)
{
    sac_geom *g = add(b, SAC_SHAPE_BOX, x, y, (bottom + top) / 2);
    g->size[0] = (float)across;
    g->size[1] = (float)deep;
    g->size[2] = (float)((top - bottom) / 2);
}

static void add_disc(building *b, double bottom, double top, double radius)
{
    sac_geom *g = add(b, SAC_SHAPE_CYLINDER, 0, 0, (bottom + top) / 2);
    g->size[0] = (float)radius;
    g->size[1] = (float)((top - bottom) / 2);
}

static void add_ball(building *b, double z, double radius)
{
    add(b, SAC_SHAPE_SPHERE, 0, 0, z)->size[0] = (float)radius;
}

static void add_cone(building *b, double r, double h)
{
    enum
    {
        DISCS = 8
    };
    for (int i = 0; i < DISCS; i++) add_disc(b, h * i / DISCS, h * (i + 1) / DISCS, r * (DISCS - i) / DISCS);
}

static void add_chair(building *b, double r, double h)
{
    const double half = 0.68 * r, leg = 0.12 * r, seat = 0.45 * h;
    for (int i = 0; i < 4; i++)
        add_box(b, i % 2 ? half - leg : leg - half, i / 2 ? half - leg : leg - half, 0, seat, leg, leg);
    add_box(b, 0, 0, seat, seat + 0.08 * h, half, half);
    add_box(b, leg - half, 0, seat, h, leg, half);
}

int sac_rooms_thing_geoms(const rooms_piece *p, sac_geom *geoms)
{
    building b = {.thing = p, .geoms = geoms};
    const double r = p->half[0], h = p->height;
    switch ((p->name - 1) % ROOMS_SHAPES)
    {
    case BALL: add_ball(&b, r, r); break;
    case BOX: add_box(&b, 0, 0, 0, h, 0.7 * r, 0.7 * r); break;
    case CONE: add_cone(&b, r, h); break;
    case BOTTLE:
        add_disc(&b, 0, 0.62 * h, r);
        add_disc(&b, 0.62 * h, h, 0.4 * r);
        break;
    case CHAIR: add_chair(&b, r, h); break;
    default:
        add_disc(&b, 0, 0.05 * h, 0.7 * r);
        add_disc(&b, 0.05 * h, 0.65 * h, 0.12 * r);
        add_disc(&b, 0.65 * h, h, r);
    }
    return b.count;
}
