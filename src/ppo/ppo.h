#pragma once

#include "files/arrays/safetensors.h"
#include "rollout/comm.h"
#include "rollout/normaliser.h"
#include "saccade/env.h"
#include "saccade/policy.h"

/// Proximal policy optimisation (Schulman et al. 2017): worlds side by side are driven for some steps by a policy that
/// tries actions at random around its own; the policy learns, for some epochs, to do more of what turned out better
/// than a critic had expected, and the critic to expect better. The details are those of the common implementations
/// (Huang et al. 2022, "The 37 implementation details of PPO").
///
/// Same bits for any number of threads and ranks: worlds belong to fixed groups, whose sums are added in their order;
/// minibatches are cut into fixed slices; every draw is a pure function of the seed, the iteration and the world.

typedef struct sac_ppo sac_ppo;

typedef struct sac_ppo_def
{
    const sac_policy *policy; ///< the architecture; outlives the learner
    const sac_env_def *env;
    const sac_setting *settings; ///< see sac_ppo_options
    int setting_count;
    const float *start;     ///< [parameters] where the policy starts
    bool fresh;             ///< that is a draw, which the learner may replace by one of its own
    const uint8_t *trained; ///< [parameters] 0: this parameter stays; NULL: all are trained
    uint64_t seed;
    uint64_t iterations; ///< in which the rate falls to 0, where it does
    sac_comm *comm;
    int threads;
    const volatile int *interrupt; ///< nonzero: stop as soon as possible; NULL: never
} sac_ppo_def;

/// Create a learner; sac_ppo_begin comes before the first iteration.
/// @return SAC_ERROR_ARGUMENT where options, policy and world do not fit
SAC_CHECKED sac_status sac_ppo_create(sac_ppo **out, const sac_ppo_def *def);

/// NULL is ignored.
void sac_ppo_destroy(sac_ppo *ppo);

/// Bring the worlds to where the state has them: new episodes, or those that were under way when a restored state was
/// saved. An episode under way is its seed and the actions so far, which are done again.
SAC_CHECKED sac_status sac_ppo_begin(sac_ppo *ppo);

/// What an iteration tells.
typedef struct sac_ppo_report
{
    uint64_t steps;         ///< of all worlds in this iteration
    double best, mean, std; ///< over worlds, of the return of each one's last finished episode; NaN: none yet
    double entropy;         ///< per step, of the distribution of actions
    double policy_loss, value_loss, divergence, clipped; ///< means over all minibatches; NaN: nothing was learned
    double norm;                                         ///< of the gradient before it is shortened, likewise
    double explained;        ///< share of the variance of targets that the critic knew before; NaN: they had none
    double rate;             ///< of the optimiser
    int epochs;              ///< that were done
    uint64_t bad_rewards;    ///< that were no numbers: they count as 0, and end their episodes
    double acting, stepping; ///< seconds that all threads have spent on each, in all iterations
    double rollout;          ///< seconds of this iteration's rollout
} sac_ppo_report;

/// One iteration: a rollout, then the updates. The first one only measures what normalisers and reward scaling need.
/// @param normaliser  the policy's; what was seen is added to sac_normaliser_begin's, and committed at the end
/// @return SAC_ERROR_DIVERGED at the first step of the optimiser that leaves a parameter which is not finite; after
///         this, SAC_ERROR_INTERRUPTED or another failure the state is what it was, but the worlds are not
SAC_CHECKED sac_status sac_ppo_iterate(sac_ppo *ppo, uint64_t iteration, sac_normaliser *normaliser,
                                       sac_ppo_report *report);

/// Tell whether the rate has fallen to 0 with the last of the def's iterations, so that later ones learn nothing.
bool sac_ppo_anneals(const sac_ppo *ppo);

/// The policy as it is, [parameters], normaliser included.
const float *sac_ppo_parameters(const sac_ppo *ppo);

/// The deviation of actions, in halves of their range, the mean over actions; NaN where they are choices.
double sac_ppo_deviation(const sac_ppo *ppo);

/// One array of the state.
typedef struct sac_ppo_array
{
    const char *name;
    sac_dtype dtype;
    void *data;
    size_t count;
} sac_ppo_array;

enum
{
    SAC_PPO_ARRAYS = 12
};

/// The arrays that are the state. "lengths" decides the size of "actions": when it alone has been written,
/// sac_ppo_reshape makes room, and the list is asked for again.
int sac_ppo_state(sac_ppo *ppo, sac_ppo_array arrays[SAC_PPO_ARRAYS]);
SAC_CHECKED sac_status sac_ppo_reshape(sac_ppo *ppo);

/// Call after the arrays were written: checks them.
SAC_CHECKED sac_status sac_ppo_restored(sac_ppo *ppo);
