#include <math.h>

#include "env/carracing/picture/picture_parts.h"

/// What lies on the ground: the playfield, its light squares, the road and its kerbs.

static const double FIELD = 2000.0 / 6, SQUARE = 2000.0 / 6 / 20, HALF_ROAD = 40.0 / 6, KERB = 8.0 / 6;
static const double NODE_STEP = 21.0 / 6;

/// The part of the world in view: a box, and a circle around it.
typedef struct view_bounds
{
    double low[2], high[2]; ///< in world coordinates
    double x, y, radius;
} view_bounds;

static view_bounds bounds_of(const car_picture *p, const car_camera *c)
{
    // corners of the picture, in units from the car, turned back into the world
    double left = -p->left / p->scale_x - CAR_X, right = (p->width - p->left) / p->scale_x - CAR_X;
    double up = CAR_Y + p->top / p->scale_y, down = CAR_Y - BAR_Y;
    view_bounds b = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, 0, 0, 0};
    for (int i = 0; i < 4; i++)
    {
        double x = i & 1 ? left : right, y = i & 2 ? up : down;
        double at[2] = {c->x + (c->cosine * x + c->sine * y) / c->zoom, c->y + (c->cosine * y - c->sine * x) / c->zoom};
        for (int k = 0; k < 2; k++)
        {
            b.low[k] = sac_car_lesser(b.low[k], at[k]);
            b.high[k] = sac_car_greater(b.high[k], at[k]);
        }
    }
    b.x = 0.5 * (b.low[0] + b.high[0]);
    b.y = 0.5 * (b.low[1] + b.high[1]);
    double width = right - left, height = up - down;
    b.radius = 0.5 * sqrt(width * width + height * height) / c->zoom;
    return b;
}

/// Tell whether some of a polygon may be in view.
static bool in_view(const car_picture *p, const car_point *corners, int count)
{
    float width = (float)p->width, height = (float)p->layers.road.height;
    bool left = true, right = true, above = true, below = true;
    for (int i = 0; i < count; i++)
    {
        left &= corners[i].x <= 0;
        right &= corners[i].x >= width;
        above &= corners[i].y <= 0;
        below &= corners[i].y >= height;
    }
    return !(left | right | above | below);
}

/// How far Gymnasium's filled and outlined polygons reach beyond an edge with the normal (x, y) on the screen, of
/// length 1: in world units. A steep edge grows sideways: half a unit by its smooth outline, an eighth on average by
/// spans that are rounded outwards. A flat one grows up or down, by less of the latter the flatter it is.
static double growth(const car_camera *c, double x, double y)
{
    if (!c->whole_units) return 0;
    x = fabs(x), y = fabs(y);
    return (x >= y ? 0.625 * x : 0.5 * y + 0.125 * x * x / y) / c->zoom;
}

/// An upright square of the world, from (x, y) to (x + side, y + side).
static void add_square(const car_picture *p, const car_plane *plane, const car_camera *c, double x, double y,
                       double side)
{
    double left = x - c->x, low = y - c->y, right = left + side, high = low + side;
    car_point corners[] = {sac_car_see_corner(c, left, high), sac_car_see_corner(c, right, high),
                           sac_car_see_corner(c, right, low), sac_car_see_corner(c, left, low)};
    double along = c->zoom * growth(c, c->cosine, c->sine), across = c->zoom * growth(c, c->sine, c->cosine);
    for (int i = 0; i < 4; i++)
    {
        double to_x = i == 1 || i == 2 ? along : -along, to_y = i < 2 ? across : -across;
        corners[i].x += (float)(c->scale_x * (to_x * c->cosine - to_y * c->sine));
        corners[i].y -= (float)(c->scale_y * (to_x * c->sine + to_y * c->cosine));
    }
    if (in_view(p, corners, 4)) sac_car_add_polygon(p, plane, corners, 4, 1);
}

/// The first and last light square that may be in view: every second one from -20 to 18 is light.
static int square_index(double x, bool last)
{
    int i = 2 * (int)floor(x / SQUARE / 2);
    i = i < -20 ? last ? -22 : -20 : i;
    return i > 18 ? last ? 18 : 20 : i;
}

static void draw_grass(const car_picture *p, const car_camera *c, const view_bounds *b)
{
    int first_x = square_index(b->low[0], false), last_x = square_index(b->high[0], true);
    int first_y = square_index(b->low[1], false), last_y = square_index(b->high[1], true);
    for (int i = first_x; i <= last_x; i += 2)
        for (int k = first_y; k <= last_y; k += 2) add_square(p, &p->layers.square, c, SQUARE * i, SQUARE * k, SQUARE);
}

/// A cut across the road at a node.
typedef struct road_cut
{
    car_point middle;
    car_point road[2], kerb[2]; ///< the road's sides, left and right, and the kerbs' outer sides
    float x, y;                 ///< from the middle to the right by one world unit, in pixels
    float grow;                 ///< what the sides move outwards, world units
    float ends;                 ///< what the ends of kerbs move along the road
} road_cut;

