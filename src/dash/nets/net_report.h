#pragma once

#include "saccade/run.h"

/// The report of a run of `saccade fit`, for sac_report_write: net_report.html with its {{words}} filled in.
/// @param command  that trained the run; NULL: `saccade fit` on its task
SAC_CHECKED sac_status sac_net_report_write(const char *run_dir, const sac_run_summary *summary, const char *command,
                                            const char *path);
