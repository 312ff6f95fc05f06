#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"

/// Rows of grasping: what an action costs a policy of kind point-cloud, against the number of points, with softmax and
/// with linear attention, beside the same network in PyTorch.

enum
{
    OUTPUTS = 7,
    RUNS = 9
};

static sac_status create(sac_policy **out, const char *attention, int points)
{
    static const float low[OUTPUTS] = {-1, -1, -1, -1, -1, -1, -4}, high[OUTPUTS] = {1, 1, 1, 1, 1, 1, 4};
    const sac_setting setting = {"attention", attention};
    const sac_space cloud = {.name = "cloud", .kind = SAC_SPACE_DEPTH, .shape = {points, 3}};
    sac_policy *blank;
    SAC_TRY(sac_policy_create(&blank, &(sac_policy_def){.kind = "point-cloud",
                                                        .settings = &setting,
                                                        .setting_count = 1,
                                                        .inputs = &cloud,
                                                        .input_count = 1,
                                                        .action_size = OUTPUTS,
                                                        .action_low = low,
                                                        .action_high = high}));
    return bench_draw_policy(out, blank);
}

// Microseconds an action, over at least ten milliseconds.
static double time_acts(sac_policy_state *state, const float *cloud, int turns)
{
    float action[OUTPUTS];
    const void *inputs[] = {cloud};
    const double begin = sac_clock();
    for (int i = 0; i < turns; i++) sac_policy_act_on(state, inputs, action);
    return (sac_clock() - begin) / turns * 1e6;
}

static sac_status measure(const sac_policy *policy, int points, bench_figure *figure)
{
    sac_policy_state *state;
    SAC_TRY(sac_policy_state_create(&state, policy));
    float *cloud = SAC_NEW_ARRAY(float, 3 * (size_t)points);
    if (cloud)
    {
        sac_stream stream = sac_stream_create(1, 2, 3);
        for (int i = 0; i < 3 * points; i++) cloud[i] = (float)sac_stream_uniform(&stream, -0.1, 0.1);
        const int turns = 1 + (int)(10000 / time_acts(state, cloud, 2));
        for (int run = 0; run < RUNS; run++) bench_keep(figure, time_acts(state, cloud, turns), false);
    }
    sac_policy_state_destroy(state);
    sac_free(cloud);
    return cloud ? SAC_OK : sac_fail_memory("a cloud");
}

sac_status bench_grasp(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    char attention[32];
    int points = 0;
    if (sscanf(place->row->peer, "grasp.py %31s %d", attention, &points) != 2)
        return sac_fail(SAC_ERROR_ARGUMENT, "bench: %s names no attention and no number of points", place->row->name);
    sac_policy *policy = NULL;
    sac_status status = create(&policy, attention, points);
    if (status == SAC_OK) status = measure(policy, points, figure);
    sac_policy_destroy(policy);
    return status;
}
