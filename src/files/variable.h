#pragma once

#include "saccade/base.h"

/// Environment variables that name files or folders. One that is set and empty is a mistake of a script, whose own
/// variable was not set, and is refused as an empty path is; to have the default, leave the variable unset.

/// Read one of them.
/// @param      name   one of the table in variable.c
/// @param[out] value  NULL where it is not set
/// @return SAC_ERROR_ARGUMENT where it is set and empty
SAC_CHECKED sac_status sac_read_variable(const char **value, const char *name);

/// Check all of them, also those that what follows does not use.
SAC_CHECKED sac_status sac_check_variables(void);
