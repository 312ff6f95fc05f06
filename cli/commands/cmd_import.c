#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cli.h"
#include "files/arrays/npz.h"
#include "saccade/policy.h"

// policies of others as policy files: one row a format

typedef struct import_format
{
    const char *name;
    sac_status (*import)(const char *in, const char *out);
} import_format;

// the attention agents that were released: one vector `params`, whose length tells the task
typedef struct released
{
    const char *environment;
    int parameters;
    int height, width;
    sac_setting resize, screen; // of policy and environment; no key: none
    int action_size, action_choices;
    float low[3], high[3];
} released;

static const released tasks[] = {
    {"car-racing", 3667, 96, 96, {0}, {0}, 3, 0, {-1, 0, 0}, {1, 1, 1}},
    {"take-cover", 3633, 480, 640, {"image_size", "96"}, {"screen", "640x480"}, 1, 3, {0}, {2}},
};

static sac_status save(const released *task, const float *parameters, const char *out)
{
    // the published shapes are the defaults
    sac_policy_def def = {.kind = "attention-agent",
                          .settings = &task->resize,
                          .setting_count = task->resize.key != NULL,
                          .height = task->height,
                          .width = task->width,
                          .channels = 3,
                          .action_size = task->action_size,
                          .action_choices = task->action_choices,
                          .action_low = task->low,
                          .action_high = task->high};
    sac_setting screen = task->screen;
    sac_policy_info info = {.variant = "original",
                            .score = NAN,
                            .score_std = NAN,
                            .settings = &screen,
                            .setting_count = task->screen.key != NULL};
    snprintf(info.environment, sizeof info.environment, "%s", task->environment);
    snprintf(info.version, sizeof info.version, "%s", sac_version());
    sac_policy *policy;
    SAC_TRY(sac_policy_create(&policy, &def));
    SAC_ASSERT(sac_policy_parameter_count(policy) == task->parameters);
    sac_status status = sac_policy_save(policy, parameters, &info, out);
    sac_policy_destroy(policy);
    if (status == SAC_OK) printf("%s: %s, %d parameters\n", out, task->environment, task->parameters);
    return status;
}

static sac_status import_agent(const char *in, const char *out)
{
    sac_tensors *tensors;
    SAC_TRY(sac_npz_load(&tensors, in));
    const sac_tensor *vector = NULL;
    sac_status status = sac_tensors_get(&vector, tensors, "params", SAC_F32, 1, (const int64_t[]){-1});
    const released *task = NULL;
    for (size_t i = 0; status == SAC_OK && i < sizeof tasks / sizeof *tasks; i++)
        if (vector->shape[0] == tasks[i].parameters) task = &tasks[i];
    if (status == SAC_OK && !task)
        status = sac_fail(SAC_ERROR_FORMAT,
                          "%s: params holds %lld numbers, expected 3667 (car-racing) or 3633 "
                          "(take-cover)",
                          in, (long long)vector->shape[0]);
    if (status == SAC_OK) status = save(task, vector->data, out);
    sac_tensors_destroy(tensors);
    return status;
}

static const import_format formats[] = {
    {"attention-agent-npz", import_agent},
    {0},
};

static const char *format_name(const void *user, int index)
{
    return ((const import_format *)user)[index].name;
}

static int run(const cli_args *args)
{
    const char *name = cli_positional(args, 0);
    for (const import_format *format = formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
        {
            sac_status status = format->import(cli_positional(args, 1), cli_positional(args, 2));
            return status == SAC_OK ? CLI_OK : cli_fail(status);
        }
    return cli_usage("import: unknown format '%.80s'%s, expected attention-agent-npz", name,
                     sac_did_you_mean(sac_nearest(name, format_name, formats)));
}

const cli_command cli_import = {
    "import", "FORMAT FILE OUT",
    "a policy of others as a policy file; FORMAT: attention-agent-npz (the released vectors)", NULL, run};
