#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "cli.h"
#include "files/atomic.h"
#include "frame/share.h"
#include "run/recipe.h"
#include "saccade/policy.h"
#include "zoo.h"

// the trained policies: every *.safetensors below the first folder that exists of $SACCADE_ZOO, ./zoo and the installed
// one

enum
{
    PATH_SIZE = ZOO_PATH_SIZE,
    MAX_DEPTH = 8,
    MAX_THREADS = 1024
};

static const cli_flag flags[] = {
    {"commands", NULL, "print the commands that trained each, as its card shows them", false},
    {"verify", NULL, "train each again by its commands and compare the parameters, bit by bit", false},
    {"run", "DIR", "verify: keep the runs there and go on with those that are there; default: a scratch folder", false},
    {"threads", "N", "verify: default 1", false},
    {"json", NULL, "print JSON", false},
    {0},
};

typedef struct listing
{
    json_t *list;
    const char *wanted; // NULL: every policy
    int failures;
} listing;

static const char suffix[] = ".safetensors";

// neither here nor installed is there anything to list
static void say_no_zoo(const char *what, const char *installed)
{
    fprintf(stderr,
            "saccade: zoo: %s ./zoo or %s; go into a checkout of saccade, type 'make install' in one, or set "
            "SACCADE_ZOO to such a folder\n",
            what, installed);
}

static void say_empty_zoo(void)
{
    const char *given = getenv("SACCADE_ZOO");
    char installed[CLI_PATH_SIZE];
    if (given)
        fprintf(stderr, "saccade: zoo: no trained policies in %s, which SACCADE_ZOO names\n", given);
    else
    {
        (void)cli_installed_folder(installed, "zoo");
        say_no_zoo("no trained policies in", installed);
    }
}

// @return an exit code, after a message
static int find_zoo(char folder[PATH_SIZE])
{
    const char *given = getenv("SACCADE_ZOO");
    if (given) snprintf(folder, PATH_SIZE, "%s", given);
    if (given ? sac_is_folder(folder) : cli_share_folder(folder, "zoo")) return CLI_OK;
    if (given)
        fprintf(stderr, "saccade: zoo: SACCADE_ZOO is '%s', where no folder is\n", folder);
    else
        say_no_zoo("no folder of trained policies at", folder);
    return CLI_FAILURE;
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

// NULL where there is none that can be read
static sac_recipe *recipe_of(const char *path)
{
    char recipe_path[PATH_SIZE];
    sac_recipe *recipe;
    zoo_recipe_path(recipe_path, path);
    return access(recipe_path, F_OK) == 0 && sac_recipe_load(&recipe, recipe_path) == SAC_OK ? recipe : NULL;
}

// the date at which training it again gave these parameters; null: not yet, or there is no recipe
static json_t *verified(const sac_recipe *recipe, const char *hash)
{
    bool same = recipe && strcmp(recipe->verified_hash, hash) == 0;
    return same ? json_string(recipe->verified_date) : json_null();
}

// List the returns that its card states, one variant of the world after the other.
static json_t *scores_of(const sac_recipe *recipe)
{
    json_t *list = json_array();
    for (int i = 0; recipe && i < recipe->score_count; i++)
    {
        const sac_recipe_score *s = &recipe->scores[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:f, s:f}", "variant", s->variant, "mean", s->mean, "std", s->std));
    }
    return list;
}

// List the commands of its recipe, as they would be typed on one line each; none where there is no recipe.
static json_t *commands_of(const sac_recipe *recipe)
{
    json_t *list = json_array();
    if (recipe && zoo_list_commands(recipe, list) != SAC_OK) json_array_clear(list);
    return list;
}

// Tells whether a path is what a name means: itself, or its end, such as car-racing/trans
static bool is_wanted(const char *path, const char *name)
{
    if (!name || strcmp(path, name) == 0) return true;
    size_t length = strlen(path) - (sizeof suffix - 1), end = strlen(name);
    if (end > length || strncmp(path + length - end, name, end) != 0) return false;
    return end == length || path[length - end - 1] == '/';
}

static void add(listing *zoo, const char *path)
{
    if (!is_wanted(path, zoo->wanted)) return;
    sac_policy *policy;
    sac_policy_info info;
    if (sac_policy_load(&policy, &info, path) != SAC_OK)
    {
        cli_fail(SAC_ERROR_FORMAT);
        zoo->failures++;
        return;
    }
    char hash[17];
    sac_recipe_hash(policy, hash);
    sac_recipe *recipe = recipe_of(path);
    json_array_append_new(
        zoo->list,
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:i, s:s, s:o, s:o, s:o}", "policy", path, "env",
                  info.environment, "variant", info.variant[0] ? info.variant : "original", "attention",
                  setting(policy, "attention"), "parameters", sac_policy_parameter_count(policy), "score",
                  score(info.score), "std", score(info.score_std), "episodes", info.score_episodes, "hash", hash,
                  "verified", verified(recipe, hash), "scores", scores_of(recipe), "commands", commands_of(recipe)));
    sac_recipe_destroy(recipe);
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
            if (sac_is_folder(path) && depth < MAX_DEPTH)
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

// What the card has, as text; "-": not measured.
typedef struct figures
{
    char plain[SAC_VALUE_SIZE], changed[2 * SAC_VALUE_SIZE + 8]; // "912.6", and "10.8 to 897.4" in changed worlds
    char random[SAC_VALUE_SIZE], idle[SAC_VALUE_SIZE];           // of random actions and of none in the plain world
} figures;

