#pragma once

#include "saccade/run.h"

/// progress.json in the run folder: what a run does just now, for those who watch it from outside. Written about once a
/// second; of no use to a resume.

SAC_CHECKED sac_status sac_live_write(const char *run_dir, const sac_progress *progress);
