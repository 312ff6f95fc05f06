#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "rollout/rollout.h"

enum
{
    LANES = 16
};

sac_score sac_score_of(const sac_episode *episodes, int count)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) sum += episodes[i].episode_return;
    double mean = sum / count;
    for (int i = 0; i < count; i++)
        squares += (episodes[i].episode_return - mean) * (episodes[i].episode_return - mean);
    return (sac_score){.mean = mean, .std = count > 1 ? sqrt(squares / (count - 1)) : 0, .episodes = count};
}

double sac_count_of(const sac_env_spec *spec, int column, const double *ends, int count)
{
    const bool flag = spec->columns[column].type == SAC_COLUMN_FLAG;
    if (!flag && spec->columns[column].type != SAC_COLUMN_COUNT) return 0;
    double sum = 0;
    for (int i = 0; i < count; i++)
    {
        const double value = ends[(size_t)i * (size_t)spec->column_count + (size_t)column];
        sum += flag ? value != 0 : value;
    }
    return sum;
}

static sac_status drive(const sac_evaluation_def *def, sac_unit *units)
{
    int share = (def->count + def->threads - 1) / def->threads;
    sac_comm *comm;
    SAC_TRY(sac_comm_create_self(&comm));
    sac_rollouts *rollouts = NULL;
    sac_status status =
        sac_rollouts_create(&rollouts, def->policy, def->env, comm, def->threads, share < LANES ? share : LANES);
    if (status == SAC_OK)
        status = sac_rollouts_run(
            rollouts, &(sac_rollout_job){
                          .units = units, .unit_count = def->count, .ends = def->ends, .interrupt = def->interrupt});
    sac_rollouts_destroy(rollouts);
    sac_comm_close(comm, status);
    return status;
}

sac_status sac_evaluate_seeds(const sac_evaluation_def *def, sac_episode *episodes)
{
    SAC_ASSERT(def->count >= 1 && def->threads >= 1);
    sac_unit *units = SAC_NEW_ARRAY(sac_unit, (size_t)def->count);
    if (!units) return sac_fail_memory("episodes");
    for (int i = 0; i < def->count; i++) units[i].seed = def->seeds[i];
    sac_status status = drive(def, units);
    for (int i = 0; status == SAC_OK && i < def->count; i++)
        episodes[i] = (sac_episode){units[i].seed, units[i].episode_return, units[i].steps};
    sac_free(units);
    return status;
}

sac_status sac_evaluate(const sac_policy *policy, const sac_env_def *env, uint64_t first_seed, int count, int threads,
                        sac_episode *episodes)
{
    SAC_ASSERT(count >= 1);
    uint64_t *seeds = SAC_NEW_ARRAY(uint64_t, (size_t)count);
    if (!seeds) return sac_fail_memory("episodes");
    for (int i = 0; i < count; i++) seeds[i] = first_seed + (uint64_t)i;
    sac_status status =
        sac_evaluate_seeds(&(sac_evaluation_def){policy, env, seeds, count, threads, NULL, NULL}, episodes);
    sac_free(seeds);
    return status;
}
