#include "env/carracing/ground.h"

#include <math.h>

#include "env/carracing/chain_constants.h"

#define SKIN (0.02f + 10 * 1.1920929e-7f) // two skins of 0.01 and what Box2D takes for zero

enum
{
    HULL_POLYGONS = 4
};

// The corners of Gymnasium's polygons in the car's own units, counter-clockwise.
static const struct
{
    int count, x[POLYGON_MAX], y[POLYGON_MAX];
} wheel_shape = {4, {-14, 14, 14, -14}, {-27, -27, 27, 27}},
  hull_shapes[HULL_POLYGONS] = {
      {4, {-60, 60, 60, -60}, {110, 110, 130, 130}},
      {4, {-20, 20, 15, -15}, {20, 20, 120, 120}},
      {8, {-20, 20, 50, 50, 25, -25, -50, -50}, {-90, -90, -40, -10, 20, 20, -10, -40}},
      {4, {-50, 50, 50, -50}, {-120, -120, -90, -90}},
};

// The radii of circles around wheel and hull, from the bodies' origins.
#define WHEEL_RADIUS 0.61f
#define HULL_RADIUS  2.87f

// The edges as outward unit normals n and offsets d: a point p is beyond an edge by n . p - d.
static void finish_polygon(car_polygon *p)
{
    for (int i = 0; i < p->count; i++)
    {
        int next = i + 1 < p->count ? i + 1 : 0;
        float ex = p->x[next] - p->x[i], ey = p->y[next] - p->y[i], length = sqrtf(ex * ex + ey * ey);
        p->nx[i] = ey / length;
        p->ny[i] = -ex / length;
        p->d[i] = p->nx[i] * p->x[i] + p->ny[i] * p->y[i];
    }
}

static void place_shape(car_polygon *p, int count, const int *x, const int *y, const car_chain *chain, int body)
{
    float c = chain->cosine[body], s = chain->sine[body];
    p->count = count;
    for (int i = 0; i < count; i++)
    {
        float px = (float)(x[i] * CAR_SIZE), py = (float)(y[i] * CAR_SIZE);
        p->x[i] = c * px - s * py + chain->x[body];
        p->y[i] = s * px + c * py + chain->y[body];
    }
    finish_polygon(p);
}

static bool is_right_of(const car_polygon *p, int i, int from, int to)
{
    float tx = p->x[to] - p->x[from], ty = p->y[to] - p->y[from];
    float ix = p->x[i] - p->x[from], iy = p->y[i] - p->y[from], cross = tx * iy - ty * ix;
    return cross < 0 || (cross == 0 && ix * ix + iy * iy > tx * tx + ty * ty);
}

// Finds the convex hull, counter-clockwise, by going round it from its rightmost corner (Jarvis' march).
static car_polygon convex_hull(const car_polygon *points)
{
    int first = 0;
    for (int i = 1; i < points->count; i++)
        if (points->x[i] > points->x[first]) first = i;
    car_polygon hull = {0};
    int at = first;
    do
    {
        hull.x[hull.count] = points->x[at];
        hull.y[hull.count++] = points->y[at];
        int next = at == 0;
        for (int i = 0; i < points->count; i++)
            if (is_right_of(points, i, at, next)) next = i;
        at = next;
    } while (at != first && hull.count < points->count);
    return hull;
}

// Box2D takes the convex hull of the corners: where the loop closes badly, the first tile may be turned over or twisted
static void lay_tile(car_polygon *tile, car_circle *circle, const double corners[4][2])
{
    car_polygon quad = {.count = 4};
    *circle = (car_circle){0};
    for (int k = 0; k < 4; k++)
    {
        quad.x[k] = (float)corners[k][0];
        quad.y[k] = (float)corners[k][1];
        circle->x += quad.x[k] / 4;
        circle->y += quad.y[k] / 4;
    }
    for (int k = 0; k < 4; k++)
        circle->radius = fmaxf(circle->radius, hypotf(quad.x[k] - circle->x, quad.y[k] - circle->y));
    *tile = convex_hull(&quad);
    finish_polygon(tile);
}

void sac_car_ground_lay(car_ground *ground, const car_track *track)
{
    ground->count = track->count;
    ground->visited_count = 0;
    for (int i = 0; i < track->count; i++)
    {
        lay_tile(&ground->tile[i], &ground->tile_circle[i], track->tile[i]);
        ground->touched[i] = ground->visited[i] = 0;
    }
    for (int first = 0; first < track->count; first += GROUND_BLOCK)
    {
        int end = first + GROUND_BLOCK < track->count ? first + GROUND_BLOCK : track->count;
        car_circle around = {ground->tile_circle[(first + end) / 2].x, ground->tile_circle[(first + end) / 2].y, 0};
        for (int i = first; i < end; i++)
        {
            const car_circle *circle = &ground->tile_circle[i];
            around.radius = fmaxf(around.radius, hypotf(circle->x - around.x, circle->y - around.y) + circle->radius);
        }
        ground->block_circle[first / GROUND_BLOCK] = around;
    }
}

