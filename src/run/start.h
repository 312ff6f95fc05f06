#pragma once

#include "run/task.h"

/// The policies that a run begins with: where train.start names one, and where a teacher does.

/// The run folder keeps a copy of the policy that train.start names, because the original file may later change or
/// vanish.
#define SAC_START_FILE "start.safetensors"

#define SAC_TEACHER_FILE "teacher.safetensors"

/// Make these copies, where there is something to copy. Demonstrations are not copied.
SAC_CHECKED sac_status sac_start_keep(const char *run_dir, const sac_task *task);