static road_cut cut_at(const car_track *t, const car_camera *c, int node)
{
    const double(*tile)[2] = t->tile[node];
    double to_x = (tile[1][0] - tile[0][0]) / (2 * HALF_ROAD), to_y = (tile[1][1] - tile[0][1]) / (2 * HALF_ROAD);
    double x = t->x[node] - c->x, y = t->y[node] - c->y;
    road_cut cut = {.middle = sac_car_see(c, x, y)};
    for (int side = 0; side < 2; side++)
    {
        double road = side ? HALF_ROAD : -HALF_ROAD, kerb = side ? HALF_ROAD + KERB : -HALF_ROAD - KERB;
        cut.road[side] = sac_car_see_corner(c, x + road * to_x, y + road * to_y);
        cut.kerb[side] = sac_car_see_corner(c, x + kerb * to_x, y + kerb * to_y);
    }
    double right = c->cosine * to_x - c->sine * to_y, up = c->sine * to_x + c->cosine * to_y;
    cut.x = (float)(c->scale_x * c->zoom * right);
    cut.y = (float)(c->scale_y * c->zoom * -up);
    cut.grow = (float)growth(c, right, up);
    cut.ends = (float)growth(c, up, right);
    return cut;
}

static car_point beside(const road_cut *cut, car_point at, float distance)
{
    return (car_point){at.x + distance * cut->x, at.y + distance * cut->y};
}

/// A corner of the road or a kerb at side 0 (left) or 1, moved outwards.
static car_point corner(const road_cut *cut, const car_point sides[2], int side)
{
    return beside(cut, sides[side], side ? cut->grow : -cut->grow);
}

/// The road's corner at a side, moved towards its middle: there a kerb begins.
static car_point inner_corner(const road_cut *cut, int side)
{
    return beside(cut, cut->road[side], side ? -cut->grow : cut->grow);
}

static car_edge edge(car_point a, car_point b, float weight, float shade)
{
    return (car_edge){a.x, a.y, b.x, b.y, weight, shade};
}

static car_point moved(car_point at, car_point by)
{
    return (car_point){at.x + by.x, at.y + by.y};
}

/// A kerb at tile `i`, over the road's side.
static void add_kerb(car_picture *p, const car_track *t, int i, const road_cut *cut, const road_cut *last,
                     const car_look *look)
{
    const double(*tile)[2] = t->tile[i];
    double side_x = t->border[i][0][0] - t->x[i], side_y = t->border[i][0][1] - t->y[i];
    bool right = side_x * (tile[1][0] - tile[0][0]) + side_y * (tile[1][1] - tile[0][1]) > 0;
    bool red = i % 2 == 1;

    // its ends reach beyond the cuts, but the next kerb is drawn over this one
    bool followed = t->has_border[i + 1 < t->count ? i + 1 : 0];
    car_point step = {(cut->middle.x - last->middle.x) / (float)NODE_STEP,
                      (cut->middle.y - last->middle.y) / (float)NODE_STEP};
    float to_front = followed ? -cut->ends : cut->ends;
    car_point front = {step.x * to_front, step.y * to_front}, back = {-step.x * last->ends, -step.y * last->ends};

    for (int part = 0; part < 2; part++) // what the kerb covers beyond the road; what it colours
    {
        car_point a = part == 0 ? corner(cut, cut->road, right) : inner_corner(cut, right);
        car_point d = part == 0 ? corner(last, last->road, right) : inner_corner(last, right);
        car_point b = corner(cut, cut->kerb, right), c = corner(last, last->kerb, right);
        a = moved(a, front), b = moved(b, front), c = moved(c, back), d = moved(d, back);
        car_point clockwise[] = {a, b, c, d}, other[] = {b, a, d, c};
        const car_point *corners = right ? clockwise : other;
        if (part == 0)
            sac_car_add_polygon(p, &p->layers.road, corners, 4, 1);
        else
        {
            sac_car_add_polygon(p, &p->layers.shade, corners, 4, (red ? 0 : look->white) - look->grey);
            if (red) sac_car_add_polygon(p, &p->layers.red, corners, 4, look->white);
        }
    }
    if (red) p->layers.has_red = true;
}

/// The colour of tile i above the plain road's.
static float shade_of(const car_scene *scene, int i)
{
    static const float shades[] = {0, 2, 5};
    return scene->touched[i] ? 0 : shades[i % 3];
}

/// The road as it is being drawn: a run of neighbouring tiles in view. Neighbours share an edge, so only the
/// difference of their shades is drawn there.
typedef struct road_run
{
    car_picture *picture;
    float shade;    ///< of the last tile; meaningful while open
    bool open;      ///< the last tile was drawn, and its front edge is not yet
    road_cut front; ///< where the last tile ends
    int count;      ///< of runs so far
} road_run;

