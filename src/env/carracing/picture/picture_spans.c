#include <math.h>
#include <string.h>

#include "env/carracing/picture/picture_parts.h"
#include "env/carracing/trig.h"

/// The car in the agent's picture, unit for unit as Gymnasium draws it: corners are cut to whole units of the 1000 x
/// 800 scene, and polygons filled by spans that include both ends. The spans' areas then go into the picture's pixels.

enum
{
    ROWS = CAR_SPAN_ROWS,
    FIRST_ROW = SCENE_HEIGHT - CAR_Y - ROWS / 2
};

/// A convex polygon's span on each row that it touches. Rows count upwards from the scene's bottom.
typedef struct outline
{
    int first, last;             ///< rows from FIRST_ROW on; none when first > last
    short low[ROWS], high[ROWS]; ///< columns, both included
} outline;

/// A body's corner in the scene, cut to units: first in float as Box2D places it, then in double as the camera does.
static void place(const car_camera *c, const car_body *body, float sine, float cosine, const float corner[2],
                  int out[2])
{
    float x = (cosine * corner[0] - sine * corner[1]) + body->x, y = (sine * corner[0] + cosine * corner[1]) + body->y;
    double dx = x - c->x, dy = y - c->y;
    out[0] = (int)(CAR_X + c->zoom * (c->cosine * dx - c->sine * dy));
    out[1] = (int)(SCENE_HEIGHT - CAR_Y + c->zoom * (c->sine * dx + c->cosine * dy));
}

/// Where an edge meets a row, as pygame.draw.polygon rounds it: the first one found down, the second one up.
static int meet(const int a[2], const int b[2], int row, int found)
{
    float offset = (float)((row - a[1]) * (b[0] - a[0])) / (float)(b[1] - a[1]);
    return a[0] + (int)(found % 2 == 0 ? floorf(offset) : ceilf(offset));
}

static void trace(const car_camera *c, const car_body *body, const car_part *part, outline *o)
{
    float sine, cosine;
    car_sin_cos(body->angle, &sine, &cosine);
    int at[8][2], low = SCENE_HEIGHT, high = 0;
    for (int i = 0; i < part->count; i++)
    {
        place(c, body, sine, cosine, part->corners[i], at[i]);
        low = at[i][1] < low ? at[i][1] : low;
        high = at[i][1] > high ? at[i][1] : high;
    }
    o->first = low > FIRST_ROW ? low - FIRST_ROW : 0;
    o->last = high < FIRST_ROW + ROWS ? high - FIRST_ROW : ROWS - 1;
    for (int row = o->first; row <= o->last; row++)
    {
        int y = row + FIRST_ROW, found = 0, left = SCENE_WIDTH, right = 0;
        for (int i = 0; i < part->count; i++)
        {
            const int *a = at[i > 0 ? i - 1 : part->count - 1], *b = at[i];
            if (a[1] == b[1] && low != high) continue;
            if (a[1] > b[1])
            {
                const int *swap = a;
                a = b, b = swap;
            }
            if (y < a[1] || (y >= b[1] && (y != high || b[1] != high))) continue;
            int x = low == high ? b[0] : meet(a, b, y, found);
            found++;
            left = x < left ? x : left;
            right = x > right ? x : right;
        }
        o->low[row] = (short)left;
        o->high[row] = (short)right;
    }
}

/// Add the area of the units low..high of a row to a plane.
static void add_span(const car_picture *p, const car_plane *plane, int row, int low, int high, float weight)
{
    if (low > high) return;
    // the picture's first row is the scene's last
    float y0 = (float)((SCENE_HEIGHT - 1 - (row + FIRST_ROW)) * p->scale_y - p->figure.row),
          y1 = y0 + (float)p->scale_y;
    float x0 = (float)(low * p->scale_x - p->figure.column), x1 = (float)((high + 1) * p->scale_x - p->figure.column);
    if (y0 < 0 || y1 > (float)plane->height || x0 < 0 || x1 > (float)plane->width) return;
    for (int y = (int)y0; (float)y < y1; y++)
    {
        float top = y0 > (float)y ? y0 : (float)y, bottom = y1 < (float)(y + 1) ? y1 : (float)(y + 1);
        float *cells = plane->cells + y * plane->stride;
        for (int x = (int)x0; (float)x < x1; x++)
        {
            float left = x0 > (float)x ? x0 : (float)x, right = x1 < (float)(x + 1) ? x1 : (float)(x + 1);
            cells[x] += weight * (bottom - top) * (right - left);
        }
    }
}

