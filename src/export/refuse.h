#pragma once

#include "saccade/policy.h"

/// Refuse a policy that reads attention in a way that neither export has: a learned projection, drawn patches, several
/// heads, keys that are kept for several steps.
/// @return SAC_ERROR_UNAVAILABLE with the option's name
SAC_CHECKED sac_status sac_export_check(const sac_policy *policy);
