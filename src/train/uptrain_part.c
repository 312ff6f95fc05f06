#include "train/uptrain_part.h"

#include <math.h>

#include "base/error.h"
#include "uptrain/uptrain.h"

sac_uptrain_def sac_uptrain_typed_def(const sac_uptrain_options *options)
{
    sac_uptrain_def def = sac_uptrain_default_def();
    if (options->attention[0]) def.attention = options->attention;
    def.features = options->features;
    def.random = options->random;
    def.seed = options->seed;
    def.first_episode = options->from;
    def.frames = options->frames;
    def.match_steps = (uint64_t)options->match;
    def.match_rounds = options->match_rounds;
    def.match_rate = options->match_rate;
    def.tune_steps = options->tune;
    def.tune_rate = options->rate;
    def.rounds = options->rounds;
    return def;
}

static sac_status check_maps(const sac_recipe_part *part, const sac_policy *policy)
{
    const char *option = sac_uptrain_option_of_maps(part->settings, part->setting_count);
    if (!option || !sac_uptrain_in_layers(policy)) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "%s: uptrain: %s means nothing for %s, whose maps are its layers", part->run,
                    option, sac_policy_kind(policy));
}

static sac_status uptrain(const sac_recipe_part *part, const sac_policy *policy, const sac_policy_info *info,
                          const char *out, const sac_uptrain_def *def, uint64_t *steps)
{
    const sac_env_def env = {.id = info->environment,
                             .variant = info->variant[0] ? info->variant : NULL,
                             .settings = info->settings,
                             .setting_count = info->setting_count};
    sac_uptrain_options options;
    sac_uptrain_result result;
    sac_policy *made;
    SAC_TRY(check_maps(part, policy));
    SAC_TRY(sac_uptrain_options_read(&options, part->settings, part->setting_count, part->run));
    sac_uptrain_def own = sac_uptrain_typed_def(&options);
    own.threads = def->threads;
    own.interrupt = def->interrupt;
    own.progress = def->progress;
    own.user = def->user;
    SAC_TRY(sac_uptrain(&made, policy, &env, &own, &result));
    // what it returns is not what the file of the softmax policy says
    sac_policy_info told = *info;
    told.score = told.score_std = NAN;
    told.score_episodes = 0;
    sac_status status = sac_policy_save(made, NULL, &told, out);
    sac_policy_destroy(made);
    *steps = result.steps;
    return status;
}

sac_status sac_uptrain_part(const sac_recipe_part *part, const char *start, const char *out, const sac_uptrain_def *def,
                            uint64_t *steps)
{
    sac_policy *policy;
    sac_policy_info info;
    *steps = 0;
    SAC_TRY(sac_policy_load(&policy, &info, start));
    sac_status status = uptrain(part, policy, &info, out, def, steps);
    sac_policy_info_clear(&info);
    sac_policy_destroy(policy);
    return status;
}
