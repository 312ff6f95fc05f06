#pragma once

#include "saccade/dash.h"

/// Write a run of `saccade fit` as one HTML file: its live page with all that it was told, and how to repeat the run.
/// @param def  of it the command alone counts
SAC_CHECKED sac_status sac_net_report_write(const char *run_dir, const sac_report_def *def, const char *path);
