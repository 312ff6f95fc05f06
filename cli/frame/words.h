#pragma once

#include "cli.h"

/// What a shell may offer for an option's value or an operand.
typedef enum cli_words
{
    CLI_WORDS_FILES,
    CLI_WORDS_NONE, ///< a number, a text
    CLI_WORDS_WORLDS,
    CLI_WORDS_VARIANTS,
    CLI_WORDS_RENDERERS,
    CLI_WORDS_AXES,
    CLI_WORDS_SETTINGS, ///< options of worlds: "rules="
    CLI_WORDS_FIELDS,   ///< fields of a task: "search.sigma="
    CLI_WORDS_COUNT
} cli_words;

/// What kind of words a flag's value is, or a word of a command's positionals, such as "[POLICY]".
cli_words cli_words_of_flag(const cli_flag *flag);
cli_words cli_words_of_operand(const char *word, size_t length);

/// Call `say` with every word of a kind, each once.
void cli_list_words(cli_words kind, void (*say)(const char *word));
