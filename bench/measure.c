#include "base/clock.h"
#include "base/error.h"
#include "bench.h"
#include "saccade/train.h"

enum
{
    RUNS = 5,
    LANES = 16,
    STEPS = 1500
};

static sac_status measure_env(bench_figure *figure, int count)
{
    const bench_drive drive = {
        .env = &(sac_env_def){.id = "car-racing"}, .runs = RUNS, .steps = STEPS, .act = bench_steer};
    return bench_measure_drive(&drive, count, figure);
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
