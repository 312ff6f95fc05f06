#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "frame/args.h"
#include "saccade/plugin.h"

/// Plugins of the command: $SACCADE_PLUGINS, a list with colons, and then every --plugin. A path of the list may be
/// empty, as in $SACCADE_PLUGINS:FILE.so where the variable was not set before; not all of them.

enum
{
    PATH_SIZE = 4096
};

static int open_list(const char *variable)
{
    const char *list = getenv(variable);
    if (list && list[strspn(list, ":")] == 0)
        return cli_usage("%s is '%s', expected FILE.so, or several with colons between them", variable, list);
    while (list && *list)
    {
        char path[PATH_SIZE];
        size_t length = strcspn(list, ":");
        if (length >= sizeof path) return cli_usage("%s: a path is longer than %d bytes", variable, PATH_SIZE - 1);
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        if (length > 0 && sac_plugin_load(path) != SAC_OK) return cli_fail(sac_fail_in(SAC_ERROR_FILE, "%s", variable));
        list += length + (list[length] == ':');
    }
    return CLI_OK;
}

// a plugin that cannot be used is a failure and not a wrong command line, whatever is wrong with it; hence
// SAC_ERROR_FILE here and above
int cli_open_plugins(const cli_args *args)
{
    int code = open_list("SACCADE_PLUGINS");
    for (int i = 0; code == CLI_OK && i < args->given_count; i++)
        if (strcmp(args->given[i].key, "plugin") == 0 && sac_plugin_load(args->given[i].value) != SAC_OK)
            code = cli_fail(SAC_ERROR_FILE);
    return code;
}
