#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "play/play.h"
#include "rollout/rollout.h"

/// What a rollout costs beyond its two parts. The same episodes are driven three times: as a rollout; by the world
/// alone, with the actions that were recorded; and by the agent alone, with the pictures that were recorded. World and
/// agent must see what they see in the rollout, because the time of both depends on it: a picture without edges takes
/// the agent less time, and a car on the grass the world.

enum
{
    RUNS = 3,
    LANES = 16,
    STEPS = 300
};

// one step of one lane
typedef struct moment
{
    int lane;
    float action[3];
    uint8_t picture[BENCH_FRAME_BYTES]; // before the action
} moment;

typedef struct tape
{
    int counts[STEPS]; // lanes that were under way
    moment *moments;   // [STEPS, LANES]
    long steps;        // of all lanes
} tape;

// the lanes of a step, as the batch forms want them
typedef struct row_of_lanes
{
    sac_env *envs[LANES];
    sac_env_row rows[LANES];
    sac_policy_state *states[LANES];
    const void *const *inputs[LANES];
    float *actions[LANES];
} row_of_lanes;

static void gather(row_of_lanes *all, int i, sac_play *play)
{
    all->envs[i] = play->env;
    all->rows[i] = play->row;
    all->states[i] = play->state;
    all->inputs[i] = play->inputs;
    all->actions[i] = play->action;
}

static sac_status reset_all(sac_play *plays)
{
    for (int i = 0; i < LANES; i++) SAC_TRY(sac_play_reset(&plays[i], (uint64_t)i));
    return SAC_OK;
}

static sac_status record(tape *t, sac_play *plays)
{
    SAC_TRY(reset_all(plays));
    row_of_lanes all;
    for (int step = 0; step < STEPS; step++)
    {
        int count = 0;
        for (int i = 0; i < LANES; i++)
        {
            if (sac_play_ended(&plays[i])) continue;
            moment *m = &t->moments[step * LANES + count];
            m->lane = i;
            memcpy(m->picture, plays[i].parts[0], sizeof m->picture);
            gather(&all, count++, &plays[i]);
        }
        sac_policy_act_batch(all.states, all.inputs, all.actions, count);
        for (int i = 0; i < count; i++) memcpy(t->moments[step * LANES + i].action, all.actions[i], 3 * sizeof(float));
        SAC_TRY(sac_env_step_batch(all.envs, all.rows, count));
        t->counts[step] = count;
        t->steps += count;
    }
    return SAC_OK;
}

static sac_status time_world(const tape *t, sac_play *plays, double *seconds)
{
    double begin = sac_clock();
    SAC_TRY(reset_all(plays));
    *seconds = sac_clock() - begin;
    row_of_lanes all;
    for (int step = 0; step < STEPS; step++)
    {
        for (int i = 0; i < t->counts[step]; i++)
        {
            const moment *m = &t->moments[step * LANES + i];
            memcpy(plays[m->lane].action, m->action, sizeof m->action);
            gather(&all, i, &plays[m->lane]);
        }
        begin = sac_clock();
        SAC_TRY(sac_env_step_batch(all.envs, all.rows, t->counts[step]));
        *seconds += sac_clock() - begin;
    }
    return SAC_OK;
}

// pictures are put where the rollout has them, so that they are as near in the caches
static void time_agent(const tape *t, sac_play *plays, double *seconds)
{
    *seconds = 0;
    for (int i = 0; i < LANES; i++) sac_policy_state_reset(plays[i].state);
    row_of_lanes all;
    for (int step = 0; step < STEPS; step++)
    {
        for (int i = 0; i < t->counts[step]; i++)
        {
            const moment *m = &t->moments[step * LANES + i];
            memcpy(plays[m->lane].parts[0], m->picture, sizeof m->picture);
            gather(&all, i, &plays[m->lane]);
        }
        double begin = sac_clock();
        sac_policy_act_batch(all.states, all.inputs, all.actions, t->counts[step]);
        *seconds += sac_clock() - begin;
    }
}

static sac_status time_whole(const sac_policy *policy, const sac_env_def *env, long expected, double *seconds)
{
    sac_comm *comm;
    SAC_TRY(sac_comm_create_self(&comm));
    sac_unit units[LANES] = {0};
    for (int i = 0; i < LANES; i++) units[i].seed = (uint64_t)i;
    sac_rollouts *rollouts = NULL;
    sac_status status = sac_rollouts_create(&rollouts, policy, env, comm, 1, LANES);
    double begin = sac_clock();
    if (status == SAC_OK)
        status = sac_rollouts_run(rollouts, &(sac_rollout_job){.units = units, .unit_count = LANES, .steps = STEPS});
    *seconds = sac_clock() - begin;
    sac_rollouts_destroy(rollouts);
    sac_comm_close(comm, status);
    long steps = 0;
    for (int i = 0; i < LANES; i++) steps += units[i].steps;
    if (status == SAC_OK && steps != expected)
        status = sac_fail(SAC_ERROR_ARGUMENT, "bench: a rollout of %ld steps was recorded with %ld", steps, expected);
    return status;
}

// The episodes lie in memory as those of a rollout do: one piece, with one scratch for all states.
static sac_status open_all(sac_play *plays, const sac_policy *policy, const sac_env_def *env, void **memory)
{
    const sac_play_def def = {.policy = policy, .env = env};
    sac_workspace scratch = {0}, room = {.scratch = &scratch};
    for (int i = 0; i < LANES; i++) SAC_TRY(sac_play_begin(&plays[i], &def));
    for (int i = 0; i < LANES; i++) sac_play_place(&plays[i], &room);
    *memory = sac_alloc(room.used + scratch.used);
    if (!*memory) return sac_fail_memory("episodes");
    scratch.memory = (unsigned char *)*memory + room.used;
    room = (sac_workspace){.memory = *memory, .scratch = &scratch};
    for (int i = 0; i < LANES; i++)
    {
        sac_play_place(&plays[i], &room);
        SAC_TRY(sac_play_finish(&plays[i]));
    }
    return SAC_OK;
}

static sac_status measure(const sac_policy *policy, bench_figure *figure, bench_figure *parts)
{
    const sac_env_def env = {.id = "car-racing"};
    sac_play plays[LANES] = {0};
    void *memory = NULL;
    tape *t = SAC_NEW(tape);
    if (t) t->moments = SAC_NEW_ARRAY(moment, STEPS * LANES);
    sac_status status = t && t->moments ? SAC_OK : sac_fail_memory("a recorded drive");
    if (status == SAC_OK) status = open_all(plays, policy, &env, &memory);
    if (status == SAC_OK) status = record(t, plays);
    for (int run = 0; status == SAC_OK && run < RUNS; run++)
    {
        double whole = 0, world = 0, agent = 0;
        status = time_whole(policy, &env, t->steps, &whole);
        if (status == SAC_OK) status = time_world(t, plays, &world);
        if (status != SAC_OK) break;
        time_agent(t, plays, &agent);
        bench_keep(figure, (double)t->steps / whole, true);
        bench_keep(parts, (double)t->steps / (world + agent), true);
    }
    for (int i = 0; i < LANES; i++) sac_play_close(&plays[i]);
    sac_free(memory);
    if (t) sac_free(t->moments);
    sac_free(t);
    return status;
}

sac_status bench_parts_softmax(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    return measure(place->softmax, figure, own_peer);
}

sac_status bench_parts_relu(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    return measure(place->relu, figure, own_peer);
}
