#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "files/module.h"
#include "play/play.h"

/// saccade doctor: what this machine has, which parts work, and what to type for those that do not.

static void print_machine(void)
{
    const char *limit = getenv("SACCADE_CPU");
    char model[256] = "", line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !model[0] && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(model, sizeof model, "%.*s", (int)strcspn(strchr(line, ':') + 1, "\n"), strchr(line, ':') + 1);
    if (file) fclose(file);
    printf("saccade %s\n", sac_version());
    printf("processor  %ld x%s, level %s%s\n", sysconf(_SC_NPROCESSORS_ONLN), model[0] ? model : " unknown",
           sac_cpu_level_name(sac_get_cpu_level()), limit && *limit ? " (limited by SACCADE_CPU)" : "");
}

static int print_parts(void)
{
    int missing = 0;
    const sac_module *module;
    for (int i = 0; (module = sac_module_at(i)) != NULL; i++)
    {
        const void *table;
        bool works = sac_module_open(&table, module->name) == SAC_OK;
        missing += !works;
        printf("%-10s %s  %s\n", module->name, works ? "works  " : "missing", module->does);
        if (!works) printf("           %s and build again\n", module->install);
    }
    return missing;
}

// Tells whether an episode can begin, because some worlds look only then for what they need.
static bool begins(const char *id)
{
    sac_play play;
    sac_status status = sac_play_open(&play, NULL, &(sac_env_def){.id = id}, SAC_PLAY_SEEN);
    if (status == SAC_OK) status = sac_play_reset(&play, 0);
    sac_play_close(&play);
    return status == SAC_OK;
}

// worlds say themselves what they lack; those behind a prefix are asked for the least of their kind
static int print_worlds(void)
{
    int missing = 0;
    char said[512] = ""; // worlds of the control suite all lack the same, which is said once
    for (int i = 0; i < sac_env_count(); i++)
    {
        const sac_env_ops *ops = sac_env_at(i);
        bool prefix = ops->name[strlen(ops->name) - 1] == ':';
        char id[SAC_TEXT_SIZE];
        snprintf(id, sizeof id, "%s%s", ops->name, prefix ? "CartPole-v1" : "");
        bool works = begins(id);
        missing += !works;
        printf("%-22s %s\n", id, works ? "works" : "missing");
        const char *reason = strstr(sac_last_error(), ": ");
        if (works || !reason || (!prefix && strcmp(said, reason + 2) == 0)) continue;
        snprintf(said, sizeof said, "%s", reason + 2);
        printf("           %s\n", said);
    }
    return missing;
}

static int run(const cli_args *args)
{
    (void)args;
    print_machine();
    puts("\nparts");
    int missing = print_parts();
    puts("\nworlds");
    missing += print_worlds();
    printf("\n%s\n", missing ? "everything else works without what is missing" : "everything works");
    return CLI_OK;
}

const cli_command cli_doctor = {"doctor", "", "what this machine has, which parts work, and how to get the others",
                                NULL, run};
