#pragma once

#include "saccade/env.h"
#include "saccade/policy.h"

/// Up-training (SARA-RT, Leal et al. 2023): a policy that looks through softmax attention becomes one that looks
/// through linear attention, A_ij = phi(q_i).phi(k_j) divided by the sum of its row, phi = v f(G y), in time linear in
/// the number of patches.
///
/// It takes three steps. The twin is the policy with the same parameters and a random G. In the first phase the G of
/// queries, the G of keys and v learn to give what softmax gives of the same pictures: the scores of patches, or, of
/// iap-trans, the tokens that the controller is told. In the second phase all parameters learn to act as the softmax
/// policy does.
///
/// Pictures come from episodes that the softmax policy drives and, round by round, from episodes that the new policy
/// drives while the softmax policy says what it would do, so that the new policy learns how to leave the states that
/// its own mistakes lead to (Ross, Gordon and Bagnell 2011).

/// How to up-train. Start from sac_uptrain_default_def(). Of action-tokens and point-cloud the layers of queries and
/// keys are the maps, so that there is no first phase, and what another map says is further from what softmax said:
/// with features or random they are refused, match_* means nothing, and other defaults lead them back. Those of
/// point-cloud are relu, 8192 clouds, 4 rounds, 4000 steps, 64 clouds a step and a rate of 2e-3.
typedef struct sac_uptrain_def
{
    const char *attention;  ///< f: "relu", "exp" or "square"; default NULL: "exp", of action-tokens "relu"
    int features;           ///< m in 1..4096, default 0: 16, of action-tokens the numbers of a head
    bool random;            ///< G and v stay as they are drawn, and there is no first phase; default false
    uint64_t seed;          ///< draws G and the orders of pictures, default 1
    uint64_t first_episode; ///< seed of the first episode that pictures come from, default SAC_TRAINING_SEED_FIRST
    int frames;             ///< pictures that are held in memory, all rounds together, 512 at least; default 0: 4096,
                            ///< of action-tokens 32768
    int rounds;             ///< parts that the second phase is cut into; the new policy drives all but the first one's
                            ///< episodes; default 0: 4, of action-tokens 12
    int match_rounds;       ///< of the first phase; the new policy drives the episodes of all but the first one, which
                            ///< have a quarter of the steps and of the rate; default 1
    uint64_t match_steps;   ///< of the first phase's first round, default 1000; 0: there is none
    int match_batch;        ///< pictures a step, default 32
    double match_rate;      ///< largest rate of Adam, falling to 0 along half a cosine, default 0.02
    int64_t tune_steps;     ///< of the second phase, all rounds together, 0: there is none; default -1: 400, of
                            ///< action-tokens 6000, or none for a policy with memory, whose actions sequences that
                            ///< begin without memory misjudge
    int tune_batch;         ///< sequences a step, default 0: 64, or 8 of action-tokens and of a policy with memory
    double tune_rate;       ///< likewise, default 0: 5e-5, of action-tokens 3e-3
    int threads;            ///< 1 at least, default 1; any number gives the same bits
    const volatile int *interrupt; ///< not 0: stop as soon as possible; default NULL
    /// Called now and then from the calling thread; NULL: never.
    void (*progress)(void *user, const char *phase, uint64_t step, uint64_t steps, double loss);
    void *user;
    uint32_t internal; ///< marks a def that came from the default; do not set
} sac_uptrain_def;

/// What came of it. A phase that was left out has NaN.
typedef struct sac_uptrain_result
{
    int frames, episodes; ///< that were used
    uint64_t steps;       ///< of the world, that they took
    int features;         ///< m of the new policy: of action-tokens the numbers of a head, else the def's
    double match_first,
        match_last;               ///< loss of the first phase in its first and its last tenth, mean over pictures: of
                                  ///< iap-trans the share of the variance of what softmax gives that is not
                                  ///< explained, else the divergence of the choices of patches from softmax's, in nats
    double kept_first, kept_last; ///< share of the patches that softmax keeps which the new policy keeps, too, before
                                  ///< and after the first phase, on pictures of the first round; NaN for iap-trans
    double tune_first, tune_last; ///< loss of the second phase (sac_fit_run), in its first and its last round
} sac_uptrain_result;

SAC_API sac_uptrain_def sac_uptrain_default_def(void);

/// Create the twin of a policy without training: linear attention by a random G, every other tensor as it was.
/// @param[out] out  released by sac_policy_destroy; NULL on failure
/// @return SAC_ERROR_ARGUMENT for a policy that does not look through softmax, an unknown map (with "did you mean") or
///         a number of features out of range; SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_uptrain_twin(sac_policy **out, const sac_policy *policy, const sac_uptrain_def *def);

/// Up-train. The bits depend on neither the number of threads nor the CPU level.
/// @param[out] out     the new policy, released by sac_policy_destroy; NULL on failure
/// @param      env     the world that the policy acts in
/// @param[out] result  NULL: not wanted
/// @return as sac_uptrain_twin; SAC_ERROR_ARGUMENT also for a policy that has no gradient or does not fit the world;
///         SAC_ERROR_DIVERGED where a rate was so large that a parameter was not finite any more;
///         SAC_ERROR_INTERRUPTED
SAC_API SAC_CHECKED sac_status sac_uptrain(sac_policy **out, const sac_policy *policy, const sac_env_def *env,
                                           const sac_uptrain_def *def, sac_uptrain_result *result);
