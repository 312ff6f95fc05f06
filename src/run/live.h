#pragma once

#include "files/json.h"
#include "saccade/run.h"

/// progress.json in the run folder: what a run does just now, for those who watch it from outside. Written some times a
/// second; of no use to a resume.

SAC_CHECKED sac_status sac_live_write(const char *run_dir, const sac_progress *progress);

/// The same of a run that is no training of a policy.
/// @param root  what the file says; released; NULL where memory has run out
SAC_CHECKED sac_status sac_live_write_as(const char *run_dir, json_t *root);
