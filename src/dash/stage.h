#pragma once

#include "files/growing.h"
#include "saccade/base.h"

/// A stage is where a page's agents play: one of a run, or those of several runs next to each other. The server's
/// thread alone uses it.
typedef struct sac_stage_calls
{
    /// @param[out] out  released by destroy; NULL on failure
    sac_status (*create)(void **out, const char *dir);
    /// Take a step and add the server-sent event that shows it; add nothing where there is nothing to show.
    /// @param feed  of the page
    void (*show)(void *stage, const void *feed, sac_growing *text);
    void (*destroy)(void *stage); ///< NULL is ignored
} sac_stage_calls;

/// The mean agent of a run.
extern const sac_stage_calls sac_run_stage;

/// The best agents of a folder's runs, on the same episodes.
extern const sac_stage_calls sac_folder_stage;
