#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/carracing/picture_parts.h"

/// The indicator bar under the field: speed, wheel speeds, steering, yaw rate, and the reward so far. Lengths are in
/// units of the 1000 x 800 scene.

enum
{
    PLACE = 25,
    STEP = 20,
    BARS = 7
};

typedef struct rectangle
{
    double x0, y0, x1, y1;
} rectangle;

typedef struct indicator
{
    rectangle box; ///< empty when not drawn
    float colour[3];
} indicator;

struct car_bar
{
    int row, rows; ///< of the picture
    float *cells;  ///< [rows, width, 3]
};

sac_status sac_car_bar_create(struct car_bar **out, const car_picture *p)
{
    *out = NULL;
    struct car_bar *bar = SAC_NEW(struct car_bar);
    if (!bar) return sac_fail_memory("a picture");
    bar->row = p->layers.road.height;
    bar->rows = p->height - bar->row;
    bar->cells = SAC_NEW_ARRAY(float, (size_t)bar->rows *(size_t)p->width * 3);
    *out = bar;
    return bar->cells ? SAC_OK : sac_fail_memory("a picture");
}

void sac_car_bar_destroy(struct car_bar *bar)
{
    if (!bar) return;
    sac_free(bar->cells);
    sac_free(bar);
}

static double inclusive(double low, double high, double *end)
{
    // coordinates are cut to whole units, and both ends are drawn
    *end = sac_car_greater(trunc(low), trunc(high)) + 1;
    return sac_car_lesser(trunc(low), trunc(high));
}

static indicator upright(int place, double value, float red, float green, float blue)
{
    indicator i = {.colour = {red, green, blue}};
    if (fabs(value) <= 0) return i;
    i.box.x0 = inclusive(place * PLACE, (place + 1) * PLACE, &i.box.x1);
    i.box.y0 = inclusive(SCENE_HEIGHT - STEP - STEP * value, SCENE_HEIGHT - STEP, &i.box.y1);
    return i;
}

static indicator lying(int place, double value, float red, float green, float blue)
{
    indicator i = {.colour = {red, green, blue}};
    if (fabs(value) <= 0) return i;
    i.box.x0 = inclusive(place * PLACE, (place + value) * PLACE, &i.box.x1);
    i.box.y0 = inclusive(SCENE_HEIGHT - 4 * STEP, SCENE_HEIGHT - 2 * STEP, &i.box.y1);
    return i;
}

/// A value too small to be drawn becomes 0.
static double seen(double value)
{
    return fabs(value) > 1e-4 ? value : 0;
}

static void list_indicators(const car_scene *s, indicator out[BARS])
{
    double vx = s->hull.vx, vy = s->hull.vy;
    out[0] = upright(5, 0.02 * seen(sqrt(vx * vx + vy * vy)), 255, 255, 255);
    out[1] = upright(7, 0.01 * seen(s->wheel_omega[0]), 0, 0, 255);
    out[2] = upright(8, 0.01 * seen(s->wheel_omega[1]), 0, 0, 255);
    out[3] = upright(9, 0.01 * seen(s->wheel_omega[2]), 51, 0, 255);
    out[4] = upright(10, 0.01 * seen(s->wheel_omega[3]), 51, 0, 255);
    out[5] = lying(20, -10 * seen(s->joint_angle), 0, 255, 0);
    out[6] = lying(30, -0.8 * seen(s->hull.omega), 255, 0, 0);
}

/// Add a colour times the area of a rectangle to the cells that it covers.
static void add_rectangle(const car_picture *p, const rectangle *box, const float colour[3], float weight)
{
    const struct car_bar *bar = p->bar;
    double x0 = sac_car_greater(p->left + box->x0 * p->scale_x, 0),
           x1 = sac_car_lesser(p->left + box->x1 * p->scale_x, p->width);
    double y0 = sac_car_greater(p->top + box->y0 * p->scale_y - bar->row, 0);
    double y1 = sac_car_lesser(p->top + box->y1 * p->scale_y - bar->row, bar->rows);
    for (int y = (int)y0; y < y1; y++)
        for (int x = (int)x0; x < x1; x++)
        {
            double area = (sac_car_lesser(x1, x + 1) - sac_car_greater(x0, x)) *
                          (sac_car_lesser(y1, y + 1) - sac_car_greater(y0, y));
            float *cell = bar->cells + ((size_t)y * (size_t)p->width + (size_t)x) * 3;
            for (int c = 0; c < 3; c++) cell[c] += (float)area * weight * colour[c];
        }
}

static rectangle overlap(const rectangle *a, const rectangle *b)
{
    rectangle r = {sac_car_greater(a->x0, b->x0), sac_car_greater(a->y0, b->y0), sac_car_lesser(a->x1, b->x1),
                   sac_car_lesser(a->y1, b->y1)};
    if (r.x1 <= r.x0 || r.y1 <= r.y0) return (rectangle){0};
    return r;
}

void sac_car_draw_bar(const car_picture *p, const car_scene *scene, uint8_t *rgb)
{
    const struct car_bar *bar = p->bar;
    size_t count = (size_t)bar->rows * (size_t)p->width * 3;
    memset(bar->cells, 0, sizeof(float) * count);

    indicator indicators[BARS];
    list_indicators(scene, indicators);
    for (int i = 0; i < BARS; i++)
    {
        add_rectangle(p, &indicators[i].box, indicators[i].colour, 1);
        // neighbours share a unit, which belongs to the later one
        if (i + 1 == BARS) continue;
        rectangle shared = overlap(&indicators[i].box, &indicators[i + 1].box);
        add_rectangle(p, &shared, indicators[i].colour, -1);
    }

    uint8_t *out = rgb + (size_t)bar->row * (size_t)p->width * 3;
    float offset = p->style == CAR_STYLE_AGENT ? -1.01f : 0.5f;
    for (size_t i = 0; i < count; i++)
    {
        float value = bar->cells[i] + offset;
        out[i] = (uint8_t)(int)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}
