#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "curves/attention.h"
#include "saccade/camera.h"

/// Rows of single figures: one form at one size, which the row's name gives, and a whole camera frame.

enum
{
    RUNS = 3,
    HEIGHT = 240,
    WIDTH = 320,
    PATCH = 2,
    INPUTS = PATCH * PATCH * 3,
    TOP = 10,
    PIXELS = 7, // kinds of bench_number, as in bench/peers/attention.py
    QUERY_WEIGHTS = 8,
    KEY_WEIGHTS = 9,
};

// Take the least disturbed of several runs.
static void keep(bench_figure *figure, const bench_latency *latency)
{
    bench_keep(figure, latency->best, false);
    if (figure->p50 > 0 && figure->p50 <= latency->p50) return;
    figure->p50 = latency->p50;
    figure->p99 = latency->p99;
}

sac_status bench_tokens(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    char name[24];
    int tokens;
    if (sscanf(place->row->name, "tokens-%23[a-z]-%d", name, &tokens) != 2 || !bench_form_named(name))
        return sac_fail(SAC_ERROR_ARGUMENT, "bench: row '%s' names no form of attention", place->row->name);
    bench_scene scene;
    SAC_TRY(bench_scene_create(&scene, bench_form_named(name), tokens));
    for (int run = 0; run < RUNS; run++)
    {
        bench_latency latency = bench_time(bench_scene_run, &scene, 0.3);
        keep(figure, &latency);
    }
    bench_scene_destroy(&scene);
    return SAC_OK;
}

// A camera that delivers one frame.
typedef struct eye
{
    sac_camera *camera;
    sac_image image;
    float *importance;
    void *workspace;
    int top[TOP];
} eye;

static void look(void *self)
{
    eye *e = self;
    sac_camera_importance(e->camera, e->importance, &e->image, e->workspace);
    sac_camera_top(e->camera, e->top, TOP, e->importance);
}

static sac_status create_camera(sac_camera **out)
{
    float weights[2][BENCH_KEY_SIZE * INPUTS];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < BENCH_KEY_SIZE * INPUTS; i++)
            weights[side][i] = bench_number(side ? KEY_WEIGHTS : QUERY_WEIGHTS, (size_t)i);
    sac_camera_def def = sac_camera_default_def();
    def.attention.form = "relu";
    def.attention.key_size = BENCH_KEY_SIZE;
    def.attention.feature_count = 0;
    def.height = HEIGHT, def.width = WIDTH, def.channels = 3;
    def.patch = def.stride = PATCH;
    def.query_weights = weights[0], def.key_weights = weights[1];
    return sac_camera_create(out, &def);
}

static sac_status measure_eye(eye *e, uint8_t *pixels, bench_figure *figure)
{
    e->importance = SAC_NEW_ARRAY(float, (size_t)sac_camera_grid(e->camera).count);
    e->workspace = sac_alloc(sac_camera_workspace_size(e->camera));
    if (!pixels || !e->importance || !e->workspace) return sac_fail_memory("a camera frame");
    for (int i = 0; i < HEIGHT * WIDTH * 3; i++)
        pixels[i] = (uint8_t)(127.5f + 73 * bench_number(PIXELS, (size_t)i)); // 73 sqrt(3) < 127
    e->image = sac_image_of(pixels, HEIGHT, WIDTH, 3, SAC_PIXELS_PLAIN);
    for (int run = 0; run < RUNS; run++)
    {
        bench_latency latency = bench_time(look, e, 0.3);
        keep(figure, &latency);
    }
    return SAC_OK;
}

sac_status bench_frame(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place, (void)own_peer;
    eye e = {0};
    SAC_TRY(create_camera(&e.camera));
    uint8_t *pixels = sac_alloc((size_t)HEIGHT * WIDTH * 3);
    sac_status status = measure_eye(&e, pixels, figure);
    sac_free(pixels);
    sac_free(e.importance);
    sac_free(e.workspace);
    sac_camera_destroy(e.camera);
    return status;
}
