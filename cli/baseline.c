#include "baseline.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "play/play.h"

const char *cli_baseline_name(cli_baseline baseline)
{
    return baseline == CLI_BASELINE_IDLE ? "idle" : "random";
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
            return sac_fail(SAC_ERROR_ARGUMENT, "--random: action %d has no bounds to draw within", i);
    }
    return SAC_OK;
}

static sac_status drive_one(cli_baseline baseline, sac_play *play, sac_episode *episode)
{
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    sac_stream stream = sac_stream_create(episode->seed, 0x72616e646f6d, 0); // apart from the worlds' streams
    SAC_TRY(sac_play_reset(play, episode->seed));
    while (!sac_play_ended(play))
    {
        if (baseline == CLI_BASELINE_RANDOM) SAC_TRY(draw_action(spec, &stream, play->action));
        SAC_TRY(sac_play_step(play));
    }
    episode->episode_return = play->episode_return;
    episode->steps = play->steps;
    return SAC_OK;
}

/// A thread's world, and how it fared there.
typedef struct driver
{
    sac_play play;
    sac_status status;
    char sentence[512]; ///< the last error is each thread's own
} driver;

/// What the threads share.
typedef struct work
{
    cli_baseline baseline;
    sac_episode *episodes; ///< [count] with their seeds
    int count;
    atomic_int next; ///< episode that nobody has taken
    atomic_bool failed;
    driver *drivers; ///< [threads]
} work;

// one episode after the other: a return depends on its seed alone, so any thread may have it
static sac_status drive_some(work *w, sac_play *play)
{
    sac_status status = SAC_OK;
    for (int i; status == SAC_OK && !w->failed && (i = w->next++) < w->count;)
        status = drive_one(w->baseline, play, &w->episodes[i]);
    return status;
}

static void drive_thread(void *user, int index)
{
    work *w = user;
    driver *d = &w->drivers[index];
    d->status = drive_some(w, &d->play);
    if (d->status == SAC_OK) return;
    snprintf(d->sentence, sizeof d->sentence, "%s", sac_last_error());
    w->failed = true;
}

static sac_status drive_all(work *w, const sac_env_def *def, int threads)
{
    sac_threads *pool;
    // one after the other: a world of others may not expect to be created twice at once
    for (int t = 0; t < threads; t++) SAC_TRY(sac_play_open(&w->drivers[t].play, NULL, def, SAC_PLAY_INPUTS));
    SAC_TRY(sac_threads_create(&pool, threads));
    sac_threads_run(pool, drive_thread, w);
    sac_threads_destroy(pool);
    for (int t = 0; t < threads; t++)
        if (w->drivers[t].status != SAC_OK) return sac_fail(w->drivers[t].status, "%s", w->drivers[t].sentence);
    return SAC_OK;
}

sac_status cli_drive_baseline(cli_baseline baseline, const sac_env_def *def, uint64_t first, int count, int threads,
                              sac_episode *episodes)
{
    if (threads > count) threads = count;
    work w = {.baseline = baseline, .episodes = episodes, .count = count};
    for (int i = 0; i < count; i++) episodes[i] = (sac_episode){.seed = first + (uint64_t)i};
    w.drivers = calloc((size_t)threads, sizeof *w.drivers);
    if (!w.drivers) return sac_fail_memory("episodes");
    sac_status status = drive_all(&w, def, threads);
    for (int t = 0; t < threads; t++) sac_play_close(&w.drivers[t].play);
    free(w.drivers);
    return status;
}