/// Draw across the road at run->front: the change from what lies ahead to what lies behind.
static void add_across(const road_run *run, float road, float shade)
{
    const car_layers *l = &run->picture->layers;
    car_edge across =
        edge(corner(&run->front, run->front.road, 0), corner(&run->front, run->front.road, 1), road, shade);
    if (road != 0)
        run->picture->raster->add_two(&l->road, &l->shade, &across, 1);
    else if (shade != 0)
    {
        across.weight = shade;
        run->picture->raster->add(&l->shade, &across, 1);
    }
}

static void end_run(road_run *run)
{
    if (run->open) add_across(run, 1, run->shade);
    run->open = false;
}

/// Tile i, from the cut where the last one ended to the next.
static void add_tile(road_run *run, const car_scene *scene, int i, const road_cut *next, const car_look *look)
{
    car_picture *p = run->picture;
    const road_cut *front = &run->front;
    bool kerb = scene->track->has_border[i];
    const car_point *far_sides = kerb ? next->kerb : next->road, *near_sides = kerb ? front->kerb : front->road;
    car_point bounds[] = {corner(next, far_sides, 0), corner(next, far_sides, 1), corner(front, near_sides, 1),
                          corner(front, near_sides, 0)};
    if (!in_view(p, bounds, 4))
    {
        end_run(run);
        return;
    }
    float shade = shade_of(scene, i);
    add_across(run, run->open ? 0 : -1, run->open ? run->shade - shade : -shade);
    run->count += !run->open;
    run->open = true;
    run->shade = shade;

    car_edge sides[] = {edge(corner(next, next->road, 1), corner(front, front->road, 1), 1, shade),
                        edge(corner(front, front->road, 0), corner(next, next->road, 0), 1, shade)};
    if (shade == 0)
        p->raster->add(&p->layers.road, sides, 2);
    else
        p->raster->add_two(&p->layers.road, &p->layers.shade, sides, 2);
    if (kerb) add_kerb(p, scene->track, i, next, front, look);
}

static void draw_road(car_picture *p, const car_scene *scene, const car_camera *c, const view_bounds *b,
                      const car_look *look)
{
    const car_track *t = scene->track;
    // a tile reaches as far from its node as the gap where the lap closes
    double reach = b->radius + 14;
    road_run run = {.picture = p};
    bool first = false;
    for (int i = 0, last = -2; i < t->count;)
    {
        double dx = t->x[i] - b->x, dy = t->y[i] - b->y, square = dx * dx + dy * dy;
        if (square > reach * reach)
        {
            // nodes are NODE_STEP apart: so many steps on cannot be in reach yet
            int steps = (int)((sqrt(square) - reach) / NODE_STEP);
            i += steps > 1 ? steps : 1;
            end_run(&run);
            continue;
        }
        if (last != i - 1) run.front = cut_at(t, c, i > 0 ? i - 1 : t->count - 1);
        road_cut next = cut_at(t, c, i);
        add_tile(&run, scene, i, &next, look);
        if (i == 0) first = run.open;
        run.front = next;
        last = i++;
    }
    // two parts of the lap in view may cross; the lap's two ends do not
    int parts = run.count - (first && run.open);
    end_run(&run);
    if (parts > 1) p->layers.plain = false;
}

static void draw_side_road(car_picture *p, const car_scene *scene, const car_camera *c)
{
    static const float aside = 20;
    const car_track *t = scene->track;
    float near_side = aside - (float)HALF_ROAD, far_side = aside + (float)HALF_ROAD;
    road_cut last = cut_at(t, c, t->count - 1);
    for (int i = 0; i < t->count; i++)
    {
        road_cut next = cut_at(t, c, i);
        car_point corners[] = {beside(&next, next.middle, near_side), beside(&next, next.middle, far_side),
                               beside(&last, last.middle, far_side), beside(&last, last.middle, near_side)};
        last = next;
        if (!in_view(p, corners, 4)) continue;
        // In a sharp bend to the second road's side its far edge runs backwards.
        float area = (corners[2].x - corners[0].x) * (corners[3].y - corners[1].y) -
                     (corners[3].x - corners[1].x) * (corners[2].y - corners[0].y);
        sac_car_add_polygon(p, &p->layers.side_road, corners, 4, area > 0 ? 1 : -1);
    }
}

void sac_car_draw_field(car_picture *p, const car_scene *scene, const car_camera *c, const car_look *look)
{
    view_bounds b = bounds_of(p, c);
    bool edge = b.low[0] < -FIELD || b.low[1] < -FIELD || b.high[0] > FIELD || b.high[1] > FIELD;
    p->layers.plain = !edge && !look->mixed && !look->side_road;
    p->layers.has_red = false;
    p->layers.has_side_road = look->side_road;
    draw_grass(p, c, &b);
    if (look->side_road) draw_side_road(p, scene, c);
    draw_road(p, scene, c, &b, look);
    if (!p->layers.plain) add_square(p, &p->layers.field, c, -FIELD, -FIELD, 2 * FIELD);
}
