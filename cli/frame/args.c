#include "frame/args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frame/share.h"

// environment variables do not count
static bool is_given(const cli_args *args, const cli_flag *flag)
{
    for (int i = args->from_environment; i < args->given_count; i++)
        if (args->given[i].key == flag->name) return true;
    return false;
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

// Nothing but a text may be empty, as a path from a script's unset variable is, or too long for a path.
static bool check_value(const cli_command *command, const cli_flag *flag, const char *value)
{
    if (strcmp(flag->metavar, "TEXT") == 0 || (*value && strlen(value) < CLI_PATH_SIZE)) return true;
    if (*value)
        cli_usage("%s: --%s is longer than %d bytes", command->name, flag->name, CLI_PATH_SIZE - 1);
    else
        cli_usage("%s: --%s is empty, expected %s", command->name, flag->name, flag->metavar);
    return false;
}

// "--name", "--name value" and "--name=value"; returns the arguments used, 0 after a message
static int parse_flag(cli_args *args, int left, char **argv)
{
    const char *name = argv[0] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const cli_flag *flag = cli_find_flag(args->command, name, length);
    if (!flag)
    {
        char word[64], meant[80];
        const char *number = equals ? equals + 1 : left > 1 && is_number(argv[1]) ? argv[1] : NULL;
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        cli_usage("%s: unknown option '--%s'%s (see 'saccade %s --help')", args->command->name, word,
                  cli_flag_meant(args->command, word, number, meant), args->command->name);
        return 0;
    }
    if (!flag->metavar && equals)
    {
        cli_usage("%s: --%s takes no value", args->command->name, flag->name);
        return 0;
    }
    bool bare = flag->metavar && flag->metavar[0] == '[' && !equals && (left < 2 || !is_number(argv[1]));
    if (flag->metavar && !bare && !equals && left < 2)
    {
        cli_usage("%s: --%s needs a value: --%s %s", args->command->name, flag->name, flag->name, flag->metavar);
        return 0;
    }
    if (!flag->repeated && is_given(args, flag))
    {
        cli_usage("%s: --%s is given twice", args->command->name, flag->name);
        return 0;
    }
    if (args->given_count == CLI_MAX_ARGUMENTS)
    {
        cli_usage("%s: more than %d options", args->command->name, CLI_MAX_ARGUMENTS);
        return 0;
    }
    const char *value = !flag->metavar || bare ? "" : equals ? equals + 1 : argv[1];
    if (flag->metavar && !bare && !check_value(args->command, flag, value)) return 0;
    args->given[args->given_count++] = (sac_setting){flag->name, value};
    return flag->metavar && !equals && !bare ? 2 : 1;
}

// counts the words of "POLICY IMAGE [OUT]"; "RUN..." and "[RUN...]" may be given many times
static void count_positionals(const char *words, int *least, int *most)
{
    *least = *most = 0;
    for (const char *at = words; *at; at += strspn(at, " "))
    {
        size_t length = strcspn(at, " ");
        size_t word = length - (*at == '[' && at[length - 1] == ']');
        bool repeated = word > 3 && strncmp(at + word - 3, "...", 3) == 0;
        *least += *at != '[';
        *most += repeated ? CLI_MAX_POSITIONALS : 1;
        at += length;
    }
}

// Takes what is typed without a flag. Returns false after a message.
static bool add_positional(cli_args *args, const char *value)
{
    const char *words = args->command->positionals;
    for (int i = 0; i < args->positional_count && strchr(words, ' '); i++) words = strchr(words, ' ') + 1;
    int length = (int)strcspn(words, " ");
    bool good = *value && strlen(value) < CLI_PATH_SIZE;
    bool shared = strncmp(words, "POLICY", 6) == 0 || strncmp(words, "[POLICY", 7) == 0 ||
                  strncmp(words, "TASK", 4) == 0 || strncmp(words, "FILE.yaml", 9) == 0;
    if (good)
        args->positionals[args->positional_count++] = shared ? cli_shared_file(value) : value;
    else if (*value)
        cli_usage("%s: %.*s is longer than %d bytes", args->command->name, length, words, CLI_PATH_SIZE - 1);
    else
        cli_usage("%s: an argument is empty, expected %.*s", args->command->name, length, words);
    return good;
}

bool cli_parse(cli_args *args, const cli_command *command, int argc, char **argv)
{
    *args = (cli_args){.command = command};
    if (!cli_parse_environment(args)) return false;
    bool flags_ended = false;
    for (int i = 0; i < argc;)
    {
        if (!flags_ended && strcmp(argv[i], "--") == 0)
        {
            flags_ended = true;
            i++;
        }
        else if (!flags_ended && strncmp(argv[i], "--", 2) == 0)
        {
            int used = parse_flag(args, argc - i, argv + i);
            if (used == 0) return false;
            i += used;
        }
        else
        {
            if (args->positional_count == CLI_MAX_POSITIONALS)
            {
                cli_usage("%s: more than %d arguments", command->name, CLI_MAX_POSITIONALS);
                return false;
            }
            if (!add_positional(args, argv[i++])) return false;
        }
    }
    int least, most;
    count_positionals(command->positionals, &least, &most);
    if (args->positional_count >= least && args->positional_count <= most) return true;
    cli_usage("%s: expected %s%s (see 'saccade %s --help')", command->name, most ? command->positionals : "no argument",
              args->positional_count > most ? " and nothing more" : "", command->name);
    return false;
}

const char *cli_positional(const cli_args *args, int index)
{
    return index < args->positional_count ? args->positionals[index] : NULL;
}

const char *cli_value(const cli_args *args, const char *name)
{
    for (int i = args->given_count - 1; i >= 0; i--)
        if (strcmp(args->given[i].key, name) == 0) return args->given[i].value;
    return NULL;
}

bool cli_has(const cli_args *args, const char *name)
{
    return cli_value(args, name) != NULL;
}

int cli_settings(const cli_args *args, const char *name, const sac_setting **settings)
{
    // split in place: the arguments belong to the process
    cli_args *own = (cli_args *)args;
    own->setting_count = 0;
    for (int i = 0; i < args->given_count; i++)
    {
        if (strcmp(args->given[i].key, name) != 0) continue;
        char *text = own->setting_texts[own->setting_count];
        snprintf(text, SAC_TEXT_SIZE, "%s", args->given[i].value);
        char *equals = strchr(text, '=');
        size_t length = strlen(args->given[i].value);
        if (equals && equals > text && length >= SAC_TEXT_SIZE)
        {
            cli_usage("%s: --%s %.*s=...: KEY=VALUE has at most %d bytes, this has %zu", args->command->name, name,
                      (int)(equals - text), text, SAC_TEXT_SIZE - 1, length);
            return -1;
        }
        if (!equals || equals == text)
        {
            cli_usage("%s: --%s %.80s: expected KEY=VALUE", args->command->name, name, args->given[i].value);
            return -1;
        }
        *equals = 0;
        own->settings[own->setting_count++] = (sac_setting){text, equals + 1};
    }
    *settings = own->settings;
    return own->setting_count;
}

long long cli_integer(const cli_args *args, const char *name, long long fallback, long long low, long long high,
                      bool *ok)
{
    const char *value = cli_value(args, name);
    if (!value) return fallback;
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (end != value && !*end && !errno && number >= low && number <= high) return number;
    cli_usage("%s: --%s is '%.80s', expected a whole number from %lld to %lld", args->command->name, name, value, low,
              high);
    *ok = false;
    return fallback;
}

void cli_range(const cli_args *args, const char *name, const char *fallback, uint64_t *first, uint64_t *last, bool *ok)
{
    const char *value = cli_value(args, name);
    if (!value) value = fallback;
    char *end = NULL;
    errno = 0;
    *first = *last = strtoull(value, &end, 10);
    bool good = end != value && value[0] != '-' && !errno;
    if (good && strncmp(end, "..", 2) == 0)
    {
        const char *second = end + 2;
        *last = strtoull(second, &end, 10);
        good = end != second && second[0] != '-' && !errno && *last >= *first;
    }
    if (good && !*end && *last < UINT64_MAX) return;
    cli_usage("%s: --%s is '%.80s', expected A..B with A <= B, such as 0..99", args->command->name, name, value);
    *ok = false;
}
