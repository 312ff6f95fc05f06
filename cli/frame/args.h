#pragma once

#include "cli.h"

/// What a command line was parsed into; commands read it through cli.h.

enum
{
    CLI_MAX_ARGUMENTS = 64,
    CLI_MAX_POSITIONALS = 16384, // such as the pictures of a folder
    CLI_MAX_FLAGS = 60           // of one subcommand
};

struct cli_args
{
    const cli_command *command;
    const char *positionals[CLI_MAX_POSITIONALS];
    int positional_count;
    sac_setting given[CLI_MAX_ARGUMENTS]; ///< flags in order, those of environment variables first
    int given_count;
    int from_environment; ///< so many of them
    sac_setting settings[CLI_MAX_ARGUMENTS];
    char setting_texts[CLI_MAX_ARGUMENTS][SAC_TEXT_SIZE];
    int setting_count;
};

/// The flag of that name, or NULL.
const cli_flag *cli_find_flag(const cli_command *command, const char *name, size_t length);

/// ", did you mean '--threads'?" or "", written to `text`.
/// @param value  what was given to the flag; NULL: nothing
const char *cli_flag_meant(const cli_command *command, const char *name, const char *value, char text[80]);

/// Add what SACCADE_<COMMAND>_<OPTION> variables say. @return false after a message
bool cli_parse_environment(cli_args *args);

/// @return false after a message
bool cli_parse(cli_args *args, const cli_command *command, int argc, char **argv);

/// Open the plugins that $SACCADE_PLUGINS and then --plugin name. @return an exit code, after a message where it is not
/// 0
int cli_open_plugins(const cli_args *args);
