#include "base/error.h"
#include "policy/kind.h"
#include "rollout/rollout.h"
#include "uptrain/uptrain.h"

/// What can be asked for.

enum
{
    COOKIE = 0x0b7a1e
};

sac_uptrain_def sac_uptrain_default_def(void)
{
    return (sac_uptrain_def){.seed = 1,
                             .first_episode = SAC_TRAINING_SEED_FIRST,
                             .match_rounds = 1,
                             .match_steps = 1000,
                             .match_batch = 32,
                             .match_rate = 0.02,
                             .tune_steps = -1,
                             .threads = 1,
                             .internal = COOKIE};
}

// what a kind of policy has where nothing is asked for
typedef struct usual
{
    const char *attention;
    int features, frames, rounds;
    double rate;
    int steps;
} usual;

static usual usual_of(const sac_policy *policy)
{
    if (policy->ops == &sac_action_tokens_ops) return (usual){"relu", 16, 32768, 12, 3e-3, 6000};
    if (policy->ops == &sac_point_cloud_ops) return (usual){"relu", 16, 8192, 4, 2e-3, 4000};
    return (usual){"exp", 16, 4096, 4, 5e-5, 400};
}

bool sac_uptrain_in_layers(const sac_policy *policy)
{
    return policy->ops == &sac_action_tokens_ops || policy->ops == &sac_point_cloud_ops;
}

sac_uptrain_def sac_uptrain_settle(const sac_uptrain_def *def, const sac_policy *policy)
{
    const usual u = usual_of(policy);
    sac_uptrain_def d = *def;
    if (!d.attention) d.attention = u.attention;
    if (d.features == 0) d.features = u.features;
    if (d.frames == 0) d.frames = u.frames;
    if (d.rounds == 0) d.rounds = u.rounds;
    if (d.tune_rate == 0) d.tune_rate = u.rate;
    return d;
}

uint64_t sac_uptrain_steps(const sac_uptrain_def *def, const sac_policy *policy, bool has_memory)
{
    if (def->tune_steps >= 0) return (uint64_t)def->tune_steps;
    return has_memory ? 0 : (uint64_t)usual_of(policy).steps;
}

static sac_status check_whole(const char *field, int value, int least, int most)
{
    if (value >= least && value <= most) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "up-training: %s is %d, expected %d to %d", field, value, least, most);
}

static sac_status check_rate(const char *field, double value)
{
    if (value > 0 && value <= 1e3) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "up-training: %s is %g, expected more than 0 and 1000 at most", field, value);
}

sac_status sac_uptrain_check(const sac_uptrain_def *def)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "up-training: the def does not come from sac_uptrain_default_def()");
    if (def->frames != 0) SAC_TRY(check_whole("frames", def->frames, 512, 1 << 20));
    SAC_TRY(check_whole("rounds", def->rounds, 0, 64));
    SAC_TRY(check_whole("match_rounds", def->match_rounds, 1, 64));
    SAC_TRY(check_whole("match_batch", def->match_batch, 1, 1 << 16));
    SAC_TRY(check_whole("tune_batch", def->tune_batch, 0, 1 << 16));
    SAC_TRY(check_whole("threads", def->threads, 1, 1024));
    if (def->tune_steps < -1)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "up-training: tune_steps is %lld, expected 0 or more, or -1 for the default",
                        (long long)def->tune_steps);
    SAC_TRY(check_rate("match_rate", def->match_rate));
    return def->tune_rate == 0 ? SAC_OK : check_rate("tune_rate", def->tune_rate);
}
