#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "kernels/kernels.h"

/// What it gains to let many episodes act in one call, sac_policy_act_batch, beside sac_policy_act_on one by one. All
/// have the policy's parameters, as in an evaluation, and pictures and numbers of their own.

enum
{
    RUNS = 100,
    NUMBERS = 17 // of a state, as in cheetah-run
};

typedef struct crowd
{
    sac_policy *policy;
    sac_policy_state *states[SAC_LANES];
    const void *seen[SAC_LANES];
    const void *const *inputs[SAC_LANES];
    float *actions[SAC_LANES];
    float numbers[SAC_LANES][NUMBERS], acts[SAC_LANES][6];
} crowd;

static const sac_setting softmax = {"attention", "softmax"};

// A car's policy of a kind, or one that is told the state of cheetah-run, with 64 units in each of two layers.
static sac_status create_policy(sac_policy **out, const char *kind)
{
    static const float low[] = {-1, -1, -1, -1, -1, -1}, high[] = {1, 1, 1, 1, 1, 1};
    static const sac_space state = {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {NUMBERS}};
    const bool numbers = strcmp(kind, "mlp") == 0, agent = strcmp(kind, "attention-agent") == 0;
    return sac_policy_create(out, &(sac_policy_def){.kind = kind,
                                                    .settings = agent ? &softmax : NULL,
                                                    .setting_count = agent,
                                                    .height = 96,
                                                    .width = 96,
                                                    .channels = 3,
                                                    .inputs = numbers ? &state : NULL,
                                                    .input_count = numbers,
                                                    .action_size = numbers ? 6 : 3,
                                                    .action_low = low,
                                                    .action_high = high});
}

static sac_status open_crowd(crowd *c, const char *kind, const bench_place *place)
{
    sac_policy *blank;
    SAC_TRY(create_policy(&blank, kind));
    float *drawn = SAC_NEW_ARRAY(float, (size_t)sac_policy_parameter_count(blank));
    sac_status status = drawn ? SAC_OK : sac_fail_memory("parameters");
    if (drawn) sac_policy_draw(blank, 1, drawn);
    if (drawn) status = sac_policy_create_with(&c->policy, blank, drawn);
    sac_policy_destroy(blank);
    sac_free(drawn);
    sac_stream stream = sac_stream_create(1, 0, 0);
    for (int i = 0; status == SAC_OK && i < SAC_LANES; i++)
    {
        for (int k = 0; k < NUMBERS; k++) c->numbers[i][k] = (float)sac_stream_uniform(&stream, -1, 1);
        c->seen[i] = strcmp(kind, "mlp") == 0 ? (const void *)c->numbers[i] : place->frames + i * BENCH_FRAME_BYTES;
        c->inputs[i] = &c->seen[i];
        c->actions[i] = c->acts[i];
        status = sac_policy_state_create(&c->states[i], c->policy);
    }
    return status;
}

static double time_acts(crowd *c, int turns, bool together)
{
    double begin = sac_clock();
    for (int turn = 0; turn < turns; turn++)
        if (together)
            sac_policy_act_batch(c->states, c->inputs, c->actions, SAC_LANES);
        else
            for (int i = 0; i < SAC_LANES; i++) sac_policy_act_on(c->states[i], c->inputs[i], c->actions[i]);
    return (sac_clock() - begin) / (turns * SAC_LANES) * 1e6;
}

sac_status bench_act_batch(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    crowd *c = SAC_NEW(crowd);
    if (!c) return sac_fail_memory("episodes");
    sac_status status = open_crowd(c, place->row->name + strlen("act-batch-"), place);
    if (status == SAC_OK)
    {
        // two milliseconds a run, so that some runs are not disturbed
        const int turns = 1 + (int)(2000 / (time_acts(c, 4, false) * SAC_LANES));
        for (int run = 0; run < RUNS; run++)
        {
            bench_keep(own_peer, time_acts(c, turns, false), false);
            bench_keep(figure, time_acts(c, turns, true), false);
        }
    }
    for (int i = 0; i < SAC_LANES; i++) sac_policy_state_destroy(c->states[i]);
    sac_policy_destroy(c->policy);
    sac_free(c);
    return status;
}
