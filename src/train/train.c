#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "train/run.h"

/// The loop that joins policy, environment and learner.

static sac_status advance(sac_run *r)
{
    double begin = sac_clock();
    uint64_t steps = r->state.steps;
    r->note[0] = 0;
    sac_phases_begin(&r->phases);
    SAC_TRY(r->learner->advance(r));
    r->state.generation++;
    r->under_way = false;
    r->state.pending = true;
    sac_phases_end(&r->phases, SAC_PHASE_SEARCH);
    double duration = sac_clock() - begin;
    r->seconds += duration;
    r->progress.steps_per_second = (double)(r->state.steps - steps) / (duration > 1e-9 ? duration : 1e-9);
    return SAC_OK;
}

// Nothing is written of a generation that diverged, so checkpoints and policies stay those of the generations before.
static sac_status tell_divergence(sac_run *r)
{
    char text[512];
    snprintf(text, sizeof text, "generation %" PRIu64 ": %s", r->state.generation + 1, sac_last_error());
    SAC_TRY(sac_run_event(r, "failed", text));
    return sac_fail(SAC_ERROR_DIVERGED, "%s", text);
}

sac_status sac_run_advance(sac_run *r)
{
    r->under_way = true;
    sac_status status = advance(r);
    if (status == SAC_ERROR_DIVERGED) status = tell_divergence(r);
    r->under_way = false;
    return status;
}

static sac_status train(sac_run *r)
{
    uint64_t generations = sac_run_generations(r);
    while (r->state.pending || r->state.generation < generations)
    {
        const char *reason = r->state.pending ? NULL : sac_run_stop(r);
        if (reason) return sac_run_event(r, "stopped", reason);
        if (!r->state.pending && sac_run_pauses(r)) return sac_run_event(r, "paused", "--resume goes on from here");
        sac_status status = r->state.pending ? SAC_OK : sac_run_advance(r);
        if (status == SAC_OK) status = sac_run_finish(r, generations);
        if (status == SAC_ERROR_INTERRUPTED)
        {
            SAC_TRY(sac_run_event(r, "interrupted", "--resume goes on from here"));
            SAC_TRY(sac_run_write_checkpoint(r));
            SAC_TRY(sac_run_leave_policy(r));
            return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted at generation %llu",
                            (unsigned long long)r->state.generation);
        }
        SAC_TRY(status);
    }
    char text[160] = "all generations are done";
    if (r->bad_episodes)
        snprintf(text, sizeof text, "all generations are done; %" PRIu64 " episode%s gave no number and ranked last",
                 r->bad_episodes, sac_plural((long long)r->bad_episodes));
    return sac_run_event(r, "finished", text);
}

sac_status sac_train(const sac_train_def *def)
{
    SAC_ASSERT(def->threads >= 1);
    sac_run r = {.def = def, .task = def->task, .learner = sac_learner_of(def->task->search)};
    sac_status status = sac_run_open(&r);
    if (status == SAC_OK) status = train(&r);
    return sac_run_close(&r, status);
}