static figures figures_of(const json_t *row)
{
    figures f = {"-", "-", "-", "-"};
    double least = INFINITY, most = -INFINITY;
    size_t i;
    json_t *score;
    json_array_foreach(json_object_get(row, "scores"), i, score)
    {
        const char *variant = text(score, "variant");
        double mean = json_number_value(json_object_get(score, "mean"));
        if (strcmp(variant, "original") == 0)
            sac_format_value(f.plain, mean);
        else if (strcmp(variant, "random") == 0)
            sac_format_value(f.random, mean);
        else if (strcmp(variant, "idle") == 0)
            sac_format_value(f.idle, mean);
        else
            least = fmin(least, mean), most = fmax(most, mean);
    }
    if (least > most) return f;
    char low[SAC_VALUE_SIZE], high[SAC_VALUE_SIZE];
    sac_format_value(low, least);
    sac_format_value(high, most);
    snprintf(f.changed, sizeof f.changed, "%s to %s", low, high);
    return f;
}

static void print_table(const json_t *list)
{
    int policy = width_of(list, "policy"), env = width_of(list, "env"), attention = width_of(list, "attention");
    printf("%-*s  %-*s  %-*s  %6s  %-32s  %7s  %-15s  %6s  %6s  %s\n", policy, "policy", env, "env", attention,
           "attention", "params", "score", "plain", "changed", "random", "idle", "variant");
    size_t i;
    json_t *row;
    json_array_foreach(list, i, row)
    {
        char result[2 * SAC_VALUE_SIZE + 32] = "not evaluated", spread[2 * SAC_VALUE_SIZE];
        if (json_is_number(json_object_get(row, "score")))
        {
            sac_format_spread(spread, json_number_value(json_object_get(row, "score")), " +- ",
                              json_number_value(json_object_get(row, "std")));
            int episodes = (int)json_integer_value(json_object_get(row, "episodes"));
            snprintf(result, sizeof result, "%s (%d episode%s)", spread, episodes, sac_plural(episodes));
        }
        figures f = figures_of(row);
        printf("%-*s  %-*s  %-*s  %6d  %-32s  %7s  %-15s  %6s  %6s  %s\n", policy, text(row, "policy"), env,
               text(row, "env"), attention, text(row, "attention"),
               (int)json_integer_value(json_object_get(row, "parameters")), result, f.plain, f.changed, f.random,
               f.idle, text(row, "variant"));
    }
}

static void print_listing(const listing *zoo, bool json)
{
    if (json)
    {
        json_dumpf(zoo->list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        puts("");
    }
    else if (json_array_size(zoo->list) > 0)
        print_table(zoo->list);
}

// Finds the folder in which the zoo lies: paths in recipes begin there.
static void find_root(char root[PATH_SIZE], const char *folder)
{
    snprintf(root, PATH_SIZE, "%s", folder);
    char *slash = strrchr(root, '/');
    if (slash)
        slash[slash == root] = 0;
    else
        snprintf(root, PATH_SIZE, ".");
}

static int use_recipes(const cli_args *args, const listing *zoo, const char *folder, int threads)
{
    zoo_choice choice = {.count = (int)json_array_size(zoo->list)};
    snprintf(choice.folder, sizeof choice.folder, "%s", folder);
    find_root(choice.root, folder);
    choice.paths = calloc((size_t)choice.count + 1, sizeof *choice.paths);
    if (!choice.paths) return cli_fail(SAC_ERROR_MEMORY);
    for (int i = 0; i < choice.count; i++)
        snprintf(choice.paths[i], PATH_SIZE, "%s", text(json_array_get(zoo->list, (size_t)i), "policy"));
    int code =
        cli_has(args, "verify") ? zoo_verify(&choice, cli_value(args, "run"), threads) : zoo_print_commands(&choice);
    free(choice.paths);
    return code;
}

// the policies of a folder; where one here has none, those that are installed
static void collect(listing *zoo, char folder[PATH_SIZE])
{
    walk(zoo, folder, 0);
    if (json_array_size(zoo->list) > 0 || zoo->failures || zoo->wanted || getenv("SACCADE_ZOO")) return;
    char installed[CLI_PATH_SIZE];
    if (!cli_installed_folder(installed, "zoo")) return;
    snprintf(folder, PATH_SIZE, "%s", installed);
    walk(zoo, folder, 0);
}

static int check_flags(const cli_args *args)
{
    bool verify = cli_has(args, "verify");
    if (verify && cli_has(args, "commands")) return cli_usage("zoo: --verify or --commands, not both");
    if (!verify && cli_has(args, "run")) return cli_usage("zoo: --run is for --verify");
    if (!verify && cli_has(args, "threads")) return cli_usage("zoo: --threads is for --verify");
    return CLI_OK;
}

static int run(const cli_args *args)
{
    char folder[PATH_SIZE];
    bool ok = true, recipes = cli_has(args, "verify") || cli_has(args, "commands");
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    if (!ok) return CLI_USAGE;
    int code = check_flags(args);
    if (code == CLI_OK) code = find_zoo(folder);
    if (code != CLI_OK) return code;
    listing zoo = {.list = json_array(), .wanted = cli_positional(args, 0)};
    collect(&zoo, folder);
    code = zoo.failures ? CLI_FAILURE : CLI_OK;
    if (json_array_size(zoo.list) == 0 && !zoo.failures && !zoo.wanted)
    {
        say_empty_zoo();
        code = CLI_FAILURE;
    }
    else if (zoo.wanted && json_array_size(zoo.list) == 0 && !zoo.failures)
        code = cli_usage("zoo: no policy is called '%.80s' (see 'saccade zoo')", zoo.wanted);
    else if (!recipes)
        print_listing(&zoo, cli_has(args, "json"));
    else if (code == CLI_OK)
        code = use_recipes(args, &zoo, folder, threads);
    json_decref(zoo.list);
    return code;
}

const cli_command cli_zoo = {"zoo", "[NAME]", "the trained policies: what they scored, and how each was trained", flags,
                             run};
