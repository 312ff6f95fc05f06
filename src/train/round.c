#include "base/clock.h"
#include "base/error.h"
#include "files/checksum.h"
#include "train/run.h"

/// A round of units on all ranks, unless its results are known already.

// A hash of what decides a round's results. Large matrices are left out, because a difference in them changes the
// average, which is hashed.
static uint64_t fingerprint_of(const sac_run *r, sac_round_kind kind, const sac_rollout_job *job)
{
    sac_kept_array arrays[SAC_MAX_KEPT_ARRAYS];
    const sac_kept kept = r->learner->kept(r);
    int count = kept.arrays(kept.self, arrays, SAC_MAX_KEPT_ARRAYS);
    const uint64_t names[] = {r->fingerprint,      (uint64_t)kind,         (uint64_t)job->unit_count,
                              r->state.generation, (uint64_t)r->now.steps, (uint64_t)r->now.patience};
    uint64_t hash = sac_hash_bytes(SAC_HASH_START, names, sizeof names);
    for (int i = 0; i < job->unit_count; i++)
    {
        const uint64_t unit[] = {(uint64_t)job->units[i].individual, job->units[i].seed};
        hash = sac_hash_bytes(hash, unit, sizeof unit);
    }
    size_t n = (size_t)r->state.dimension;
    for (int i = 0; i < count && i < SAC_MAX_KEPT_ARRAYS; i++)
        if (arrays[i].count <= 4 * n)
            hash = sac_hash_bytes(hash, arrays[i].data, sac_dtype_size(arrays[i].dtype) * arrays[i].count);
    hash = sac_hash_bytes(hash, r->normaliser.numbers, sizeof(double) * sac_normaliser_count(&r->normaliser));
    return sac_hash_bytes(hash, r->state.average, sizeof(double) * n);
}

sac_status sac_run_round(sac_run *r, sac_round_kind kind, const sac_rollout_job *job)
{
    sac_rollout_job own = *job;
    own.fingerprint = fingerprint_of(r, kind, job);
    double seconds, begin = sac_clock();
    const sac_results results = {job->units, job->unit_count, job->seen, job->seen ? 2 * r->normaliser.size : 0};
    if (sac_returns_find(r->known, own.fingerprint, &results, &seconds))
    {
        r->seconds += seconds;
        return SAC_OK;
    }
    SAC_TRY(sac_rollouts_run(r->rollouts, &own));
    return sac_returns_add(r->known, own.fingerprint, &results, sac_clock() - begin);
}
