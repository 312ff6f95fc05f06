#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "files/checksum.h"
#include "saccade/play.h"
#include "train/run.h"

/// Setting a run up: policy, learner, folder, and the state that an earlier part has left.

static sac_status create_policy(sac_run *r, const sac_env_def *env_def)
{
    sac_env *env;
    SAC_TRY(sac_env_create(&env, env_def));
    const sac_section *settings = &r->task->policy_settings;
    sac_status status = sac_policy_create_for(&r->policy, env, r->task->policy, settings->settings, settings->count);
    sac_env_destroy(env);
    return status;
}

static sac_status allocate(sac_run *r)
{
    size_t n = (size_t)sac_policy_parameter_count(r->policy);
    r->state.average = SAC_NEW_ARRAY(double, n);
    r->vector = SAC_NEW_ARRAY(float, n);
    if (!r->state.average || !r->vector) return sac_fail_memory("the mean");
    SAC_TRY(sac_normaliser_create(&r->normaliser, r->policy));
    r->state.normaliser = r->normaliser.numbers;
    r->state.normaliser_count = (int)sac_normaliser_count(&r->normaliser);
    SAC_TRY(sac_run_reserve_units(r, (size_t)r->task->evaluation.episodes));
    r->episodes = SAC_NEW_ARRAY(sac_episode, (size_t)r->task->evaluation.episodes);
    return r->episodes ? SAC_OK : sac_fail_memory("an evaluation");
}

/// What rank 0 reads and everyone needs: the checkpoint, then the rounds that were finished after it.
typedef struct past
{
    uint64_t checkpoint_size, rounds_size;
    uint8_t bytes[];
} past;

static sac_status join(uint8_t **bytes, size_t *size, const uint8_t *checkpoint, size_t checkpoint_size,
                       const uint8_t *rounds, size_t rounds_size)
{
    past *p = sac_alloc(sizeof *p + checkpoint_size + rounds_size);
    if (!p) return sac_fail_memory("the checkpoint");
    p->checkpoint_size = checkpoint_size;
    p->rounds_size = rounds_size;
    if (checkpoint_size) memcpy(p->bytes, checkpoint, checkpoint_size);
    if (rounds_size) memcpy(p->bytes + checkpoint_size, rounds, rounds_size);
    *bytes = (uint8_t *)p;
    *size = sizeof *p + checkpoint_size + rounds_size;
    return SAC_OK;
}

// on rank 0: the folder, and what an earlier part of the run has left there
static sac_status read_past(sac_run *r, uint8_t **bytes, size_t *size)
{
    uint8_t *checkpoint = NULL, *rounds = NULL;
    size_t checkpoint_size = 0, rounds_size = 0;
    SAC_TRY(sac_folder_open(&r->folder, &(sac_folder_def){.run_dir = r->def->run_dir,
                                                          .task = r->task,
                                                          .resume = r->def->resume,
                                                          .host = {.ranks = sac_comm_size(r->comm),
                                                                   .threads = r->def->threads,
                                                                   .generations = sac_run_generations(r)},
                                                          .interrupt = r->def->interrupt}));
    if (r->def->resume) SAC_TRY(sac_checkpoint_load(r->def->run_dir, &checkpoint, &checkpoint_size));
    sac_status status = r->def->resume ? sac_returns_load(r->def->run_dir, &rounds, &rounds_size) : SAC_OK;
    if (status == SAC_OK) status = join(bytes, size, checkpoint, checkpoint_size, rounds, rounds_size);
    sac_free(checkpoint);
    sac_free(rounds);
    return status;
}

static sac_status restore(sac_run *r, const past *p)
{
    const uint8_t *rounds = p->bytes + p->checkpoint_size;
    SAC_TRY(sac_returns_open(&r->known, sac_run_writes(r) ? r->def->run_dir : NULL, rounds, p->rounds_size));
    return p->checkpoint_size > 0 ? r->learner->restore(r, p->bytes, p->checkpoint_size) : SAC_OK;
}

