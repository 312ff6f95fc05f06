#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "curves/attention.h"
#include "curves/figures.h"
#include "saccade/multi_head.h"
#include "saccade/tokens.h"

/// Leal et al. 2023 (SARA-RT), figures 6 and 8: the attention of encoders against the number of tokens, softmax beside
/// SARA's ReLU. Figure 6 shows the two layers of a point cloud transformer, 16 wide, with projections, attention and
/// residual. Figure 8 shows the attention of one layer of a vision transformer, with 12 heads of 64, over patches of 16
/// pixels.

enum
{
    MOST_LAYERS = 2,
    MOST_HEADS = 12,
};

typedef struct encoder
{
    int layers, heads, size; ///< size: of a head
    bool projects;           ///< queries, keys and values are products of the tokens
    int tokens, stride;
    const sac_attention *each[MOST_HEADS];
    sac_attention *attention;
    float *weights; ///< [3, width, width]
    float *given, *x, *planes, *out;
    void *workspace;
} encoder;

static void encode(void *self)
{
    encoder *e = self;
    sac_multi_head multi = {e->each, e->heads};
    int width = e->heads * e->size;
    size_t plane = (size_t)width * (size_t)e->stride;
    float *queries = e->planes, *keys = queries + plane, *values = keys + plane;
    if (e->projects) memcpy(e->x, e->given, (size_t)width * (size_t)e->stride * sizeof(float));
    for (int layer = 0; layer < e->layers; layer++)
    {
        if (e->projects) sac_linear(queries, e->stride, e->weights, NULL, 3 * width, e->x, width, e->tokens, e->stride);
        sac_multi_head_output(&multi, e->out, e->stride, queries, keys, values, e->size, e->tokens, e->stride,
                              e->workspace);
        if (e->projects) sac_tokens_add(e->x, e->stride, e->out, e->stride, width, e->tokens);
    }
}

static void destroy(encoder *e)
{
    sac_attention_destroy(e->attention);
    sac_free(e->weights);
    sac_free(e->given);
    sac_free(e->x);
    sac_free(e->planes);
    sac_free(e->out);
    sac_free(e->workspace);
}

static sac_status create(encoder *e, const char *form, int tokens)
{
    e->tokens = tokens;
    e->stride = ((tokens + 15) / 16 | 1) * 16;
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = def.feature_count = e->size;
    SAC_TRY(sac_attention_create(&e->attention, &def));
    for (int h = 0; h < e->heads; h++) e->each[h] = e->attention;
    size_t width = (size_t)e->heads * (size_t)e->size, plane = width * (size_t)e->stride;
    sac_multi_head multi = {e->each, e->heads};
    e->weights = SAC_NEW_ARRAY(float, 3 * width * width);
    e->given = SAC_NEW_ARRAY(float, plane);
    e->x = SAC_NEW_ARRAY(float, plane);
    e->planes = SAC_NEW_ARRAY(float, 3 * plane);
    e->out = SAC_NEW_ARRAY(float, plane);
    e->workspace = sac_alloc(sac_multi_head_workspace_size(&multi, tokens, e->size));
    bool has_all = e->weights && e->given && e->x && e->planes && e->out && e->workspace;
    if (!has_all) return sac_fail_memory("an encoder");
    for (size_t i = 0; i < 3 * width * width; i++) e->weights[i] = 0.1f * bench_number(0, i);
    for (size_t i = 0; i < plane; i++) e->given[i] = bench_number(1, i);
    for (size_t i = 0; i < 3 * plane; i++) e->planes[i] = bench_number(2, i);
    return SAC_OK;
}

// Measure the milliseconds of softmax and of SARA at one size.
static sac_status measure(const encoder *shape, int tokens, double at, bench_curve curves[2])
{
    static const char *const forms[] = {"softmax", "sara-relu"};
    bench_latency latency[2];
    for (int i = 0; i < 2; i++)
    {
        encoder e = *shape;
        sac_status status = create(&e, forms[i], tokens);
        if (status == SAC_OK) latency[i] = bench_time(encode, &e, 0.1);
        destroy(&e);
        if (status != SAC_OK) return status;
        bench_curve_add(&curves[i], at, latency[i].best / 1000);
    }
    printf("%8.0f %8d %12.4g %12.4g %8.1f x\n", at, tokens, latency[0].best / 1000, latency[1].best / 1000,
           latency[0].best / latency[1].best);
    return SAC_OK;
}

// larger sizes would take seconds, as they do without SIMD
static bool is_slow(const bench_curve *curve)
{
    return curve->line.count > 0 && curve->y[curve->line.count - 1] > 500;
}

static void begin(bench_curve curves[2])
{
    bench_curve_begin(&curves[0], "softmax", 0);
    bench_curve_begin(&curves[1], "SARA, ReLU", 1);
}

sac_status bench_draw_cloud(const char *folder)
{
    bench_curve curves[2];
    begin(curves);
    const encoder shape = {.layers = MOST_LAYERS, .heads = 1, .size = 16, .projects = true};
    puts("point cloud transformer of two layers, 16 wide, milliseconds\n  points   tokens      softmax         SARA");
    for (int points = 128; points <= 16384 && !is_slow(curves); points *= 2)
        SAC_TRY(measure(&shape, points, points, curves));
    puts("");
    sac_plot plot = {.title = "Encoder of point clouds",
                     .subtitle = "two layers of attention, 16 wide, one core",
                     .x_label = "points",
                     .y_label = "milliseconds",
                     .log_x = true,
                     .log_y = true};
    return bench_curves_draw(plot, curves, 2, folder, "sara-cloud.svg");
}

sac_status bench_draw_resolution(const char *folder)
{
    static const int sides[] = {112, 224, 336, 448, 672, 896};
    bench_curve curves[2];
    begin(curves);
    const encoder shape = {.layers = 1, .heads = MOST_HEADS, .size = 64};
    puts("attention of one layer of a vision transformer, 12 heads of 64, milliseconds\n"
         "    side   tokens      softmax         SARA");
    for (int i = 0; i < 6 && !is_slow(curves); i++)
        SAC_TRY(measure(&shape, sides[i] / 16 * (sides[i] / 16), sides[i], curves));
    puts("");
    sac_plot plot = {.title = "Attention in a vision transformer",
                     .subtitle = "one layer, 12 heads of 64, patches of 16 pixels, one core",
                     .x_label = "side of the image in pixels",
                     .y_label = "milliseconds",
                     .log_x = true,
                     .log_y = true};
    return bench_curves_draw(plot, curves, 2, folder, "sara-resolution.svg");
}
