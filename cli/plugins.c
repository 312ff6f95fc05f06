#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "saccade/plugin.h"

/// Plugins of the command: $SACCADE_PLUGINS, a list with colons as $PATH is, and then every --plugin.

enum
{
    PATH_SIZE = 4096
};

// a plugin that cannot be used is a failure and not a wrong command line, whatever is wrong with it
static int open_plugin(const char *path)
{
    return sac_plugin_load(path) == SAC_OK ? CLI_OK : cli_fail(SAC_ERROR_FILE);
}

static int open_list(const char *list)
{
    while (list && *list)
    {
        char path[PATH_SIZE];
        size_t length = strcspn(list, ":");
        if (length >= sizeof path) return cli_usage("SACCADE_PLUGINS: a path is longer than %d bytes", PATH_SIZE - 1);
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        int code = length > 0 ? open_plugin(path) : CLI_OK;
        if (code != CLI_OK) return code;
        list += length + (list[length] == ':');
    }
    return CLI_OK;
}

int cli_open_plugins(const cli_args *args)
{
    int code = open_list(getenv("SACCADE_PLUGINS"));
    for (int i = 0; code == CLI_OK && i < args->given_count; i++)
        if (strcmp(args->given[i].key, "plugin") == 0) code = open_plugin(args->given[i].value);
    return code;
}
