#pragma once

#include "saccade/env.h"

/// What an environment's table and spec must hold; whoever writes a world is told what is missing.

/// @return SAC_ERROR_ARGUMENT when a required function is missing or the options do not fit
SAC_CHECKED sac_status sac_env_check_ops(const sac_env_ops *ops);

/// @return SAC_ERROR_ENVIRONMENT when the spec is one that nothing can be driven by
SAC_CHECKED sac_status sac_env_check_spec(const sac_env_ops *ops, const sac_env_spec *spec);

/// A status that an environment's function has given, as callers know it: one of the list, with a sentence.
/// @param failures  sac_failure_count() before the call
/// @param what      the function, such as "step"
SAC_CHECKED sac_status sac_env_outcome(const sac_env_ops *ops, sac_status status, uint64_t failures, const char *what);
