#pragma once

#include "saccade/policy.h"

/// The texts in a policy file's metadata.

/// Whether version 1 of the format, which knows one picture alone, can describe a policy.
bool sac_policy_is_plain(const sac_policy_def *def);

/// A policy's def or an info as JSON, released by sac_free; NULL on lack of memory. Numbers read back to the bit.
/// Options have the first names that they ever had (files/renamed.h), so that every version can read the file.
char *sac_policy_def_text(const sac_policy *policy);
char *sac_policy_info_text(const sac_policy_info *info);

/// Create the policy that `text` describes.
/// @return SAC_ERROR_FORMAT when it is no description of a policy
SAC_CHECKED sac_status sac_policy_from_text(sac_policy **out, const char *text);

/// @param[out] info  cleared by the caller, also after a failure
SAC_CHECKED sac_status sac_policy_info_from_text(sac_policy_info *info, const char *text);
