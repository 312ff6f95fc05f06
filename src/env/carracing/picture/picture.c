#include "env/carracing/picture/picture.h"

#include <math.h>

#include "base/error.h"
#include "base/level.h"
#include "base/memory.h"
#include "env/carracing/picture/picture_parts.h"
#include "env/carracing/picture/variant_parts.h"

const car_raster *sac_car_raster(void)
{
    return SAC_AT_LEVEL(&sac_car_raster);
}

// CarRacing._render: the camera follows the car, turned so that it drives upwards, and zooms in during the first
// second.
static car_camera camera_of(const car_picture *p, const car_scene *scene)
{
    double time = scene->time;
    car_camera c = {.x = scene->hull.x,
                    .y = scene->hull.y,
                    .scale_x = p->scale_x,
                    .scale_y = p->scale_y,
                    .left = p->left,
                    .top = p->top,
                    .whole_units = p->style == CAR_STYLE_AGENT};
    // The zoom goes from far away to near within the first second.
    c.zoom = 0.6 * sac_car_greater(1 - time, 0) + 16.2 * sac_car_lesser(time, 1);
    double vx = scene->hull.vx, vy = scene->hull.vy, speed = sqrt(vx * vx + vy * vy);
    if (scene->follow_velocity && speed > 0.5)
        c.cosine = vy / speed, c.sine = vx / speed;
    else
        sac_car_turn(-(double)scene->hull.angle, &c.sine, &c.cosine);
    return c;
}

static bool plane_create(car_plane *plane, int width, int height, int stride)
{
    *plane =
        (car_plane){SAC_NEW_ARRAY(float, (size_t)(height + CAR_SPARE_ROWS) * (size_t)stride), width, height, stride};
    return plane->cells != NULL;
}

/// The box around the car: 3.5 world units to each side at the nearest zoom.
static bool figure_create(car_picture *p)
{
    double reach = 3.5 * 16.2, x = p->left + CAR_X * p->scale_x, y = p->top + CAR_Y * p->scale_y;
    int left = (int)(x - reach * p->scale_x) / 16 * 16, right = (int)(x + reach * p->scale_x) + 1;
    int top = (int)(y - reach * p->scale_y), bottom = (int)(y + reach * p->scale_y) + 1;
    int stride = (right - left + 15) / 16 * 16, height = bottom - top;
    p->figure.column = left;
    p->figure.row = top;
    return plane_create(&p->figure.wheel, right - left, height, stride) &&
           plane_create(&p->figure.stripe, right - left, height, stride) &&
           plane_create(&p->figure.hull, right - left, height, stride);
}

static bool layers_create(car_picture *p)
{
    int stride = (p->width + 15) / 16 * 16;
    int rows = (int)(p->top + BAR_Y * p->scale_y + 0.5);
    car_layers *l = &p->layers;
    car_plane *const planes[] = {&l->road, &l->shade, &l->red, &l->square, &l->field, &l->side_road};
    for (int i = 0; i < 6; i++)
        if (!plane_create(planes[i], p->width, rows, stride)) return false;
    return true;
}

sac_status sac_car_picture_create(car_picture **out, int height, int width, car_style style)
{
    *out = NULL;
    if (height < 32 || height > 4096 || width < 32 || width > 4096)
        return sac_fail(SAC_ERROR_ARGUMENT, "car-racing: a picture of %d x %d, expected sides of 32 to 4096", width,
                        height);
    car_picture *p = SAC_NEW(car_picture);
    if (!p) return sac_fail_memory("a picture");
    p->height = height;
    p->width = width;
    p->style = style;
    p->raster = sac_car_raster();
    p->scale_x = (double)width / SCENE_WIDTH;
    p->scale_y = (double)height / SCENE_HEIGHT;
    if (style == CAR_STYLE_PEOPLE)
    {
        // Proportions are kept, and the scene stands in the middle of the bottom.
        p->scale_x = p->scale_y = sac_car_lesser(p->scale_x, p->scale_y);
        p->left = 0.5 * (width - SCENE_WIDTH * p->scale_x);
        p->top = height - SCENE_HEIGHT * p->scale_y;
    }
    sac_status status = figure_create(p) && layers_create(p) ? SAC_OK : sac_fail_memory("a picture");
    if (status == SAC_OK) status = sac_car_bar_create(&p->bar, p);
    if (status != SAC_OK)
    {
        sac_car_picture_destroy(p);
        return status;
    }
    *out = p;
    return SAC_OK;
}

void sac_car_picture_destroy(car_picture *p)
{
    if (!p) return;
    car_layers *l = &p->layers;
    float *const cells[] = {l->road.cells,         l->shade.cells,         l->red.cells,
                            l->square.cells,       l->field.cells,         l->side_road.cells,
                            p->figure.wheel.cells, p->figure.stripe.cells, p->figure.hull.cells};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) sac_free(cells[i]);
    sac_car_bar_destroy(p->bar);
    sac_free(p);
}

// The picture is built in layers of coverage, each a plane of floats, and colours are mixed once, at the end: field and
// road, then the car, then what a variant draws above all, then the bar of instruments.
void sac_car_draw(car_picture *p, const car_scene *scene, const car_variant *variant, uint8_t *rgb)
{
    bool agent = p->style == CAR_STYLE_AGENT;
    float lost = sac_car_lost(p);
    car_inks inks = {.grass = {102 - lost, 204 - lost, 102 - lost},
                     .square = {0, 26, 0},
                     .road = {102 - lost, 102 - lost, 102 - lost},
                     .side_road = {102 - lost, 102 - lost, 127.5f - lost},
                     .wheel = 0,
                     .stripe = 77 - lost,
                     .hull = {204 - lost, 0, 0},
                     .offset = sac_car_offset(p)};
    sac_car_variant_ink(variant, &inks);
    car_camera camera = camera_of(p, scene);
    car_look look = {.grey = inks.road[0],
                     .white = 255 - lost,
                     .mixed = variant && variant->kind == CAR_VARIANT_COLOR,
                     .side_road = variant && variant->kind == CAR_VARIANT_FAKE_LANE};
    sac_car_draw_field(p, scene, &camera, &look);
    (agent ? sac_car_draw_exact_figure : sac_car_draw_smooth_figure)(p, scene, &camera);
    p->raster->compose(&p->layers, &p->figure, &inks, rgb);
    sac_car_variant_overlay(variant, p, scene, &camera, rgb);
    sac_car_draw_bar(p, scene, rgb);
}

void sac_car_draw_on(car_picture *p, const car_picture *paper, const car_scene *scene, const car_variant *variant,
                     uint8_t *rgb)
{
    car_layers layers = p->layers;
    car_plane wheel = p->figure.wheel, stripe = p->figure.stripe;
    if (paper->width == p->width && paper->height == p->height && paper->style == p->style)
    {
        // Drawing leaves the layers clear and begins by clearing these two. The hull's plane is kept from picture to
        // picture.
        p->layers = paper->layers;
        p->figure.wheel = paper->figure.wheel;
        p->figure.stripe = paper->figure.stripe;
    }
    sac_car_draw(p, scene, variant, rgb);
    p->layers = layers;
    p->figure.wheel = wheel;
    p->figure.stripe = stripe;
}
