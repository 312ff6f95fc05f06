#pragma once

#include "saccade/env.h"

/// Parts of a world that a person names.

/// Read a list of names, with blanks or commas between them, as numbers of parts in the order given.
/// @param where  begins errors, such as "policy.inputs"
/// @param[out] parts, count  count is 0 where the list is empty
/// @return SAC_ERROR_ARGUMENT for a name that is unknown (with "did you mean") or stands there twice
SAC_CHECKED sac_status sac_env_read_parts(const sac_env *env, const char *names, const char *where,
                                          int parts[SAC_MAX_PARTS], int *count);
