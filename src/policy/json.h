#pragma once

#include "saccade/policy.h"

/// The texts in the metadata of policy files and of demonstrations.

/// Tell whether version 1 of the format, which knows one picture alone, can describe a policy.
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

/// A list of parts, such as those of an observation, as JSON, released by sac_free; NULL on lack of memory.
char *sac_parts_text(const sac_space *spaces, int count);

/// @param[out] out  released by sac_space_free_parts; NULL on failure
/// @param      who  begins the sentence of a failure
/// @return SAC_ERROR_FORMAT when it is no list of parts
SAC_CHECKED sac_status sac_parts_from_text(sac_space **out, int *count, const char *text, const char *who);
