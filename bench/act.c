#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "kernels/kernels.h"

/// What it gains to let many episodes act in one call, sac_policy_act_batch, beside sac_policy_act_on one by one. All
/// have the policy's parameters, as in an evaluation, and pictures and numbers of their own. And what an action costs a
/// policy that says it by tokens, with linear attention beside softmax.

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
    sac_status status = bench_draw_policy(&c->policy, blank);
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

// A car's policy that says its actions by tokens, of L = side^2 tokens a frame, with drawn parameters.
static sac_status create_speaker(sac_policy **out, const char *attention, int side, int history, bool decimals)
{
    static const float low[] = {-1, 0, 0}, high[] = {1, 1, 1};
    char size[16], frames[16];
    snprintf(size, sizeof size, "%d", 6 * side); // patches of 6 x 6 pixels
    snprintf(frames, sizeof frames, "%d", history);
    const sac_setting settings[] = {{"attention", attention},
                                    {"image_size", size},
                                    {"history", frames},
                                    {"spelling", decimals ? "decimals" : "bins"}};
    sac_policy *blank;
    SAC_TRY(sac_policy_create(&blank, &(sac_policy_def){.kind = "action-tokens",
                                                        .settings = settings,
                                                        .setting_count = 4,
                                                        .height = 96,
                                                        .width = 96,
                                                        .channels = 3,
                                                        .action_size = 3,
                                                        .action_low = low,
                                                        .action_high = high}));
    return bench_draw_policy(out, blank);
}

// Microseconds an action, over all frames of a drive.
static double time_speaking(sac_policy_state *state, const bench_place *place)
{
    float action[3];
    const double begin = sac_clock();
    for (int i = 0; i < BENCH_FRAMES; i++) sac_policy_act(state, place->frames + i * BENCH_FRAME_BYTES, action);
    return (sac_clock() - begin) / BENCH_FRAMES * 1e6;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What else a machine does disturbs whole runs, so two that follow each other are compared, and the median counts.
static double median_of(double *numbers, int count)
{
    qsort(numbers, (size_t)count, sizeof *numbers, compare_doubles);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

static void time_pairs(sac_policy_state *const states[2], int runs, const bench_place *place, bench_figure *figure,
                       bench_figure *own_peer)
{
    double ratios[RUNS + 1];
    SAC_ASSERT(runs <= RUNS + 1);
    for (int run = 0; run < runs; run++)
    {
        const double exact = time_speaking(states[0], place), linear = time_speaking(states[1], place);
        bench_keep(own_peer, exact, false);
        bench_keep(figure, linear, false);
        ratios[run] = linear / exact;
    }
    figure->paired = median_of(ratios, runs);
}

sac_status bench_act_tokens(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    char *end;
    const int tokens = (int)strtol(place->row->name + strlen("act-tokens-"), &end, 10);
    const bool decimals = strcmp(end, "-decimals") == 0;
    const int history = *end && !decimals ? atoi(end + strlen("-history-")) : 3;
    const int side = (int)lround(sqrt((double)tokens)), runs = 1 + RUNS * 196 / tokens;
    static const char *const forms[] = {"softmax", "sara-relu"};
    sac_policy *policies[2] = {NULL};
    sac_policy_state *states[2] = {NULL};
    sac_status status = SAC_OK;
    for (int i = 0; i < 2 && status == SAC_OK; i++)
    {
        status = create_speaker(&policies[i], forms[i], side, history, decimals);
        if (status == SAC_OK) status = sac_policy_state_create(&states[i], policies[i]);
    }
    figure->article = "SARA-RT-2 with 196 tokens";
    figure->article_less = 0.14;
    if (status == SAC_OK) time_pairs(states, runs, place, figure, own_peer);
    for (int i = 0; i < 2; i++) sac_policy_state_destroy(states[i]);
    for (int i = 0; i < 2; i++) sac_policy_destroy(policies[i]);
    return status;
}
