#pragma once

#include "cli.h"
#include "rollout/baseline.h"
#include "saccade/env.h"
#include "saccade/policy.h"
#include "saccade/train.h"

/// A policy file and the environment that it is to meet: what eval, compare and watch begin with.

typedef struct cli_target
{
    sac_policy *policy;
    sac_policy_info info;
    sac_env_def env;           ///< points into the rest
    sac_setting settings[128]; ///< those of the file, then --set
    sac_baseline baseline;     ///< who drives where there is no policy
} cli_target;

/// Flags that select the environment; use them in a command's table.
#define CLI_TARGET_FLAGS                                                             \
    {"env", "ID", "environment; default: the one the policy was trained in", false}, \
        {"set", "KEY=VALUE", "option of the environment, such as rules=v0", true},   \
        {"renderer", "NAME", "short for --set renderer=NAME: own or opengl", false}, \
    {                                                                                \
        "variant", "V", "variant of the environment (see 'saccade envs')", false     \
    }

/// Check that the file which a flag names can be written, before the work whose result it is to hold.
/// @param flag  may be absent
/// @return CLI_OK, or an exit code after a message
int cli_check_out(const cli_args *args, const char *flag);

/// Load a policy and resolve --env, --set and --variant against it.
/// @param path  NULL: no policy, then --env must be given
/// @return CLI_OK, or an exit code after a message
int cli_target_open(cli_target *target, const cli_args *args, const char *path);
void cli_target_close(cli_target *target);

/// "random" or "idle", as in the flags and in files.
const char *cli_baseline_name(sac_baseline baseline);

/// Drive the target's policy over episodes first..first+count-1; without one, its baseline.
/// @param[out] ends      NULL: not wanted; else [count, columns of the environment] as of sac_evaluation_def
/// @param[out] episodes  [count], released by free; NULL after a message
/// @return CLI_OK, or an exit code after a message
int cli_target_drive(const cli_target *target, uint64_t first, int count, int threads, double *ends,
                     sac_episode **episodes);

/// Check that all returns are numbers, as drawing them requires.
/// @return CLI_OK, or CLI_FAILURE after a line that says how many are not, and which is the first
int cli_check_returns(const char *command, const sac_episode *episodes, int count);

/// "original" when none was asked for.
const char *cli_target_variant(const cli_target *target);
