#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "train/run.h"

/// What every learner begins with: a vector, the parameters of it that are trained, their running average; and what it
/// goes on from.

static void draw(const sac_run *r, float *x0)
{
    sac_policy_draw(r->policy, sac_mix_seed(r->task->train.seed, SAC_RUN_START, (uint64_t)r->state.attempt), x0);
}

static const sac_policy_tensor *find_tensor(const sac_policy *policy, const char *name)
{
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
        if (strcmp(sac_policy_tensor_at(policy, i)->name, name) == 0) return sac_policy_tensor_at(policy, i);
    return NULL;
}

// Takes the tensors whose names begin with a word from a policy that must have them all, each as large. Where there is
// no such policy, they become zero.
static sac_status take_word(const sac_run *r, const sac_policy *from, const char *word, float *x0)
{
    const char *start = r->task->train.start;
    int found = 0;
    for (int i = 0; i < sac_policy_tensor_count(r->policy); i++)
    {
        const sac_policy_tensor *to = sac_policy_tensor_at(r->policy, i);
        if (strncmp(to->name, word, strlen(word)) != 0) continue;
        const size_t size = sac_policy_tensor_size(to);
        const sac_policy_tensor *tensor = from ? find_tensor(from, to->name) : NULL;
        if (from && (!tensor || sac_policy_tensor_size(tensor) != size))
            return sac_fail(SAC_ERROR_ARGUMENT, "train.take: '%s' has no tensor '%s' of %zu numbers", start, to->name,
                            size);
        if (from)
            memcpy(x0 + to->offset, sac_policy_parameters(from) + tensor->offset, size * sizeof *x0);
        else
            memset(x0 + to->offset, 0, size * sizeof *x0);
        found++;
    }
    return found > 0 ? SAC_OK
                     : sac_fail(SAC_ERROR_ARGUMENT, "train.take: no tensor of the policy begins with '%s'", word);
}

static sac_status take_words(const sac_run *r, const sac_policy *from, float *x0)
{
    const char *words = r->task->train.take;
    for (const char *at = words + strspn(words, " "); *at; at += strspn(at, " "))
    {
        char word[SAC_TEXT_SIZE];
        const size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        SAC_TRY(take_word(r, from, word, x0));
        at += length;
    }
    return SAC_OK;
}

static sac_status take_all(const sac_run *r, const sac_policy *from, float *x0)
{
    const int count = sac_policy_parameter_count(r->policy), theirs = sac_policy_parameter_count(from);
    if (count != theirs)
        return sac_fail(SAC_ERROR_ARGUMENT, "train.start: '%s' has %d parameters, the task's policy %d",
                        r->task->train.start, theirs, count);
    memcpy(x0, sac_policy_parameters(from), sizeof(float) * (size_t)count);
    return SAC_OK;
}

// The policy that train.start names. Where it is not there yet, a training comes before this one.
static sac_status load_start(sac_policy **policy, const char *path)
{
    const sac_status status = sac_policy_load(policy, NULL, path);
    if (status != SAC_OK && access(path, F_OK) != 0)
        return sac_fail(status, "train.start: %.800s; train this policy first", sac_last_error());
    return status;
}

sac_status sac_run_draw_start(const sac_run *r, float *x0)
{
    const char *start = r->task->train.start;
    const bool all = strcmp(r->task->train.take, "all") == 0;
    const bool drawn = strcmp(start, "draw") == 0, zeros = strcmp(start, "zeros") == 0;
    if (drawn && !all)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "train.take: '%s' is to be taken from a policy file or from zeros, and train.start is '%s'",
                        r->task->train.take, start);
    if (drawn || !all) draw(r, x0);
    if (zeros && !all) return take_words(r, NULL, x0);
    if (drawn || zeros) return SAC_OK;
    sac_policy *policy;
    SAC_TRY(load_start(&policy, start));
    const sac_status status = all ? take_all(r, policy, x0) : take_words(r, policy, x0);
    sac_policy_destroy(policy);
    return status;
}

sac_status sac_run_set_start(sac_run *r, float *x)
{
    sac_tuned_clear(&r->tuned);
    SAC_TRY(sac_tuned_create(&r->tuned, r->policy, r->task->train.tune, x));
    sac_normaliser_write(&r->normaliser, r->policy, r->tuned.rest);
    sac_tuned_gather(&r->tuned, x);
    r->state.dimension = r->tuned.count;
    for (int i = 0; i < r->tuned.count; i++) r->state.average[i] = (double)x[i];
    return SAC_OK;
}

void sac_run_update_average(sac_run *r, const float *x)
{
    double weight = r->now.average;
    for (int i = 0; i < r->state.dimension; i++)
        r->state.average[i] =
            weight == 1 ? (double)x[i] : r->state.average[i] + weight * ((double)x[i] - r->state.average[i]);
}

sac_status sac_run_reserve_units(sac_run *r, size_t count)
{
    if (count <= r->unit_room) return SAC_OK;
    sac_free(r->units);
    r->unit_room = 0;
    r->units = SAC_NEW_ARRAY(sac_unit, count);
    if (!r->units) return sac_fail_memory("a round");
    r->unit_room = count;
    return SAC_OK;
}

sac_status sac_run_read_checkpoint(sac_run *r, const uint8_t *bytes, size_t size)
{
    const sac_kept kept = r->learner->kept(r);
    return sac_checkpoint_restore(bytes, size, &kept, &r->state, r->def->any_cpu_level);
}
