#include "saccade/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "files/renamed.h"

static const char *option_name(const void *user, int index)
{
    return ((const sac_option *)user)[index].name;
}

static bool is_option(const sac_option *table, const char *name, size_t length)
{
    for (const sac_option *option = table; option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) return true;
    return false;
}

// the first option of a map of options, such as "high.kind" of "high"; NULL: there is no such map
static const sac_option *first_inside(const sac_option *table, const char *name)
{
    const size_t length = strlen(name);
    for (const sac_option *option = table; option->name; option++)
        if (strncmp(option->name, name, length) == 0 && option->name[length] == '.') return option;
    return NULL;
}

size_t sac_options_size(const sac_option *table)
{
    static const size_t sizes[] = {sizeof(bool), sizeof(int), sizeof(uint64_t), sizeof(double), SAC_TEXT_SIZE};
    size_t size = 0;
    for (const sac_option *option = table; option->name; option++)
    {
        size_t end = option->offset + sizes[option->type];
        size = end > size ? end : size;
    }
    return size;
}

// Tells whether `word` is one of the words of `choices`
static bool is_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    if (length == 0 || strchr(word, ' ')) return false;
    for (const char *at = choices; (at = strstr(at, word)); at += length)
        if ((at == choices || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
    return false;
}

// the index-th word of `choices`, for "did you mean"
static const char *choice_at(const void *user, int index)
{
    static _Thread_local char word[SAC_TEXT_SIZE];
    const char *at = user;
    for (; *at && index > 0; index--) at += strcspn(at, " "), at += strspn(at, " ");
    if (!*at) return NULL;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
    return word;
}

// The nearest choice must be kept while choice_at overwrites its buffer.
static const char *nearest_choice(const char *word, const char *choices)
{
    static _Thread_local char words[32][64];
    const char *names[33] = {NULL};
    const char *name;
    for (int i = 0; i < 32 && (name = choice_at(choices, i)); i++)
    {
        snprintf(words[i], sizeof words[i], "%.63s", name);
        names[i] = words[i];
    }
    return sac_nearest_of(word, names);
}

static sac_status bad_value(const sac_option *option, const char *where, const char *value, const char *expected)
{
    return sac_fail(SAC_ERROR_ARGUMENT, "%s: %s is '%.80s', expected %s", where, option->name, value, expected);
}

static sac_status bad_range(const sac_option *option, const char *where, const char *value)
{
    bool free = option->min == 0 && option->max == 0;
    char expected[80];
    if (option->type == SAC_OPTION_REAL)
        snprintf(expected, sizeof expected, "%.10g to %.10g", option->min, option->max);
    else
        snprintf(expected, sizeof expected, "a whole number from %.0f to %.0f", free ? INT_MIN : option->min,
                 free ? INT_MAX : option->max);
    return bad_value(option, where, value, expected);
}

static sac_status check_range(const sac_option *option, const char *where, const char *value, double number)
{
    if ((option->min == 0 && option->max == 0) || (number >= option->min && number <= option->max)) return SAC_OK;
    return bad_range(option, where, value);
}

static sac_status bad_choice(const sac_option *option, const char *where, const char *value)
{
    char list[512] = "";
    const char *word;
    for (int i = 0; (word = choice_at(option->choices, i)); i++)
    {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", word);
    }
    return sac_fail(SAC_ERROR_ARGUMENT, "%s: %s is '%.80s', expected one of: %s%s", where, option->name, value, list,
                    sac_did_you_mean(nearest_choice(value, option->choices)));
}

// strtoll takes leading blanks, too
static bool is_whole(const char *text)
{
    return strchr("+-0123456789", *text) && text[strcspn(text, "0123456789")];
}

static sac_status parse(const sac_option *option, void *config, const char *value, const char *where)
{
    char *field = (char *)config + option->offset, *end;
    errno = 0;
    switch (option->type)
    {
    case SAC_OPTION_BOOL:
    {
        bool yes = strcmp(value, "true") == 0;
        if (!yes && strcmp(value, "false") != 0) return bad_value(option, where, value, "true or false");
        memcpy(field, &yes, sizeof yes);
        return SAC_OK;
    }
    case SAC_OPTION_INT:
    {
        long long number = strtoll(value, &end, 10);
        int small = (int)number;
        if (!is_whole(value) || *end || errno || small != number) return bad_range(option, where, value);
        SAC_TRY(check_range(option, where, value, small));
        memcpy(field, &small, sizeof small);
        return SAC_OK;
    }
    case SAC_OPTION_SEED:
    {
        uint64_t seed = strtoull(value, &end, 10);
        if (!is_whole(value) || *end || errno || value[0] == '-' || seed == UINT64_MAX)
            return bad_value(option, where, value, "a whole number from 0");
        memcpy(field, &seed, sizeof seed);
        return SAC_OK;
    }
    case SAC_OPTION_REAL:
    {
        double number;
        if (!sac_parse_real(value, &number)) return bad_value(option, where, value, "a number");
        SAC_TRY(check_range(option, where, value, number));
        memcpy(field, &number, sizeof number);
        return SAC_OK;
    }
    case SAC_OPTION_TEXT:
        if (strlen(value) >= SAC_TEXT_SIZE) return bad_value(option, where, value, "at most 255 characters");
        if (option->choices && !is_choice(option->choices, value)) return bad_choice(option, where, value);
        snprintf(field, SAC_TEXT_SIZE, "%s", value);
        return SAC_OK;
    }
    return SAC_OK;
}

sac_status sac_options_set(const sac_option *table, void *config, const char *key, const char *value, const char *where)
{
    const sac_option *option = sac_option_find(table, key);
    const sac_option *inside = option ? NULL : first_inside(table, key);
    const char *dot = strchr(key, '.');
    if (inside)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: %s takes a map of options such as %s, not one value", where, key,
                        inside->name);
    if (!option && dot && is_option(table, key, (size_t)(dot - key)))
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: %.*s takes one value, not a %s", where, (int)(dot - key), key,
                        dot[1] >= '0' && dot[1] <= '9' ? "list" : "map");
    if (!option)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: unknown option '%.80s'%s", where, key,
                        sac_did_you_mean(sac_nearest(key, option_name, table)));
    if (strcmp(key, option->name) != 0)
        sac_log(SAC_LOG_WARNING, "%s: the option '%s' is called '%s' now", where, key, option->name);
    return parse(option, config, value, where);
}

