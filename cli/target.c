#include "target.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "saccade/play.h"
#include "same_world.h"

// the same parameters for the pictures that --set asks the environment for
static sac_status fit_pictures(cli_target *target)
{
    sac_env *env;
    SAC_TRY(sac_env_create(&env, &target->env));
    sac_policy *fitted;
    sac_status status = sac_policy_create_resized(&fitted, target->policy, env);
    sac_env_destroy(env);
    if (!fitted) return status;
    sac_policy_destroy(target->policy);
    target->policy = fitted;
    return SAC_OK;
}

int cli_check_out(const cli_args *args, const char *flag)
{
    const char *path = cli_value(args, flag);
    sac_status status = path ? sac_check_target(path) : SAC_OK;
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

int cli_target_open(cli_target *target, const cli_args *args, const char *path)
{
    *target = (cli_target){0};
    sac_status status = path ? sac_policy_load(&target->policy, &target->info, path) : SAC_OK;
    if (status != SAC_OK) return cli_fail(status);

    const char *id = cli_value(args, "env"), *variant = cli_value(args, "variant");
    bool same = !id || strcmp(id, target->info.environment) == 0;
    target->env.id = id ? id : target->info.environment;
    target->env.variant = variant ? variant : same ? target->info.variant : NULL;
    if (target->env.variant && !target->env.variant[0]) target->env.variant = NULL;
    target->env.settings = target->settings;
    if (!target->env.id[0])
    {
        cli_target_close(target);
        return path ? cli_usage("%s names no environment: say which with --env", path)
                    : cli_usage("neither a policy nor an environment: say which with --env");
    }

    const sac_setting *given;
    int count = cli_settings(args, "set", &given);
    int kept = same ? target->info.setting_count : 0;
    if (count < 0 || (size_t)(count + kept) >= sizeof target->settings / sizeof *target->settings)
    {
        cli_target_close(target);
        return CLI_USAGE;
    }
    for (int i = 0; i < kept; i++) target->settings[target->env.setting_count++] = target->info.settings[i];
    for (int i = 0; i < count; i++) target->settings[target->env.setting_count++] = given[i];
    if (cli_has(args, "renderer"))
        target->settings[target->env.setting_count++] = (sac_setting){"renderer", cli_value(args, "renderer")};
    if (count > 0 && target->policy) status = fit_pictures(target);
    if (status == SAC_OK && count > 0 && target->policy && same) status = cli_say_other_world(target, path);
    if (status == SAC_OK) return CLI_OK;
    cli_target_close(target);
    return cli_fail(status);
}

void cli_target_close(cli_target *target)
{
    sac_policy_info_clear(&target->info);
    sac_policy_destroy(target->policy);
}

const char *cli_baseline_name(sac_baseline baseline)
{
    return baseline == SAC_BASELINE_IDLE ? "idle" : "random";
}

static sac_status evaluate(const cli_target *target, uint64_t first, int count, int threads, double *ends,
                           sac_episode *episodes)
{
    uint64_t *seeds = calloc((size_t)count, sizeof *seeds);
    if (!seeds) return sac_fail_memory("episodes");
    for (int i = 0; i < count; i++) seeds[i] = first + (uint64_t)i;
    const sac_evaluation_def def = {.policy = target->policy,
                                    .env = &target->env,
                                    .seeds = seeds,
                                    .count = count,
                                    .threads = threads,
                                    .ends = ends};
    const sac_status status = sac_evaluate_seeds(&def, episodes);
    free(seeds);
    return status;
}

int cli_target_drive(const cli_target *target, uint64_t first, int count, int threads, double *ends,
                     sac_episode **episodes)
{
    *episodes = calloc((size_t)count, sizeof **episodes);
    sac_status status = SAC_OK;
    if (!*episodes)
        status = sac_fail_memory("episodes");
    else if (target->policy)
        status = evaluate(target, first, count, threads, ends, *episodes);
    else
        status = sac_baseline_drive(target->baseline, &target->env, first, count, threads, *episodes, ends);
    if (status == SAC_OK) return CLI_OK;
    free(*episodes);
    *episodes = NULL;
    return cli_fail(status);
}

const char *cli_target_variant(const cli_target *target)
{
    return target->env.variant ? target->env.variant : "original";
}

int cli_check_returns(const char *command, const sac_episode *episodes, int count)
{
    int bad = 0, first = 0;
    for (int i = count - 1; i >= 0; i--)
        if (!isfinite(episodes[i].episode_return))
        {
            bad++;
            first = i;
        }
    if (bad == 0) return CLI_OK;
    fprintf(stderr, "saccade: %s: the return of %d of %d episodes is no number, first that of seed %" PRIu64 "\n",
            command, bad, count, episodes[first].seed);
    return CLI_FAILURE;
}
