#include "rollout/baseline.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    LANES = 16
};

sac_stream sac_baseline_stream(uint64_t seed)
{
    return sac_stream_create(seed, 0x72616e646f6d, 0); // apart from the worlds' streams
}

// uniform within the bounds, or any of the choices
static sac_status draw_action(const sac_env_spec *spec, sac_stream *stream, float *action)
{
    for (int i = 0; i < spec->action_size; i++)
    {
        double low = (double)spec->action_low[i], high = (double)spec->action_high[i];
        if (spec->action_choices > 0)
            action[i] = (float)sac_stream_below(stream, (uint32_t)spec->action_choices);
        else if (isfinite(low) && isfinite(high))
            action[i] = (float)sac_stream_uniform(stream, low, high);
        else
            return sac_fail(SAC_ERROR_ARGUMENT, "random actions: action %d has no bounds to draw within", i);
    }
    return SAC_OK;
}

sac_status sac_baseline_decide(sac_baseline baseline, const sac_play *play, sac_stream *stream)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    if (baseline == SAC_BASELINE_RANDOM) return draw_action(spec, stream, play->action);
    sac_play_idle(spec, play->action);
    return SAC_OK;
}

/// Who decides in the episodes of a job.
typedef struct driver
{
    sac_baseline baseline;
    sac_stream *streams; // [count]
} driver;

static sac_status decided(void *user, int unit, const sac_play *play)
{
    driver *d = user;
    return sac_baseline_decide(d->baseline, play, &d->streams[unit]);
}

static sac_status stepped(void *user, int unit, const sac_play *play, bool last)
{
    (void)user, (void)unit, (void)play, (void)last;
    return SAC_OK;
}

static sac_status drive(driver *d, const sac_env_def *env, sac_unit *units, int count, int threads, double *ends)
{
    int share = (count + threads - 1) / threads;
    sac_comm *comm;
    SAC_TRY(sac_comm_create_self(&comm));
    sac_rollouts *rollouts = NULL;
    sac_status status = sac_rollouts_create_def(
        &rollouts,
        &(sac_rollouts_def){.env = env, .comm = comm, .threads = threads, .lanes = share < LANES ? share : LANES});
    const sac_rollout_watch watch = {decided, stepped, d};
    if (status == SAC_OK)
        status = sac_rollouts_run(
            rollouts, &(sac_rollout_job){.units = units, .unit_count = count, .ends = ends, .watch = &watch});
    sac_rollouts_destroy(rollouts);
    sac_comm_close(comm, status);
    return status;
}

sac_status sac_baseline_drive(sac_baseline baseline, const sac_env_def *env, uint64_t first, int count, int threads,
                              sac_episode *episodes, double *ends)
{
    driver d = {baseline, SAC_NEW_ARRAY(sac_stream, (size_t)count)};
    sac_unit *units = SAC_NEW_ARRAY(sac_unit, (size_t)count);
    sac_status status = units && d.streams ? SAC_OK : sac_fail_memory("episodes");
    for (int i = 0; status == SAC_OK && i < count; i++)
    {
        units[i].seed = first + (uint64_t)i;
        d.streams[i] = sac_baseline_stream(units[i].seed);
    }
    if (status == SAC_OK) status = drive(&d, env, units, count, threads < count ? threads : count, ends);
    for (int i = 0; status == SAC_OK && i < count; i++)
        episodes[i] = (sac_episode){units[i].seed, units[i].episode_return, units[i].steps};
    sac_free(units);
    sac_free(d.streams);
    return status;
}
