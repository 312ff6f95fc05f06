#pragma once

#include "saccade/base.h"

/// The live page of a run, or of a folder of runs. A server that only this machine can reach reads the run's folder,
/// while it grows or afterwards. Of a run that trains a policy it runs the mean agent while someone has the page open;
/// of one of `saccade fit` it shows how the net learns, and what heads of attention look at. Of a folder it shows the
/// runs side by side, with a link to the page of each. The runs compute the same either way.

typedef struct sac_dash sac_dash;

/// Serve a run folder, or a folder of run folders such as that of a sweep, at http://localhost:PORT/. One that is not
/// there yet will be a run that trains a policy.
/// @param[out] out   released by sac_dash_destroy; NULL on failure
/// @param      port  0: any that is free
/// @return SAC_ERROR_UNAVAILABLE without libmicrohttpd, or when the port is taken: the sentence names the next free one
SAC_API SAC_CHECKED sac_status sac_dash_create(sac_dash **out, const char *run_dir, int port);

/// The same of a run of `saccade fit`, whose folder need not be there yet.
SAC_API SAC_CHECKED sac_status sac_dash_create_net(sac_dash **out, const char *run_dir, int port);

/// Tell whether this is no run folder, but one that holds runs, or will: the folder of a sweep.
SAC_API bool sac_dash_is_folder(const char *dir);

/// The port that is served.
SAC_API int sac_dash_port(const sac_dash *dash);

/// Stop serving. NULL is ignored.
SAC_API void sac_dash_destroy(sac_dash *dash);

/// What a report holds beside the run's own facts.
typedef struct sac_report_def
{
    uint64_t seed;       ///< of the episode that is shown
    int frames;          ///< of it at most, evenly over its steps; 0: none
    const char *command; ///< that trained the run; NULL: derived from the folder
} sac_report_def;

/// Write a run as one HTML file that needs nothing else. It holds the run's card, its curves, an episode of its best
/// agent with its attention, the task, and the commands that repeat the run. Of a run of `saccade fit` it holds the
/// live page with all that it was told, the task, and the command; seed and frames mean nothing there.
/// @return SAC_ERROR_FILE when the folder holds no run; SAC_ERROR_UNAVAILABLE without cairo
SAC_API SAC_CHECKED sac_status sac_report_write(const char *run_dir, const sac_report_def *def, const char *path);
