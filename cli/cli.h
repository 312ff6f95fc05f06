#pragma once

#include "saccade/base.h"
#include "saccade/options.h"

/// The command: one file a subcommand, one table of flags a subcommand for parsing, --help and the manual.

enum
{
    CLI_OK = 0,
    CLI_FAILURE = 1,       ///< something failed: the sentence is on standard error
    CLI_USAGE = 2,         ///< the command line is wrong
    CLI_INTERRUPTED = 130, ///< by a signal, as shells say it: what was done so far is whole
};

enum
{
    CLI_PATH_SIZE = 4096 ///< bytes of a path, terminator included; longer ones are refused with the command line
};

/// One flag. A table ends with a row whose name is NULL.
typedef struct cli_flag
{
    const char *name;    ///< without the dashes
    const char *metavar; ///< NULL: a switch; otherwise the flag takes a value; in []: a number, which may be left out
    const char *help;
    bool repeated; ///< may be given more than once
} cli_flag;

typedef struct cli_args cli_args;

/// One subcommand.
typedef struct cli_command
{
    const char *name;
    const char *positionals; ///< such as "POLICY IMAGE"; "" for none; in []: may be left out; with ...: one or more
    const char *summary;     ///< one line
    const cli_flag *flags;   ///< its own; NULL: none
    int (*run)(const cli_args *args); ///< returns an exit code
} cli_command;

/// The flags of a subcommand, and after them those that every one has. Valid until the next call.
const cli_flag *cli_flags(const cli_command *command);

/// Every subcommand, in the order of --help; NULL at the end.
extern const cli_command *const cli_commands[];

/// Print the manual page (roff) on standard output.
void cli_print_manual(void);

/// The completion of a shell, "bash", "zsh" or "fish", on standard output. @return an exit code
int cli_print_completion(const char *shell);

/// The index-th positional, or NULL.
const char *cli_positional(const cli_args *args, int index);

/// A flag's value (the last one given), "" for a switch that is there, NULL when absent.
const char *cli_value(const cli_args *args, const char *name);
bool cli_has(const cli_args *args, const char *name);

/// The values of a repeated flag as key=value settings; the array lives as long as args.
/// @return the count, or -1 after a message when one is not key=value
int cli_settings(const cli_args *args, const char *name, const sac_setting **settings);

/// A whole number in low..high, or `fallback` when the flag is absent. After a bad value: message, *ok = false.
long long cli_integer(const cli_args *args, const char *name, long long fallback, long long low, long long high,
                      bool *ok);

/// "A..B" (both ends included, A <= B) or a single number. After a bad value: message, *ok = false.
void cli_range(const cli_args *args, const char *name, const char *fallback, uint64_t *first, uint64_t *last, bool *ok);

/// Print "saccade: sentence" on standard error and return CLI_USAGE.
int cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Print sac_last_error() as "saccade: sentence" on standard error and return CLI_FAILURE (CLI_USAGE when the status
/// is SAC_ERROR_ARGUMENT).
int cli_fail(sac_status status);
