#include "base/error.h"
#include "saccade/run.h"
#include "training.h"

enum
{
    MAX_SETTINGS = 66 // --set and two of this command
};

static const cli_flag flags[] = {
    {"teacher", "F.safetensors", "short for --set teacher.policy=F.safetensors", false},
    {"demonstrations", "F.safetensors", "in the place of the task's teacher, a file of demonstrations", false},
    CLI_TRAINING_FLAGS,
    {0},
};

static int run(const cli_args *args)
{
    const sac_setting *given;
    sac_setting settings[MAX_SETTINGS];
    int count = cli_settings(args, "set", &given);
    if (count < 0 || count > MAX_SETTINGS - 2) return CLI_USAGE;
    for (int i = 0; i < count; i++) settings[i] = given[i];
    if (cli_has(args, "teacher")) settings[count++] = (sac_setting){"teacher.policy", cli_value(args, "teacher")};
    // they stand in the place of the task's policy, but not of one that is named beside them
    if (cli_has(args, "demonstrations") && !cli_has(args, "teacher"))
        settings[count++] = (sac_setting){"teacher.policy", ""};
    if (cli_has(args, "demonstrations"))
        settings[count++] = (sac_setting){"teacher.demonstrations", cli_value(args, "demonstrations")};

    sac_task *task;
    sac_status status = sac_task_load(&task, cli_positional(args, 0), settings, count);
    if (status != SAC_OK) return cli_fail(status);
    bool taught = sac_task_is_taught(task);
    sac_task_destroy(task);
    if (!taught)
        return cli_usage("distill: %s has another search.method than distill: 'saccade train' carries it out",
                         cli_positional(args, 0));
    return cli_run_training(args, settings, count);
}

const cli_command cli_distill = {"distill", "TASK.yaml", "train a policy to do what a teacher does", flags, run};
