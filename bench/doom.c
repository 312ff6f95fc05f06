#include <stdlib.h>

#include "base/error.h"
#include "bench.h"

/// take-cover through the bridge: worlds of ViZDoom's engine, each in a worker process.

enum
{
    RUNS = 3,
    MOST = 2,
    STEPS = 3000
};

// the actions of bench/peers/doom.py
static void act(int step, float *action)
{
    action[0] = (float)(step / 10 % 3);
}

static sac_status measure(bench_figure *figure, int count)
{
    const sac_setting settings[] = {{"rules", "vizdoom"}, {"python", getenv("SACCADE_PEERS")}};
    const sac_env_def env = {.id = "take-cover", .settings = settings, .setting_count = settings[1].value ? 2 : 1};
    const bench_drive drive = {.env = &env, .runs = RUNS, .steps = STEPS, .act = act};
    return bench_measure_drive(&drive, count, figure);
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
