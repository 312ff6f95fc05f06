#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "saccade/train.h"

enum
{
    RUNS = 5,
    LANES = 16,
    STEPS = 1500
};

typedef struct lane
{
    float action[3];
    void *parts[SAC_MAX_PARTS];
    double reward;
    uint8_t terminated, truncated;
} lane;

// Step `count` cars by the actions that bench/peers/env.py uses. As there, only steps are timed.
static sac_status drive(sac_env **envs, sac_env_row *rows, lane *lanes, int count, double *seconds)
{
    *seconds = 0;
    for (int i = 0; i < count; i++) SAC_TRY(sac_env_reset(envs[i], (uint64_t)(i + 1), &rows[i]));
    for (int step = 0; step < STEPS; step++)
    {
        for (int i = 0; i < count; i++)
        {
            lanes[i].action[0] = 0.3f * (float)(step / 20 % 3 - 1);
            lanes[i].action[1] = 0.3f;
        }
        double begin = sac_clock();
        SAC_TRY(count == 1 ? sac_env_step(envs[0], &rows[0]) : sac_env_step_batch(envs, rows, count));
        *seconds += sac_clock() - begin;
        for (int i = 0; i < count; i++)
            if (lanes[i].terminated || lanes[i].truncated) SAC_TRY(sac_env_reset(envs[i], SAC_SEED_NEXT, &rows[i]));
    }
    return SAC_OK;
}

static sac_status measure_env(bench_figure *figure, int count)
{
    sac_env *envs[LANES] = {0};
    lane lanes[LANES] = {0};
    sac_env_row rows[LANES];
    uint8_t *pictures = sac_alloc((size_t)count * BENCH_FRAME_BYTES);
    sac_status status = pictures ? SAC_OK : sac_fail_memory("pictures");
    for (int i = 0; status == SAC_OK && i < count; i++)
    {
        status = sac_env_create(&envs[i], &(sac_env_def){.id = "car-racing"});
        lanes[i].parts[0] = pictures + i * BENCH_FRAME_BYTES;
        rows[i] =
            (sac_env_row){lanes[i].action, lanes[i].parts, &lanes[i].reward, &lanes[i].terminated, &lanes[i].truncated};
    }
    for (int run = 0; status == SAC_OK && run < RUNS; run++)
    {
        double seconds;
        status = drive(envs, rows, lanes, count, &seconds);
        if (status == SAC_OK) bench_keep(figure, STEPS * count / seconds, true);
    }
    for (int i = 0; i < count; i++) sac_env_destroy(envs[i]);
    sac_free(pictures);
    return status;
}

sac_status bench_env(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place, (void)own_peer;
    return measure_env(figure, 1);
}

sac_status bench_env_lockstep(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)place, (void)own_peer;
    return measure_env(figure, LANES);
}

static sac_status measure_agent(const sac_policy *policy, const bench_place *place, bench_figure *figure)
{
    sac_policy_state *state;
    SAC_TRY(sac_policy_state_create(&state, policy));
    float action[3];
    for (int run = 0; run < RUNS; run++)
    {
        int frames = 0;
        double begin = sac_clock();
        for (int turn = 0; turn < 100; turn++)
            for (int i = 0; i < BENCH_FRAMES; i++, frames++)
                sac_policy_act(state, place->frames + i * BENCH_FRAME_BYTES, action);
        bench_keep(figure, (sac_clock() - begin) / frames * 1e6, false);
    }
    sac_policy_state_destroy(state);
    return SAC_OK;
}

sac_status bench_agent_softmax(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_agent(place->softmax, place, figure);
}

sac_status bench_agent_relu(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_agent(place->relu, place, figure);
}

static sac_status measure_rollout(const sac_policy *policy, int threads, int runs, bench_figure *figure)
{
    enum
    {
        EPISODES = 32
    };
    for (int run = 0; run < runs; run++)
    {
        sac_episode episodes[EPISODES];
        double begin = sac_clock(), steps = 0;
        SAC_TRY(sac_evaluate(policy, &(sac_env_def){.id = "car-racing"}, 0, EPISODES, threads, episodes));
        double seconds = sac_clock() - begin;
        for (int i = 0; i < EPISODES; i++) steps += episodes[i].steps;
        bench_keep(figure, steps / seconds, true);
    }
    return SAC_OK;
}

sac_status bench_rollout_softmax(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_rollout(place->softmax, 1, 3, figure);
}

sac_status bench_rollout_relu(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_rollout(place->relu, 1, 3, figure);
}

sac_status bench_threads(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    bench_pin(place, false);
    sac_status status = measure_rollout(place->softmax, 1, 3, own_peer);
    if (status == SAC_OK) status = measure_rollout(place->softmax, 2, 3, figure);
    bench_pin(place, true);
    return status;
}
