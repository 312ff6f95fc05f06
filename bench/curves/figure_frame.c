#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "curves/attention.h"
#include "curves/figures.h"
#include "saccade/camera.h"

/// Choromanski et al. 2021 (Unlocking Pixels), figure 1: the mean time of a forward pass with brute-force softmax,
/// ReLU, and hybrid (m, r). The frame has 100 x 100 pixels and 625 patches of 4, of which the best 5 are kept; keys
/// have width 4, as in the agent that the paper starts from. Pixels are noise, so that no two patches are equal.

enum
{
    SIDE = 100,
    PATCH = 4,
    INPUTS = PATCH * PATCH * 3,
    KEYS = 4,
    TOP = 5,
    MOST_TOKENS = 640,
    VARIANTS = 6,
};

typedef struct variant
{
    const char *name, *form;
    int m, r;
} variant;

static const variant variants[VARIANTS] = {
    {"brute-force softmax", "softmax", 0, 0}, {"ReLU", "relu", 16, 0},
    {"hybrid (5, 5)", "hybrid", 5, 5},        {"hybrid (10, 5)", "hybrid", 10, 5},
    {"hybrid (10, 10)", "hybrid", 10, 10},    {"hybrid (20, 10)", "hybrid", 20, 10},
};

typedef struct pass
{
    sac_image image;
    sac_camera *camera;         // of the linear forms
    sac_projection *projection; // of softmax, which wants all tokens at once
    sac_attention *attention;
    int count, top[TOP];
    float tokens[2 * KEYS * MOST_TOKENS], importance[MOST_TOKENS];
    float weights[2 * KEYS * INPUTS];
    uint8_t pixels[SIDE * SIDE * 3];
    void *workspace;
} pass;

static void forward(void *self)
{
    pass *p = self;
    if (p->camera)
    {
        sac_camera_importance(p->camera, p->importance, &p->image, p->workspace);
        sac_camera_top(p->camera, p->top, TOP, p->importance);
        return;
    }
    sac_projection_run(p->projection, p->tokens, MOST_TOKENS, &p->image, p->workspace);
    sac_attention_importance(p->attention, p->importance, p->tokens, p->tokens + KEYS * MOST_TOKENS, p->count,
                             MOST_TOKENS, p->workspace);
    sac_attention_top(p->attention, p->top, TOP, p->importance, p->count);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static sac_status create_exact(pass *p, const sac_attention_def *attention, size_t *size)
{
    sac_projection_def def = sac_projection_default_def();
    def.height = def.width = SIDE, def.channels = 3, def.patch = def.stride = PATCH;
    def.outputs = 2 * KEYS, def.weights = p->weights;
    SAC_TRY(sac_projection_create(&p->projection, &def));
    p->count = sac_projection_grid(p->projection).count;
    SAC_TRY(sac_attention_create(&p->attention, attention));
    *size = larger(sac_projection_workspace_size(p->projection), sac_attention_workspace_size(p->attention, p->count));
    return SAC_OK;
}

static sac_status create_linear(pass *p, const sac_attention_def *attention, size_t *size)
{
    sac_camera_def def = sac_camera_default_def();
    def.attention = *attention;
    def.height = def.width = SIDE, def.channels = 3, def.patch = def.stride = PATCH;
    def.query_weights = p->weights, def.key_weights = p->weights + KEYS * INPUTS;
    SAC_TRY(sac_camera_create(&p->camera, &def));
    *size = sac_camera_workspace_size(p->camera);
    return SAC_OK;
}

static sac_status create(pass *p, const variant *v)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = v->form;
    def.key_size = KEYS;
    if (v->m > 0) def.feature_count = v->m;
    if (v->r > 0) def.direction_count = v->r;
    for (int i = 0; i < 2 * KEYS * INPUTS; i++) p->weights[i] = 0.2f * bench_number(0, (size_t)i);
    for (int i = 0; i < SIDE * SIDE * 3; i++) p->pixels[i] = (uint8_t)(127.5f + 73 * bench_number(1, (size_t)i));
    p->image = sac_image_of(p->pixels, SIDE, SIDE, 3, SAC_PIXELS_PLAIN);
    size_t size;
    SAC_TRY((v->m == 0 ? create_exact : create_linear)(p, &def, &size));
    p->workspace = sac_alloc(size);
    return p->workspace ? SAC_OK : sac_fail_memory("a frame");
}

static void destroy(pass *p)
{
    sac_camera_destroy(p->camera);
    sac_projection_destroy(p->projection);
    sac_attention_destroy(p->attention);
    sac_free(p->workspace);
}

sac_status bench_draw_frame(const char *folder)
{
    static pass p; // one thread benches
    bench_curve bars[VARIANTS];
    puts("one forward pass, 100 x 100 pixels, patches of 4, microseconds\n                          mean        best");
    for (int i = 0; i < VARIANTS; i++)
    {
        memset(&p, 0, sizeof p);
        bench_latency latency = {0};
        sac_status status = create(&p, &variants[i]);
        if (status == SAC_OK) latency = bench_time(forward, &p, 0.2);
        destroy(&p);
        if (status != SAC_OK) return status;
        printf("%-20s %10.4g  %10.4g\n", variants[i].name, latency.mean, latency.best);
        bench_curve_begin(&bars[i], variants[i].name, i);
        bars[i].line.bars = true;
        bench_curve_add(&bars[i], i + 1, latency.p50);
    }
    puts("");
    sac_plot plot = {.title = "Forward pass of attention over 625 patches",
                     .subtitle = "100 x 100 pixels, patches of 4, from bytes to the best 5; one core, median",
                     .y_label = "microseconds",
                     .from_zero = true};
    return bench_curves_draw(plot, bars, VARIANTS, folder, "iap-inference.svg");
}
