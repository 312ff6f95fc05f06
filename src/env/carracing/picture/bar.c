#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/carracing/picture/glyph.h"
#include "env/carracing/picture/picture_parts.h"

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
    int row, rows;   ///< of the picture
    float *cells;    ///< [rows, width, 3], zero between pictures
    uint8_t *ground; ///< [rows, width, 3]: the reward on black
    car_plane text;  ///< coverage by the reward's digits
    double shown;    ///< the reward in `ground`
};

enum
{
    TEXT_MIDDLE = 60,
    TEXT_Y = 727
};

sac_status sac_car_bar_create(struct car_bar **out, const car_picture *p)
{
    struct car_bar *bar = *out = SAC_NEW(struct car_bar);
    if (!bar) return sac_fail_memory("a picture");
    bar->row = p->layers.road.height;
    bar->rows = p->height - bar->row;
    bar->shown = NAN;
    int width = (int)(p->left + 2 * TEXT_MIDDLE * p->scale_x) + 1, stride = (width + 15) / 16 * 16;
    bar->text = (car_plane){SAC_NEW_ARRAY(float, (size_t)(bar->rows + CAR_SPARE_ROWS) * (size_t)stride), width,
                            bar->rows, stride};
    bar->cells = SAC_NEW_ARRAY(float, 3 * (size_t)bar->rows * (size_t)p->width);
    bar->ground = SAC_NEW_ARRAY(uint8_t, (size_t)bar->rows * (size_t)p->width * 3);
    return bar->cells && bar->ground && bar->text.cells ? SAC_OK : sac_fail_memory("a picture");
}

void sac_car_bar_destroy(struct car_bar *bar)
{
    if (!bar) return;
    sac_free(bar->cells);
    sac_free(bar->ground);
    sac_free(bar->text.cells);
    sac_free(bar);
}

/// Write the reward, when it is another one than last time.
static void write_reward(const car_picture *p, double reward)
{
    struct car_bar *bar = p->bar;
    double shown = nearbyint(reward);
    if (shown == bar->shown && signbit(shown) == signbit(bar->shown)) return;
    bar->shown = shown;
    char text[32];
    snprintf(text, sizeof text, "%04.0f", sac_car_lesser(sac_car_greater(shown, -99999), 99999));

    const car_plane *plane = &bar->text;
    memset(plane->cells, 0, sizeof(float) * (size_t)(plane->height + CAR_SPARE_ROWS) * (size_t)plane->stride);
    double left = TEXT_MIDDLE - floor(sac_glyph_width(text) / 2);
    glyph_place place = {p->left + left * p->scale_x, p->top + TEXT_Y * p->scale_y - bar->row, p->scale_x, p->scale_y};
    sac_glyph_add(p->raster, plane, text, &place);
    p->raster->settle(plane);
    for (int y = 0; y < plane->height; y++)
        for (int x = 0; x < plane->width; x++)
            memset(bar->ground + ((size_t)y * (size_t)p->width + (size_t)x) * 3,
                   sac_car_byte(p, (255 - sac_car_lost(p)) * plane->cells[y * plane->stride + x]), 3);
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

/// A rectangle in pixels of the bar, cut to it.
static rectangle in_pixels(const car_picture *p, const rectangle *box)
{
    const struct car_bar *bar = p->bar;
    double top = p->top - bar->row;
    return (rectangle){sac_car_greater(p->left + box->x0 * p->scale_x, 0),
                       sac_car_greater(top + box->y0 * p->scale_y, 0),
                       sac_car_lesser(p->left + box->x1 * p->scale_x, p->width),
                       sac_car_lesser(top + box->y1 * p->scale_y, bar->rows)};
}

/// Add a colour times the area of a rectangle to the cells that it covers.
static void add_rectangle(const car_picture *p, const rectangle *box, const float colour[3], float weight)
{
    rectangle r = in_pixels(p, box);
    for (int y = (int)r.y0; y < r.y1; y++)
    {
        float height = weight * (float)(sac_car_lesser(r.y1, y + 1) - sac_car_greater(r.y0, y));
        float *row = p->bar->cells + (size_t)y * (size_t)p->width * 3;
        for (int x = (int)r.x0; x < r.x1; x++)
        {
            float area = height * (float)(sac_car_lesser(r.x1, x + 1) - sac_car_greater(r.x0, x));
            for (int c = 0; c < 3; c++)
                if (colour[c] > 0) row[3 * x + c] += area * (colour[c] - sac_car_lost(p));
        }
    }
}

/// Move the cells of a rectangle into the picture, leaving zeros. Cells that are zero already are left alone, since
/// neighbours share some.
static void show_rectangle(const car_picture *p, const rectangle *box, uint8_t *rgb)
{
    rectangle r = in_pixels(p, box);
    for (int y = (int)r.y0; y < r.y1; y++)
        for (size_t i = ((size_t)y * (size_t)p->width + (size_t)r.x0) * 3;
             i < ((size_t)y * (size_t)p->width + (size_t)ceil(r.x1)) * 3; i++)
        {
            float *cell = &p->bar->cells[i];
            if (*cell != 0) rgb[i] = sac_car_byte(p, *cell);
            *cell = 0;
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
    write_reward(p, scene->shown_reward);
    rgb += (size_t)bar->row * (size_t)p->width * 3;
    memcpy(rgb, bar->ground, (size_t)bar->rows * (size_t)p->width * 3);

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
    for (int i = 0; i < BARS; i++) show_rectangle(p, &indicators[i].box, rgb);
}
