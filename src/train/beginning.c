#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "train/run.h"

/// What every learner begins with: a vector, the parameters of it that are trained, their running average; and what it
/// goes on from.

sac_status sac_run_draw_start(const sac_run *r, float *x0)
{
    const char *start = r->task->train.start;
    if (strcmp(start, "zeros") == 0) return SAC_OK;
    if (strcmp(start, "draw") == 0)
    {
        sac_policy_draw(r->policy, sac_mix_seed(r->task->train.seed, SAC_RUN_START, (uint64_t)r->state.attempt), x0);
        return SAC_OK;
    }
    sac_policy *policy;
    SAC_TRY(sac_policy_load(&policy, NULL, start));
    int count = sac_policy_parameter_count(r->policy), theirs = sac_policy_parameter_count(policy);
    if (count == theirs) memcpy(x0, sac_policy_parameters(policy), sizeof(float) * (size_t)count);
    sac_policy_destroy(policy);
    return count == theirs ? SAC_OK
                           : sac_fail(SAC_ERROR_ARGUMENT, "train.start: '%s' has %d parameters, the task's policy %d",
                                      start, theirs, count);
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
