#pragma once

#include "saccade/env.h"

/// Checks what an environment's table and spec must hold, and names what is missing.

/// @return SAC_ERROR_ARGUMENT when a required function is missing or the options do not fit
SAC_CHECKED sac_status sac_env_check_ops(const sac_env_ops *ops);

/// @return SAC_ERROR_ENVIRONMENT when the spec is one that nothing can be driven by
SAC_CHECKED sac_status sac_env_check_spec(const sac_env_ops *ops, const sac_env_spec *spec);