static sac_status open_past(sac_run *r, bool *found)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    sac_status status = sac_run_writes(r) ? read_past(r, &bytes, &size) : SAC_OK;
    status = sac_comm_share(r->comm, status, &bytes, &size);
    const past *p = (const past *)bytes;
    bool whole = status == SAC_OK && size >= sizeof *p && size - sizeof *p == p->checkpoint_size + p->rounds_size;
    if (status == SAC_OK && !whole) status = sac_fail(SAC_ERROR_FORMAT, "what rank 0 shares is not whole");
    *found = whole && p->checkpoint_size > 0;
    if (status == SAC_OK) status = restore(r, p);
    if (status == SAC_OK) sac_normaliser_write(&r->normaliser, r->policy, r->tuned.rest);
    sac_free(bytes);
    return status;
}

static sac_status open_journal(sac_run *r, bool found)
{
    // a generation whose evaluation was interrupted has its row yet to come, even if a part of the run that was killed
    // later had written it
    const uint64_t row = r->state.generation - (r->state.pending ? 1 : 0);
    SAC_TRY(sac_journal_open(&r->journal, r->def->run_dir, r->state.generation, row, !found, &r->seconds));
    char text[192], ranks[32] = "";
    if (sac_comm_size(r->comm) > 1) snprintf(ranks, sizeof ranks, "%d ranks, ", sac_comm_size(r->comm));
    snprintf(text, sizeof text, "at generation %llu with %s%d thread%s, cpu level %s",
             (unsigned long long)r->state.generation, ranks, r->def->threads, sac_plural(r->def->threads),
             sac_cpu_level_name(sac_get_cpu_level()));
    int known = sac_returns_count(r->known);
    size_t used = strlen(text);
    if (known > 0)
        snprintf(text + used, sizeof text - used, "; %d finished round%s known", known, known == 1 ? " is" : "s are");
    return sac_run_event(r, found ? "resumed" : "started", text);
}

static sac_status fingerprint_task(sac_run *r)
{
    char *text;
    SAC_TRY(sac_task_write(r->task, &text));
    r->fingerprint = sac_hash_bytes(SAC_HASH_START, text, strlen(text));
    sac_free(text);
    return SAC_OK;
}

sac_status sac_run_open(sac_run *r)
{
    sac_env_def env = sac_task_env_def(r->task);
    if (!r->def->comm) SAC_TRY(sac_comm_create_self(&r->own_comm));
    r->comm = r->def->comm ? r->def->comm : r->own_comm;
    r->state.best_evaluation = -INFINITY;
    if (r->def->time_limit > 0) r->deadline = sac_clock() + r->def->time_limit;
    SAC_TRY(create_policy(r, &env));
    SAC_TRY(allocate(r));
    r->now = sac_task_stage(r->task, 0);
    SAC_TRY(r->learner->create(r));
    SAC_TRY(fingerprint_task(r));
    bool found;
    SAC_TRY(open_past(r, &found));
    if (r->learner->begin) SAC_TRY(r->learner->begin(r));
    if (sac_run_writes(r)) SAC_TRY(open_journal(r, found));
    if (r->rollouts) return SAC_OK; // the learner's own
    return sac_rollouts_create(&r->rollouts, r->policy, &env, r->comm, r->def->threads, r->task->train.lanes);
}

sac_status sac_run_close(sac_run *r, sac_status status)
{
    sac_status closed = sac_journal_close(r->journal);
    sac_rollouts_destroy(r->rollouts);
    sac_returns_close(r->known);
    if (r->learner) r->learner->destroy(r);
    sac_policy_destroy(r->policy);
    sac_comm_close(r->own_comm, status);
    sac_folder_close(&r->folder);
    sac_free(r->state.average);
    sac_free(r->vector);
    sac_tuned_clear(&r->tuned);
    sac_free(r->episodes);
    sac_normaliser_clear(&r->normaliser);
    sac_free(r->units);
    return status != SAC_OK ? status : closed;
}
