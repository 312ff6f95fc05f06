#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "frame/args.h"

/// Options from environment variables: SACCADE_TRAIN_THREADS=2 is `saccade train --threads 2`. They come first, so that
/// the command line overrules them.

extern char **environ;

enum
{
    TEXT_SIZE = 8192 // of all values together
};

static char texts[TEXT_SIZE];
static size_t texts_used;

static const char *keep(const char *text, size_t length)
{
    if (texts_used + length + 1 > TEXT_SIZE) return NULL;
    char *kept = texts + texts_used;
    memcpy(kept, text, length);
    kept[length] = 0;
    texts_used += length + 1;
    return kept;
}

// "TRAIN_THREADS=2": what follows SACCADE_<COMMAND>_, as a flag's name; NULL for variables of something else
static const char *name_after(const char *entry, const char *command, char name[64])
{
    if (strncmp(entry, "SACCADE_", 8) != 0) return NULL;
    entry += 8;
    for (; *command; command++, entry++)
        if (*entry != toupper((unsigned char)*command)) return NULL;
    const char *equals = strchr(entry, '=');
    if (*entry != '_' || !equals || equals - entry > 60) return NULL;
    size_t length = 0;
    for (const char *at = entry + 1; at < equals; at++)
        name[length++] = *at == '_' ? '-' : (char)tolower((unsigned char)*at);
    name[length] = 0;
    return equals + 1;
}

// a repeated flag's values stand between semicolons
static bool add_values(cli_args *args, const cli_flag *flag, const char *variable, const char *value)
{
    // a script's unset variable; nothing but a text, a list or what may be left out can be empty
    if (!*value && !flag->repeated && flag->metavar[0] != '[' && strcmp(flag->metavar, "TEXT") != 0)
    {
        cli_usage("%s is empty, expected %s", variable, flag->metavar);
        return false;
    }
    while (*value)
    {
        size_t length = flag->repeated ? strcspn(value, ";") : strlen(value);
        const char *kept = keep(value, length);
        if (!kept || args->given_count == CLI_MAX_ARGUMENTS)
        {
            cli_usage("%s: too much in environment variables", args->command->name);
            return false;
        }
        if (length > 0) args->given[args->given_count++] = (sac_setting){flag->name, kept};
        value += length + (value[length] == ';');
    }
    return true;
}

static bool add_switch(cli_args *args, const cli_flag *flag, const char *variable, const char *value)
{
    if (strcmp(value, "0") == 0 || !*value) return true;
    if (strcmp(value, "1") == 0 && args->given_count < CLI_MAX_ARGUMENTS)
    {
        args->given[args->given_count++] = (sac_setting){flag->name, ""};
        return true;
    }
    cli_usage("%s is '%.80s', expected 1 or 0", variable, value);
    return false;
}

bool cli_parse_environment(cli_args *args)
{
    for (char **entry = environ; *entry; entry++)
    {
        char name[64], variable[96];
        const char *value = name_after(*entry, args->command->name, name);
        if (!value) continue;
        snprintf(variable, sizeof variable, "%.*s", (int)(value - 1 - *entry), *entry);
        const cli_flag *flag = cli_find_flag(args->command, name, strlen(name));
        if (!flag)
        {
            char meant[80];
            cli_usage("%s: '%s' has no option '--%s'%s", variable, args->command->name, name,
                      cli_flag_meant(args->command, name, *value ? value : NULL, meant));
            return false;
        }
        bool good = flag->metavar ? add_values(args, flag, variable, value) : add_switch(args, flag, variable, value);
        if (!good) return false;
    }
    args->from_environment = args->given_count;
    return true;
}
