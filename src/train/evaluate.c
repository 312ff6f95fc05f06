#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "train/rollout.h"

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

sac_status sac_evaluate(const sac_policy *policy, const sac_env_def *env, uint64_t first_seed, int count, int threads,
                        sac_episode *episodes)
{
    SAC_ASSERT(count >= 1 && threads >= 1);
    int share = (count + threads - 1) / threads;
    sac_comm *comm;
    SAC_TRY(sac_comm_create_self(&comm));
    sac_unit *units = SAC_NEW_ARRAY(sac_unit, (size_t)count);
    for (int i = 0; units && i < count; i++) units[i].seed = first_seed + (uint64_t)i;

    sac_rollouts *rollouts = NULL;
    sac_status status = units ? SAC_OK : sac_fail_memory("episodes");
    if (status == SAC_OK)
        status = sac_rollouts_create(&rollouts, policy, env, comm, threads, share < LANES ? share : LANES);
    if (status == SAC_OK) status = sac_rollouts_run(rollouts, &(sac_rollout_job){.units = units, .unit_count = count});
    for (int i = 0; status == SAC_OK && i < count; i++)
        episodes[i] = (sac_episode){units[i].seed, units[i].episode_return, units[i].steps};
    sac_rollouts_destroy(rollouts);
    sac_comm_close(comm, status);
    sac_free(units);
    return status;
}
