#pragma once

#include "cli.h"

/// What a command line was parsed into; commands read it through cli.h.

enum
{
    CLI_MAX_ARGUMENTS = 64,
    CLI_MAX_POSITIONALS = 256
};

struct cli_args
{
    const cli_command *command;
    const char *positionals[CLI_MAX_POSITIONALS];
    int positional_count;
    sac_setting given[CLI_MAX_ARGUMENTS]; ///< flags in order
    int given_count;
    sac_setting settings[CLI_MAX_ARGUMENTS];
    char setting_texts[CLI_MAX_ARGUMENTS][SAC_TEXT_SIZE];
    int setting_count;
};

/// @return false after a message
bool cli_parse(cli_args *args, const cli_command *command, int argc, char **argv);
