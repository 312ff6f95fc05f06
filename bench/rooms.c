#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "bench.h"

/// The robot of rooms: a step of its world, with the depth picture or without (where the row's name ends with "blind"),
/// and a step of a policy that attends to 16 patches beside one with convolutions, as tasks/rooms.yaml and
/// tasks/rooms-cnn.yaml have them.

enum
{
    RUNS = 20,
    STEPS = 400,
    ACTS = 2000,
    MOST_PARTS = 8,
    PIXELS = 16 * 16,
    NUMBERS = 8
};

// --- the world

static sac_status run(sac_env *env, const sac_env_row *row, float *action, bench_figure *figure)
{
    for (int i = 0; i < RUNS; i++)
    {
        double seconds = 0;
        SAC_TRY(sac_env_reset(env, (uint64_t)i, row));
        for (int step = 0; step < STEPS && !*row->terminated; step++)
        {
            sac_stream random = sac_stream_create((uint64_t)i, 1, (uint64_t)(step / 20));
            action[0] = (float)sac_stream_uniform(&random, 0, 1);
            action[1] = (float)sac_stream_uniform(&random, -1, 1);
            const double begin = sac_clock();
            SAC_TRY(sac_env_step(env, row));
            seconds += sac_clock() - begin;
        }
        if (!*row->terminated) bench_keep(figure, 1e6 * seconds / STEPS, false);
    }
    return SAC_OK;
}

sac_status bench_rooms(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    float action[2] = {0}, depth[PIXELS], state[NUMBERS];
    double reward;
    uint8_t terminated, truncated;
    void *parts[MOST_PARTS] = {0};
    sac_env *env;
    SAC_TRY(sac_env_create(&env, &(sac_env_def){.id = "rooms"}));
    const sac_env_spec *spec = sac_env_get_spec(env);
    parts[sac_space_find(spec->observations, spec->observation_count, "state")] = state;
    if (!strstr(place->row->name, "blind"))
        parts[sac_space_find(spec->observations, spec->observation_count, "depth")] = depth;
    const sac_env_row row = {action, parts, &reward, &terminated, &truncated};
    sac_status status = run(env, &row, action, figure);
    sac_env_destroy(env);
    return status;
}

// --- policies

typedef struct actor
{
    sac_policy *policy;
    sac_policy_state *state;
} actor;

static sac_status open_actor(actor *a, const char *kind, const sac_setting *settings, int count)
{
    static const float low[] = {-1, -1}, high[] = {1, 1}, near[] = {0.1f}, far[] = {4};
    static const sac_space inputs[] = {
        {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {16, 16}, .low = near, .high = far},
        {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {NUMBERS}}};
    sac_policy *blank;
    SAC_TRY(sac_policy_create(&blank, &(sac_policy_def){.kind = kind,
                                                        .settings = settings,
                                                        .setting_count = count,
                                                        .inputs = inputs,
                                                        .input_count = 2,
                                                        .action_size = 2,
                                                        .action_low = low,
                                                        .action_high = high}));
    SAC_TRY(bench_draw_policy(&a->policy, blank));
    return sac_policy_state_create(&a->state, a->policy);
}

static void close_actor(actor *a)
{
    sac_policy_state_destroy(a->state);
    sac_policy_destroy(a->policy);
}

static double time_acts(const actor *a)
{
    static float depth[PIXELS], state[NUMBERS];
    const void *inputs[] = {depth, state};
    float action[2];
    for (int i = 0; i < PIXELS; i++) depth[i] = 0.1f + 3.9f * (float)(i * 7 % PIXELS) / PIXELS;
    const double begin = sac_clock();
    for (int i = 0; i < ACTS; i++)
    {
        state[0] = (float)i / ACTS;
        sac_policy_act_on(a->state, inputs, action);
    }
    return (sac_clock() - begin) / ACTS * 1e6;
}

sac_status bench_rooms_act(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place;
    static const sac_setting rank[] = {{"attention", "relu"},
                                       {"attention_features", "0"},
                                       {"patch", "4"},
                                       {"stride", "4"},
                                       {"key_size", "4"},
                                       {"top", "4"},
                                       {"value_size", "6"},
                                       {"patch_features", "positions+values"},
                                       {"normalise_tokens", "false"},
                                       {"controller", "lstm"},
                                       {"hidden", "32"}};
    static const sac_setting cnn[] = {
        {"conv_channels", "4,6"}, {"conv_kernel", "3"}, {"conv_stride", "2"}, {"controller", "lstm"}, {"hidden", "26"}};
    actor attention = {0}, convolutions = {0};
    sac_status status = open_actor(&attention, "iap-rank", rank, sizeof rank / sizeof *rank);
    if (status == SAC_OK) status = open_actor(&convolutions, "cnn", cnn, sizeof cnn / sizeof *cnn);
    for (int i = 0; i < RUNS && status == SAC_OK; i++)
    {
        bench_keep(own_peer, time_acts(&convolutions), false);
        bench_keep(figure, time_acts(&attention), false);
    }
    close_actor(&attention);
    close_actor(&convolutions);
    return status;
}
