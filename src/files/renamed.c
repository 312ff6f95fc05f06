#include "files/renamed.h"

#include <stdio.h>
#include <string.h>

/// A row for each option that was renamed. Two options of different tables may have had one name.
static const struct
{
    const char *former, *now;
} renamed[] = {
    {"normalize", "normalise_tokens"},    // of attention agents: beside `normalise`, which meant the positions
    {"normalise", "normalise_positions"}, // of attention agents
    {"features", "patch_features"},       // of attention agents: beside `attention_features`
    {"normalize", "normalise"},           // of the searches ars and bgs
    {"filter", "normaliser"},             // of all kinds of policies: the field says observation normaliser
    {"filter_limit", "normaliser_limit"},
    {"critic_filter", "critic_normaliser"}, // of ppo
};

enum
{
    RENAMED_COUNT = sizeof renamed / sizeof *renamed
};

static const sac_option *find(const sac_option *table, const char *name)
{
    for (const sac_option *option = table; option->name; option++)
        if (strcmp(option->name, name) == 0) return option;
    return NULL;
}

const sac_option *sac_option_find(const sac_option *table, const char *key)
{
    const sac_option *option = find(table, key);
    for (int i = 0; !option && i < RENAMED_COUNT; i++)
        if (strcmp(renamed[i].former, key) == 0) option = find(table, renamed[i].now);
    return option;
}

const char *sac_option_first_name(const sac_option *table, const char *name)
{
    for (int i = 0; i < RENAMED_COUNT; i++)
        if (strcmp(renamed[i].now, name) == 0 && sac_option_find(table, renamed[i].former) == find(table, name))
            return renamed[i].former;
    return name;
}

// the entry whose path is the section of `key` and this name
static const sac_yaml_entry *find_in_section(const sac_yaml *yaml, const char *key, int section, const char *name)
{
    char path[SAC_TEXT_SIZE];
    snprintf(path, sizeof path, "%.*s%s", section, key, name);
    return sac_yaml_find(yaml, path);
}

const sac_yaml_entry *sac_yaml_find_option(const sac_yaml *yaml, const char *key)
{
    const sac_yaml_entry *entry = sac_yaml_find(yaml, key);
    const char *dot = strrchr(key, '.'), *name = dot ? dot + 1 : key;
    int section = (int)(name - key);
    for (int i = 0; !entry && i < RENAMED_COUNT; i++)
    {
        if (strcmp(renamed[i].now, name) == 0) entry = find_in_section(yaml, key, section, renamed[i].former);
        if (!entry && strcmp(renamed[i].former, name) == 0) entry = find_in_section(yaml, key, section, renamed[i].now);
    }
    return entry;
}
