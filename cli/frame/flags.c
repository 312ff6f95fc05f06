#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "frame/args.h"

/// The flags of a subcommand, and how the command complains: what parsing and environment variables share.

int cli_usage(const char *format, ...)
{
    fputs("saccade: ", stderr);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return CLI_USAGE;
}

int cli_fail(sac_status status)
{
    fprintf(stderr, "saccade: %s\n", sac_last_error()[0] ? sac_last_error() : sac_status_text(status));
    return status == SAC_ERROR_ARGUMENT ? CLI_USAGE : CLI_FAILURE;
}

static const char *flag_name(const void *user, int index)
{
    return ((const cli_flag *)user)[index].name;
}

// Every subcommand has these flags beside its own.
static const cli_flag common[] = {
    {"plugin", "FILE.so", "worlds and policies of your own; $SACCADE_PLUGINS names them too", true},
};

const cli_flag *cli_flags(const cli_command *command)
{
    enum
    {
        COMMON_COUNT = sizeof common / sizeof *common
    };
    static cli_flag all[CLI_MAX_FLAGS + COMMON_COUNT + 1];
    int count = 0;
    for (const cli_flag *flag = command->flags; flag && flag->name && count < CLI_MAX_FLAGS; flag++)
        all[count++] = *flag;
    for (int i = 0; i < COMMON_COUNT; i++) all[count++] = common[i];
    all[count] = (cli_flag){0};
    return all;
}

const cli_flag *cli_find_flag(const cli_command *command, const char *name, size_t length)
{
    for (const cli_flag *flag = cli_flags(command); flag->name; flag++)
        if (strlen(flag->name) == length && strncmp(flag->name, name, length) == 0) return flag;
    return NULL;
}

const char *cli_flag_meant(const cli_command *command, const char *name, const char *value, char text[80])
{
    const char *nearest = sac_nearest(name, flag_name, cli_flags(command));
    text[0] = 0;
    // The port is given to `saccade dash` by --port and to `saccade train` by --dash.
    if (strcmp(name, "port") == 0 && cli_find_flag(command, "dash", 4))
        snprintf(text, 80, ", did you mean '--dash=%.20s'?", value ? value : "N");
    else if (nearest)
        snprintf(text, 80, ", did you mean '--%s'?", nearest);
    return text;
}
