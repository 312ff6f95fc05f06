#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench.h"

/// take-cover through the bridge: worlds of ViZDoom's engine, each in a worker process.

enum
{
    RUNS = 3,
    MOST = 2,
    STEPS = 3000,
    BYTES = 160 * 120 * 3
};

typedef struct worlds
{
    int count;
    sac_env *envs[MOST];
    sac_env_row rows[MOST];
    void *parts[MOST][SAC_MAX_PARTS];
    float actions[MOST];
    double rewards[MOST];
    uint8_t ends[MOST][2];
    uint8_t *pictures;
} worlds;

static sac_status open_worlds(worlds *w, int count)
{
    const sac_setting settings[] = {{"rules", "vizdoom"}, {"python", getenv("SACCADE_PEERS")}};
    *w = (worlds){.count = count, .pictures = sac_alloc((size_t)count * BYTES)};
    if (!w->pictures) return sac_fail_memory("pictures");
    sac_env_def def = {.id = "take-cover", .settings = settings, .setting_count = settings[1].value ? 2 : 1};
    for (int i = 0; i < count; i++)
    {
        SAC_TRY(sac_env_create(&w->envs[i], &def));
        w->parts[i][0] = w->pictures + (size_t)i * BYTES;
        w->rows[i] = (sac_env_row){&w->actions[i], w->parts[i], &w->rewards[i], &w->ends[i][0], &w->ends[i][1]};
    }
    return SAC_OK;
}

static void close_worlds(worlds *w)
{
    for (int i = 0; i < w->count; i++) sac_env_destroy(w->envs[i]);
    sac_free(w->pictures);
}

// Take the actions of bench/peers/doom.py. As there, only steps are timed.
static sac_status play(worlds *w, double *seconds)
{
    *seconds = 0;
    for (int i = 0; i < w->count; i++) SAC_TRY(sac_env_reset(w->envs[i], (uint64_t)i + 1, &w->rows[i]));
    for (int step = 0; step < STEPS; step++)
    {
        for (int i = 0; i < w->count; i++) w->actions[i] = (float)(step / 10 % 3);
        double begin = sac_clock();
        SAC_TRY(sac_env_step_batch(w->envs, w->rows, w->count));
        *seconds += sac_clock() - begin;
        for (int i = 0; i < w->count; i++)
            if (w->ends[i][0] || w->ends[i][1]) SAC_TRY(sac_env_reset(w->envs[i], SAC_SEED_NEXT, &w->rows[i]));
    }
    return SAC_OK;
}

static sac_status measure(bench_figure *figure, int count)
{
    worlds w;
    sac_status status = open_worlds(&w, count);
    for (int run = 0; status == SAC_OK && run < RUNS; run++)
    {
        double seconds;
        status = play(&w, &seconds);
        if (status == SAC_OK) bench_keep(figure, STEPS * count / seconds, true);
    }
    close_worlds(&w);
    return status;
}

sac_status bench_take_cover(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place, (void)own_peer;
    return measure(figure, 1);
}

sac_status bench_take_cover_workers(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    // One worker runs on the same core. Free on two cores, it would lose half of its speed to the communication between
    // them.
    bench_pin(place, true);
    sac_status status = measure(own_peer, 1);
    bench_pin(place, false);
    if (status == SAC_OK) status = measure(figure, MOST);
    bench_pin(place, true);
    return status;
}
