#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench.h"
#include "play/play.h"

/// A robot with four legs that walks by footholds: an action of 52 ms, which is 52 steps of physics, 13 problems of
/// stance control and, unless the row's name ends with "blind", two depth pictures of 32 x 24 pixels.

enum
{
    RUNS = 3,
    STEPS = 200,
    MOST_PARTS = 16,
    PIXELS = 2 * 24 * 32,
    ACTIONS = 22
};

static sac_status run(sac_env *env, const sac_env_row *row, bench_figure *figure)
{
    for (int i = 0; i < RUNS; i++)
    {
        double seconds = 0;
        SAC_TRY(sac_env_reset(env, 1, row));
        for (int step = 0; step < STEPS; step++)
        {
            const double begin = sac_clock();
            SAC_TRY(sac_env_step(env, row));
            seconds += sac_clock() - begin;
            if (*row->terminated) return sac_fail(SAC_ERROR_ENVIRONMENT, "bench: the robot fell in step %d", step);
        }
        bench_keep(figure, 1e6 * seconds / STEPS, false);
    }
    return SAC_OK;
}

sac_status bench_legs(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    static const sac_setting settings[] = {
        {"action", "released"}, {"control_ms", "4"}, {"repeat", "13"}, {"level", "0"}, {"length", "60"}};
    const sac_env_def def = {
        .id = "legs:stones", .settings = settings, .setting_count = sizeof settings / sizeof *settings};
    float action[ACTIONS] = {0}, depth[PIXELS];
    double reward;
    uint8_t terminated, truncated;
    void *parts[MOST_PARTS] = {0};
    sac_env *env;
    SAC_TRY(sac_env_create(&env, &def));
    const sac_env_spec *spec = sac_env_get_spec(env);
    if (!strstr(place->row->name, "blind"))
        parts[sac_space_find(spec->observations, spec->observation_count, "depth")] = depth;
    for (int leg = 0; leg < 4; leg++) action[leg] = 0.03f, action[12 + leg] = 0.07f; // ahead, and clearance
    const sac_env_row row = {action, parts, &reward, &terminated, &truncated};
    sac_status status = run(env, &row, figure);
    sac_env_destroy(env);
    return status;
}

// Whole steps of an agent in the world that it was trained for.
static sac_status run_agent(sac_play *play, bench_figure *figure)
{
    for (int i = 0; i < RUNS; i++)
    {
        double seconds = 0;
        SAC_TRY(sac_play_reset(play, 1000));
        for (int step = 0; step < STEPS; step++)
        {
            const double begin = sac_clock();
            SAC_TRY(sac_play_decide(play));
            SAC_TRY(sac_play_step(play));
            seconds += sac_clock() - begin;
            if (sac_play_ended(play)) return sac_fail(SAC_ERROR_ENVIRONMENT, "bench: the robot fell in step %d", step);
        }
        bench_keep(figure, STEPS / seconds, true);
    }
    return SAC_OK;
}

sac_status bench_legs_agent(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place, (void)own_peer;
    sac_policy *policy;
    sac_policy_info info = {0};
    sac_play play = {0};
    SAC_TRY(sac_policy_load(&policy, &info, "zoo/legs/stones.safetensors"));
    const sac_env_def def = {.id = info.environment, .settings = info.settings, .setting_count = info.setting_count};
    sac_status status = sac_play_open(&play, policy, &def, SAC_PLAY_INPUTS);
    if (status == SAC_OK) status = run_agent(&play, figure);
    sac_play_close(&play);
    sac_policy_destroy(policy);
    sac_policy_info_clear(&info);
    return status;
}
