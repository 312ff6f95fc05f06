#pragma once

#include "saccade/base.h"

/// The policy that a run begins with, where train.start names one.

/// Its copy in the run folder: by the time that someone repeats the run the file itself may be gone, or another one.
#define SAC_START_FILE "start.safetensors"

/// Make that copy. @param start  train.start; "draw" and "zeros" are no files
SAC_CHECKED sac_status sac_start_keep(const char *run_dir, const char *start);
