#pragma once

#include "cli.h"
#include "page.h"

/// What commands share that train one task: `train` and `distill`.

#define CLI_TRAINING_FLAGS                                                                                   \
    {"run", "DIR", "run folder; default runs/<task>", false},                                                \
        {"set", "SECTION.KEY=VALUE", "overrule the task file, such as policy.attention=relu", true},         \
        {"resume", NULL, "go on from the last checkpoint", false},                                           \
        {"any-cpu-level", NULL, "resume a checkpoint that another CPU level wrote", false},                  \
        {"threads", "N", "of each rank; default 1", false},                                                  \
        {"generations", "N", "in total; default: the task's own", false},                                    \
        {"seconds", "N", "end by itself after so many seconds, with a checkpoint; --resume goes on", false}, \
        CLI_DASH_FLAG, {"json", NULL, "print one JSON object a generation", false},                          \
    {                                                                                                        \
        "quiet", NULL, "print nothing but errors and warnings", false                                        \
    }

/// Train the task that the command line names.
/// @param settings  [count] after the task file, as --set gives them
/// @return an exit code
int cli_run_training(const cli_args *args, const sac_setting *settings, int count);