sac_status sac_options_read(const sac_option *table, void *config, const sac_setting *settings, int setting_count,
                            const char *where)
{
    for (const sac_option *option = table; option->name; option++)
        if (option->fallback) SAC_TRY(parse(option, config, option->fallback, where));
    for (int i = 0; i < setting_count; i++)
        SAC_TRY(sac_options_set(table, config, settings[i].key, settings[i].value, where));

    for (const sac_option *option = table; option->name; option++)
    {
        bool given = option->fallback != NULL;
        for (int i = 0; i < setting_count; i++) given |= sac_option_find(table, settings[i].key) == option;
        if (!given) return sac_fail(SAC_ERROR_ARGUMENT, "%s: %s is missing (%s)", where, option->name, option->help);
    }
    return SAC_OK;
}

void sac_options_format(const sac_option *option, const void *config, char text[SAC_TEXT_SIZE])
{
    const char *field = (const char *)config + option->offset;
    switch (option->type)
    {
    case SAC_OPTION_BOOL: snprintf(text, SAC_TEXT_SIZE, "%s", *(const bool *)field ? "true" : "false"); return;
    case SAC_OPTION_INT: snprintf(text, SAC_TEXT_SIZE, "%d", *(const int *)field); return;
    case SAC_OPTION_SEED: snprintf(text, SAC_TEXT_SIZE, "%" PRIu64, *(const uint64_t *)field); return;
    case SAC_OPTION_REAL: sac_format_real(text, SAC_TEXT_SIZE, *(const double *)field); return;
    case SAC_OPTION_TEXT: snprintf(text, SAC_TEXT_SIZE, "%s", field); return;
    }
}
