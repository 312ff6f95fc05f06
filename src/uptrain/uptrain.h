#pragma once

#include "base/threads.h"
#include "saccade/uptrain.h"
#include "uptrain/lesson.h"

/// What the files of this room share.

/// Check that a def's numbers are in their ranges.
SAC_CHECKED sac_status sac_uptrain_check(const sac_uptrain_def *def);

/// Whether the maps of a policy are its layers of queries and keys, as of action-tokens and of point-cloud, so that
/// they learn in the second phase and there is no first one.
bool sac_uptrain_in_layers(const sac_policy *policy);

/// A def with the defaults of the policy's kind in place of what was not asked for, all but its tune_steps.
sac_uptrain_def sac_uptrain_settle(const sac_uptrain_def *def, const sac_policy *policy);

/// Steps of the second phase.
uint64_t sac_uptrain_steps(const sac_uptrain_def *def, const sac_policy *policy, bool has_memory);

/// Copy the tensors that both policies have in the same size, into a policy that nobody else knows yet.
void sac_uptrain_copy_tensors(const sac_policy *to, const sac_policy *from);

/// The first phase (match.c): G and v of `student` learn to give what the attention of `teacher` gives of the pictures.
/// @param[in,out] parameters  [parameter_count] of the student
SAC_CHECKED sac_status sac_uptrain_match(const sac_policy *student, float *parameters, const sac_policy *teacher,
                                         const sac_lesson *lesson, const sac_uptrain_def *def,
                                         sac_uptrain_result *result);
