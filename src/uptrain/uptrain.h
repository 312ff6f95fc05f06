#pragma once

#include "base/threads.h"
#include "saccade/uptrain.h"
#include "uptrain/lesson.h"

/// What the files of this room share.

/// Check that a def's numbers are in their ranges.
SAC_CHECKED sac_status sac_uptrain_check(const sac_uptrain_def *def);

/// Copy the tensors that both policies have in the same size, into a policy that nobody else knows yet.
void sac_uptrain_copy_tensors(const sac_policy *to, const sac_policy *from);

/// The first phase (match.c): G and v of `student` learn to give what the attention of `teacher` gives of the pictures.
/// @param[in,out] parameters  [parameter_count] of the student
SAC_CHECKED sac_status sac_uptrain_match(const sac_policy *student, float *parameters, const sac_policy *teacher,
                                         const sac_lesson *lesson, const sac_uptrain_def *def,
                                         sac_uptrain_result *result);