/// The hull's spans, joined where its polygons overlap.
static void trace_hull(car_picture *p, const car_scene *scene, const car_camera *c)
{
    struct car_spans *spans = &p->spans;
    outline parts[CAR_HULL_PARTS];
    for (int i = 0; i < CAR_HULL_PARTS; i++)
    {
        car_part part = sac_car_hull_part(i);
        trace(c, &scene->hull, &part, &parts[i]);
    }
    for (int row = 0; row < ROWS; row++)
    {
        int count = 0;
        for (int i = 0; i < CAR_HULL_PARTS; i++)
        {
            if (row < parts[i].first || row > parts[i].last) continue;
            short low = parts[i].low[row], high = parts[i].high[row];
            for (int k = 0; k < count;) // take in those that touch
            {
                short(*other)[2] = &spans->hull[row][k];
                if ((*other)[0] > high + 1 || (*other)[1] < low - 1)
                {
                    k++;
                    continue;
                }
                low = (*other)[0] < low ? (*other)[0] : low;
                high = (*other)[1] > high ? (*other)[1] : high;
                memcpy(other, &spans->hull[row][--count], sizeof *other);
            }
            spans->hull[row][count][0] = low;
            spans->hull[row][count++][1] = high;
        }
        spans->hull_count[row] = (unsigned char)count;
    }
}

static void draw_hull(car_picture *p, const car_scene *scene, const car_camera *c)
{
    // it stands still on the screen while zoom and turn do not change
    double sine, cosine;
    sac_car_turn(scene->hull.angle, &sine, &cosine);
    float key[] = {(float)c->zoom, (float)(c->cosine * cosine - c->sine * sine),
                   (float)(c->sine * cosine + c->cosine * sine)};
    if (memcmp(key, p->spans.hull_seen, sizeof key) == 0) return;
    memcpy(p->spans.hull_seen, key, sizeof key);
    sac_car_clear_plane(&p->figure.hull);
    trace_hull(p, scene, c);
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < p->spans.hull_count[row]; i++)
            add_span(p, &p->figure.hull, row, p->spans.hull[row][i][0], p->spans.hull[row][i][1], 1);
}

/// Add a span less what the hull hides of it.
static void add_visible(const car_picture *p, const car_plane *plane, int row, int low, int high)
{
    add_span(p, plane, row, low, high, 1);
    for (int i = 0; i < p->spans.hull_count[row]; i++)
    {
        const short *hull = p->spans.hull[row][i];
        add_span(p, plane, row, hull[0] > low ? hull[0] : low, hull[1] < high ? hull[1] : high, -1);
    }
}

void sac_car_draw_exact_figure(car_picture *p, const car_scene *scene, const car_camera *c)
{
    draw_hull(p, scene, c);
    sac_car_clear_plane(&p->figure.wheel);
    sac_car_clear_plane(&p->figure.stripe);
    car_part wheel = sac_car_wheel_part(), stripe;
    for (int i = 0; i < CAR_WHEELS; i++)
    {
        outline black, grey = {.first = ROWS, .last = -1};
        trace(c, &scene->wheel[i], &wheel, &black);
        if (sac_car_stripe_part(scene->wheel_phase[i], &stripe)) trace(c, &scene->wheel[i], &stripe, &grey);
        int first = black.first < grey.first ? black.first : grey.first;
        int last = black.last > grey.last ? black.last : grey.last;
        for (int row = first; row <= last; row++)
        {
            int low = SCENE_WIDTH, high = -1;
            if (row >= black.first && row <= black.last) low = black.low[row], high = black.high[row];
            if (row >= grey.first && row <= grey.last)
            {
                add_visible(p, &p->figure.stripe, row, grey.low[row], grey.high[row]);
                low = grey.low[row] < low ? grey.low[row] : low; // the stripe may stand out by a unit
                high = grey.high[row] > high ? grey.high[row] : high;
            }
            add_visible(p, &p->figure.wheel, row, low, high);
        }
    }
}
