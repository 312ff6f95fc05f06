#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench.h"

/// The world of grasps: an episode in which a hand goes straight down to the middle of what is seen, with its picture,
/// cloud and the grasp itself, or without what is seen (where the row's name ends with "blind").

enum
{
    RUNS = 5,
    EPISODES = 40, // some grasps hold, which takes longest, and some do not
    POINTS = 128,
    ACTIONS = 7,
    MOST_PARTS = 16
};

static sac_status run(sac_env *env, const sac_env_row *row, double *seconds)
{
    const double begin = sac_clock();
    for (uint64_t seed = 0; seed < EPISODES; seed++)
    {
        SAC_TRY(sac_env_reset(env, seed, row));
        while (!*row->terminated && !*row->truncated) SAC_TRY(sac_env_step(env, row));
    }
    *seconds = sac_clock() - begin;
    return SAC_OK;
}

sac_status bench_grasp_episode(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    float action[ACTIONS] = {0}, cloud[POINTS * 3], center[3], axis[3];
    double reward, seconds;
    uint8_t terminated, truncated;
    void *parts[MOST_PARTS] = {0};
    sac_env *env;
    const sac_setting points = {"points", "128"};
    SAC_TRY(sac_env_create(&env, &(sac_env_def){.id = "grasp", .settings = &points, .setting_count = 1}));
    const sac_env_spec *spec = sac_env_get_spec(env);
    if (!strstr(place->row->name, "blind"))
    {
        parts[sac_space_find(spec->observations, spec->observation_count, "cloud")] = cloud;
        parts[sac_space_find(spec->observations, spec->observation_count, "center")] = center;
        parts[sac_space_find(spec->observations, spec->observation_count, "axis")] = axis;
    }
    const sac_env_row row = {action, parts, &reward, &terminated, &truncated};
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < RUNS; i++)
    {
        status = run(env, &row, &seconds);
        if (status == SAC_OK) bench_keep(figure, 1e6 * seconds / EPISODES, false);
    }
    sac_env_destroy(env);
    return status;
}
