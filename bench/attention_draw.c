#include <math.h>
#include <stdio.h>

#include "attention.h"
#include "base/error.h"
#include "figures.h"
#include "files/atomic.h"

/// The curves of a sweep: saccade as lines, the fastest peer as dots of the same colour.

static const char *const drawn[] = {"softmax", "hybrid", "trig", "positive", "sara-relu", "relu"};

enum
{
    DRAWN = sizeof drawn / sizeof *drawn
};

static const bench_point *fastest_peer(const bench_points *points, const char *form, int tokens)
{
    static const char *const peers[] = {"torch", "torch-default", "jax"};
    const bench_point *best = NULL;
    for (int i = 0; i < 3; i++)
    {
        const bench_point *p = bench_points_find(points, peers[i], form, tokens);
        if (p && (!best || p->latency.best < best->latency.best)) best = p;
    }
    return best;
}

static void add(bench_curve *curve, const bench_point *point, bool memory)
{
    if (!point) return;
    double value = memory ? point->memory / 1024 : point->latency.best;
    bench_curve_add(curve, point->tokens, value);
}

static sac_status draw(const bench_points *points, const char *folder, bool memory)
{
    bench_curve curves[2 * DRAWN];
    int count = 0;
    bench_curve *dots = NULL; // the last of them
    for (int i = 0; i < DRAWN; i++)
    {
        bench_curve *own = &curves[count++], *peer = &curves[count++];
        bench_curve_begin(own, drawn[i], i);
        bench_curve_begin(peer, NULL, i);
        peer->line.dots = true;
        for (const int *tokens = bench_sizes; *tokens; tokens++)
        {
            add(own, bench_points_find(points, "saccade", drawn[i], *tokens), memory);
            add(peer, fastest_peer(points, drawn[i], *tokens), memory);
        }
        if (peer->line.count > 0) dots = peer;
    }
    if (dots) dots->line.name = "dots: the faster of PyTorch and JAX";
    sac_plot plot = {.title = memory ? "Memory of attention" : "Time of attention",
                     .subtitle = memory ? "KiB beside inputs and results; importance, d = 16"
                                        : "microseconds of the best call; importance, d = 16, tokens given, one core",
                     .x_label = "tokens",
                     .log_x = true,
                     .log_y = true};
    return bench_curves_draw(plot, curves, count, folder, memory ? "attention-memory.svg" : "attention-time.svg");
}

sac_status bench_draw(const bench_points *points, const char *folder)
{
    SAC_TRY(sac_make_folders(folder));
    SAC_TRY(draw(points, folder, false));
    SAC_TRY(draw(points, folder, true));
    SAC_TRY(bench_draw_frame(folder));
    SAC_TRY(bench_draw_cloud(folder));
    return bench_draw_resolution(folder);
}
