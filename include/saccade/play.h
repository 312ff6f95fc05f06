#pragma once

#include "saccade/env.h"
#include "saccade/policy.h"

/// A policy in a world: whether the two fit, and how a policy is made for a world.

/// The options of a policy that say what it takes of a world: "inputs", names of parts separated by blanks, and
/// "teacher", which allows parts that are privileged. They stand beside the options of its kind, such as in a task's
/// `policy`.
SAC_API const sac_option *sac_policy_world_options(void);

/// Create a policy for a world, with all parameters zero: its actions are the world's, and its inputs are the parts
/// that the setting "inputs" names, or else what its kind looks at: the first picture for kinds that look at one, all
/// vectors for `mlp`. Parts that are privileged are taken where the setting "teacher" is true, and then by `mlp`
/// unasked, where the world has no other vectors.
/// @param      settings  options of the kind, "inputs" and "teacher"
/// @param[out] out       released by sac_policy_destroy; NULL on failure
/// @return SAC_ERROR_ARGUMENT for a part that is not there (with "did you mean") or may not be seen, and as
///         sac_policy_create
SAC_API SAC_CHECKED sac_status sac_policy_create_for(sac_policy **out, const sac_env *env, const char *kind,
                                                     const sac_setting *settings, int setting_count);

/// Check that a policy and a world fit: every input is a part of the world with the same space, none is privileged that
/// the policy did not know as such, and the actions are the same. An input "camera" of a policy that takes nothing else
/// is the world's first picture, whatever its name.
/// @param[out] parts  [input_count] the world's part that each input is; NULL: not wanted
/// @return SAC_ERROR_ARGUMENT with the first difference
SAC_API SAC_CHECKED sac_status sac_policy_fits(const sac_policy *policy, const sac_env *env, int *parts);

/// The same policy for images of the sizes that the world shows, where the policy resizes what it sees, as its kind
/// says: those that are built in do where their setting image_size is not 0, and kinds of others never do.
/// @param[out] out  with the policy's parameters, released by sac_policy_destroy; NULL where the sizes are the policy's
///                  own already, where it resizes nothing, and on failure
/// @return SAC_ERROR_MEMORY, or SAC_ERROR_ARGUMENT for sizes that the kind cannot look at
SAC_API SAC_CHECKED sac_status sac_policy_create_resized(sac_policy **out, const sac_policy *policy,
                                                         const sac_env *env);
