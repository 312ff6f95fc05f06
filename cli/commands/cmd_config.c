#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "run/task.h"
#include "saccade/train.h"
#include "stop.h"

/// saccade config: a task with every option spelled out, as its run would write it.

static const cli_flag flags[] = {
    {"set", "SECTION.KEY=VALUE", "overrule the task file, such as policy.attention=relu", true},
    {0},
};

static int run(const cli_args *args)
{
    const sac_setting *settings;
    int count = cli_settings(args, "set", &settings);
    if (count < 0) return CLI_USAGE;
    cli_print_log(NULL);
    sac_task *task;
    char *text = NULL;
    sac_status status = sac_task_load(&task, cli_positional(args, 0), settings, count);
    if (status == SAC_OK) status = sac_task_write(task, &text);
    if (status == SAC_OK) fputs(text, stdout);
    sac_free(text);
    sac_task_destroy(task);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_config = {"config", "TASK.yaml", "a task with every option spelled out, as a run would have it",
                                flags, run};
