#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "cli.h"
#include "saccade/policy.h"

// the trained policies: every *.safetensors below the first folder that exists of $SACCADE_ZOO, ./zoo and the installed
// one

enum
{
    PATH_SIZE = 4096,
    MAX_DEPTH = 8
};

static const cli_flag flags[] = {
    {"json", NULL, "print JSON", false},
    {0},
};

typedef struct listing
{
    json_t *list;
    int failures;
} listing;

static const char suffix[] = ".safetensors";

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool find_zoo(char folder[PATH_SIZE])
{
    const char *given = getenv("SACCADE_ZOO");
    if (given)
    {
        snprintf(folder, PATH_SIZE, "%s", given);
        return is_folder(folder);
    }
    snprintf(folder, PATH_SIZE, "zoo");
    if (is_folder(folder)) return true;
    char command[PATH_SIZE / 2];
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
    command[length > 0 ? length : 0] = 0;
    char *slash = strrchr(command, '/');
    if (!slash) return false;
    *slash = 0;
    snprintf(folder, PATH_SIZE, "%s/../%s/saccade/zoo", command, SAC_DATADIR);
    return is_folder(folder);
}

static const char *setting(const sac_policy *policy, const char *key)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    for (int i = 0; i < def->setting_count; i++)
        if (strcmp(def->settings[i].key, key) == 0) return def->settings[i].value;
    return "";
}

// null for a score that was never measured
static json_t *score(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void add(listing *zoo, const char *path)
{
    sac_policy *policy;
    sac_policy_info info;
    if (sac_policy_load(&policy, &info, path) != SAC_OK)
    {
        cli_fail(SAC_ERROR_FORMAT);
        zoo->failures++;
        return;
    }
    json_array_append_new(zoo->list, json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:i}", "policy", path, "env",
                                               info.environment, "variant", info.variant[0] ? info.variant : "original",
                                               "attention", setting(policy, "attention"), "parameters",
                                               sac_policy_parameter_count(policy), "score", score(info.score), "std",
                                               score(info.score_std), "episodes", info.score_episodes));
    sac_policy_info_clear(&info);
    sac_policy_destroy(policy);
}

static void walk(listing *zoo, const char *folder, int depth)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++)
    {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name), end = sizeof suffix - 1;
        char path[PATH_SIZE];
        // zoo/training keeps runs that go on, not policies
        bool skipped = name[0] == '.' || (depth == 0 && strcmp(name, "training") == 0);
        if (!skipped && snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_SIZE)
        {
            if (is_folder(path) && depth < MAX_DEPTH)
                walk(zoo, path, depth + 1);
            else if (length > end && strcmp(name + length - end, suffix) == 0)
                add(zoo, path);
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

static const char *text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

// the widest text of a column
static int width_of(const json_t *list, const char *key)
{
    size_t widest = strlen(key), i;
    json_t *row;
    json_array_foreach(list, i, row) if (strlen(text(row, key)) > widest) widest = strlen(text(row, key));
    return (int)widest;
}

static void print_table(const json_t *list)
{
    int policy = width_of(list, "policy"), env = width_of(list, "env"), attention = width_of(list, "attention");
    printf("%-*s  %-*s  %-*s  %6s  %-32s  %s\n", policy, "policy", env, "env", attention, "attention", "params",
           "score", "variant");
    size_t i;
    json_t *row;
    json_array_foreach(list, i, row)
    {
        char result[2 * SAC_VALUE_SIZE + 32] = "not evaluated", spread[2 * SAC_VALUE_SIZE];
        if (json_is_number(json_object_get(row, "score")))
        {
            sac_format_spread(spread, json_number_value(json_object_get(row, "score")), " +- ",
                              json_number_value(json_object_get(row, "std")));
            snprintf(result, sizeof result, "%s (%d episodes)", spread,
                     (int)json_integer_value(json_object_get(row, "episodes")));
        }
        printf("%-*s  %-*s  %-*s  %6d  %-32s  %s\n", policy, text(row, "policy"), env, text(row, "env"), attention,
               text(row, "attention"), (int)json_integer_value(json_object_get(row, "parameters")), result,
               text(row, "variant"));
    }
}

static int run(const cli_args *args)
{
    char folder[PATH_SIZE];
    if (!find_zoo(folder))
    {
        fprintf(stderr, "saccade: zoo: no folder of trained policies at %s; set SACCADE_ZOO to one\n", folder);
        return CLI_FAILURE;
    }
    listing zoo = {.list = json_array()};
    walk(&zoo, folder, 0);
    if (cli_has(args, "json"))
    {
        json_dumpf(zoo.list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        puts("");
    }
    else if (json_array_size(zoo.list) > 0)
        print_table(zoo.list);
    json_decref(zoo.list);
    return zoo.failures ? CLI_FAILURE : CLI_OK;
}

const cli_command cli_zoo = {"zoo", "", "the trained policies, with what they scored", flags, run};