// How far b lies beyond the edge of a that keeps it farthest away: the largest separation along a normal of a.
static float separation(const car_polygon *a, const car_polygon *b)
{
    float largest = -INFINITY;
    for (int i = 0; i < a->count && largest <= SKIN; i++)
    {
        float nearest = INFINITY;
        for (int k = 0; k < b->count; k++) nearest = fminf(nearest, a->nx[i] * b->x[k] + a->ny[i] * b->y[k]);
        largest = fmaxf(largest, nearest - a->d[i]);
    }
    return largest;
}

// The smallest squared distance from a corner of b to an edge of a.
static float corner_distance(const car_polygon *a, const car_polygon *b)
{
    float least = INFINITY;
    for (int i = 0; i < a->count; i++)
    {
        int next = i + 1 < a->count ? i + 1 : 0;
        float ex = a->x[next] - a->x[i], ey = a->y[next] - a->y[i], square = ex * ex + ey * ey;
        for (int k = 0; k < b->count; k++)
        {
            float px = b->x[k] - a->x[i], py = b->y[k] - a->y[i];
            float along = fminf(fmaxf((px * ex + py * ey) / square, 0), 1);
            px -= along * ex;
            py -= along * ey;
            least = fminf(least, px * px + py * py);
        }
    }
    return least;
}

// Tells whether two polygons are at most SKIN apart.
// Box2D touches when the distance is at most both skins (b2TestOverlap). The separating axis test gives a lower bound
// of that distance for little work, and it is exact unless the nearest points are two corners.
static bool touch(const car_polygon *a, const car_polygon *b)
{
    float gap = fmaxf(separation(a, b), 0);
    if (gap > SKIN) return false;
    gap = fmaxf(separation(b, a), gap);
    if (gap > SKIN) return false;
    // The separation by edges differs from the distance only where two corners face each other.
    return gap == 0 || fminf(corner_distance(a, b), corner_distance(b, a)) <= SKIN * SKIN;
}

static bool near(const car_circle *circle, float x, float y, float radius)
{
    float dx = circle->x - x, dy = circle->y - y, reach = circle->radius + radius;
    return dx * dx + dy * dy <= reach * reach;
}

// Tells whether a wheel touches a tile. Its centre decides unless it is near an edge.
// The two quick answers come first: a centre inside the tile, and one farther from it than any corner of a wheel.
static bool wheel_touches(const car_polygon *tile, const car_polygon *wheel, float x, float y)
{
    float beyond = -INFINITY;
    for (int i = 0; i < tile->count; i++) beyond = fmaxf(beyond, tile->nx[i] * x + tile->ny[i] * y - tile->d[i]);
    if (beyond <= 0) return true;
    if (beyond > WHEEL_RADIUS + SKIN) return false;
    return touch(tile, wheel);
}

static bool hull_touches(const car_polygon *tile, const car_chain *chain)
{
    for (int i = 0; i < HULL_POLYGONS; i++)
    {
        car_polygon part;
        place_shape(&part, hull_shapes[i].count, hull_shapes[i].x, hull_shapes[i].y, chain, 0);
        if (touch(tile, &part)) return true;
    }
    return false;
}

typedef struct touching
{
    const car_chain *chain;
    car_polygon wheel[CAR_WHEELS];
    bool *on_road;
} touching;

// Looks at one tile near the car. Returns whether a wheel has come to it for the first time.
static bool touch_tile(car_ground *ground, int i, touching *t)
{
    const car_polygon *tile = &ground->tile[i];
    const car_chain *chain = t->chain;
    bool visited = ground->visited[i], touched = false;
    for (int j = 0; j < CAR_WHEELS; j++)
    {
        if (visited && t->on_road[j]) continue; // nothing new to learn
        if (!wheel_touches(tile, &t->wheel[j], chain->x[1 + j], chain->y[1 + j])) continue;
        t->on_road[j] = touched = true;
    }
    if (!ground->touched[i] && (touched || hull_touches(tile, chain))) ground->touched[i] = 1;
    if (touched) ground->visited[i] = 1;
    return touched && !visited;
}

// Circles around blocks of tiles and around tiles leave a few tiles for the tests by polygons.
int sac_car_ground_touch(car_ground *ground, const car_chain *chain, bool on_road[CAR_WHEELS], int *start_count)
{
    touching t = {.chain = chain, .on_road = on_road};
    // Only in the first step are the wheels off their places on the hull, and by less than this reach allows.
    float x = chain->x[0], y = chain->y[0], reach = HULL_RADIUS + 4 * SKIN + 1;
    for (int j = 0; j < CAR_WHEELS; j++)
    {
        place_shape(&t.wheel[j], wheel_shape.count, wheel_shape.x, wheel_shape.y, chain, 1 + j);
        on_road[j] = false;
    }
    *start_count = 0;
    int visits = 0;
    for (int first = 0; first < ground->count; first += GROUND_BLOCK)
    {
        if (!near(&ground->block_circle[first / GROUND_BLOCK], x, y, reach)) continue;
        int end = first + GROUND_BLOCK < ground->count ? first + GROUND_BLOCK : ground->count;
        for (int i = first; i < end; i++)
        {
            if (!near(&ground->tile_circle[i], x, y, reach) || !touch_tile(ground, i, &t)) continue;
            visits++;
            ground->visited_count++;
            if (i == 0) *start_count = ground->visited_count;
        }
    }
    return visits;
}
