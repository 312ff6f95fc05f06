#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "classify/task.h"
#include "cli.h"
#include "run/task.h"
#include "saccade/train.h"
#include "stop.h"

/// saccade config: a task with every option spelled out, as its run would write it.

static const cli_flag flags[] = {
    {"set", "SECTION.KEY=VALUE", "overrule the task file, such as policy.attention=relu", true},
    {0},
};

// the task of a policy, as text that is released by sac_free
static sac_status write_policy(char **text, const char *path, const sac_setting *settings, int count)
{
    sac_task *task;
    SAC_TRY(sac_task_load(&task, path, settings, count));
    sac_status status = sac_task_write(task, text);
    sac_task_destroy(task);
    return status;
}

// the same of a net that classifies pictures
static sac_status write_net(char **text, const char *path, const sac_setting *settings, int count)
{
    sac_classify_task *task;
    SAC_TRY(sac_classify_task_load(&task, path, settings, count));
    sac_status status = sac_classify_task_write(task, text);
    sac_free(task);
    return status;
}

static int run(const cli_args *args)
{
    const sac_setting *settings;
    const char *path = cli_positional(args, 0);
    int count = cli_settings(args, "set", &settings);
    if (count < 0) return CLI_USAGE;
    cli_print_log(NULL);
    char *text = NULL;
    const bool net = sac_classify_task_is(path, settings, count);
    sac_status status = (net ? write_net : write_policy)(&text, path, settings, count);
    if (status == SAC_OK) fputs(text, stdout);
    sac_free(text);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_config = {"config", "TASK.yaml", "a task with every option spelled out, as a run would have it",
                                flags, run};
