#include "run/task.h"
#include "env/worlds/worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "files/renamed.h"
#include "files/yaml.h"
#include "methods/distill_options.h"
#include "methods/methods.h"
#include "saccade/play.h"

static const sac_option train_options[] = {
    {"seed", SAC_OPTION_SEED, offsetof(sac_task_train, seed), "1", 0, 0, NULL, "decides every draw of the run"},
    {"generations", SAC_OPTION_INT, offsetof(sac_task_train, generations), "100", 1, 100000000, NULL,
     "in total; --generations overrules it"},
    {"episodes", SAC_OPTION_INT, offsetof(sac_task_train, episodes), "1", 1, 10000, NULL,
     "episodes an individual and generation"},
    {"race", SAC_OPTION_INT, offsetof(sac_task_train, race), "0", 0, 10000, NULL,
     "episodes that an individual has at most: those that `episodes` cannot tell from the best get more, one at a "
     "time; 0: all have the same number"},
    {"race_keep", SAC_OPTION_REAL, offsetof(sac_task_train, race_keep), "0.25", 0, 1, NULL,
     "the best: this share of the population"},
    {"race_confidence", SAC_OPTION_REAL, offsetof(sac_task_train, race_confidence), "1", 0, 100, NULL,
     "standard errors behind the best at which an individual gets no more episodes"},
    {"screen", SAC_OPTION_INT, offsetof(sac_task_train, screen), "0", 0, 10000, NULL,
     "episodes that the search's mean tries before a generation, half of whose episodes are those where it did worst; "
     "0: "
     "all are fresh"},
    {"common_episodes", SAC_OPTION_BOOL, offsetof(sac_task_train, common_episodes), "true", 0, 0, NULL,
     "every individual of a generation sees the same episodes"},
    {"fitness", SAC_OPTION_TEXT, offsetof(sac_task_train, fitness), "return", 0, 0, "return rank pair",
     "return: mean over the episodes; rank: mean of the rank within each episode, so that one disaster weighs no more; "
     "pair: half the difference of two mirrored candidates, each two of which have episodes of their own"},
    {"steps", SAC_OPTION_INT, offsetof(sac_task_train, steps), "0", 0, 1000000, NULL,
     "an episode ends after so many steps; 0: at its own end, as those of evaluation do"},
    {"patience", SAC_OPTION_INT, offsetof(sac_task_train, patience), "0", 0, 1000000, NULL,
     "an episode ends after more than so many negative rewards in a row; 0: never"},
    {"start", SAC_OPTION_TEXT, offsetof(sac_task_train, start), "draw", 0, 0, NULL,
     "first mean: draw (as layers are initialised), zeros, or a policy file"},
    {"take", SAC_OPTION_TEXT, offsetof(sac_task_train, take), "all", 0, 0, NULL,
     "tensors that are taken from the policy file of start, by how their names begin, such as 'low'; the others are "
     "drawn"},
    {"tune", SAC_OPTION_TEXT, offsetof(sac_task_train, tune), "all", 0, 0, NULL,
     "tensors that the search moves, by how their names begin, each with a factor of sigma: 'lstm output:0.5'; the "
     "others "
     "stay as at the start"},
    {"restart_after", SAC_OPTION_INT, offsetof(sac_task_train, restart_after), "0", 0, 1000000, NULL,
     "generations after which a fresh start is made where the population's fitness is low; 0: never"},
    {"restart_below", SAC_OPTION_REAL, offsetof(sac_task_train, restart_below), "0", 0, 0, NULL,
     "low: its moving average is below this"},
    {"average", SAC_OPTION_REAL, offsetof(sac_task_train, average), "1", 1e-6, 1, NULL,
     "weight of the newest mean in the running average that is evaluated; 1: the mean itself"},
    {"lanes", SAC_OPTION_INT, offsetof(sac_task_train, lanes), "16", 1, 256, NULL,
     "episodes in lockstep a thread; changes speed alone"},
    {"checkpoint_every", SAC_OPTION_INT, offsetof(sac_task_train, checkpoint_every), "10", 1, 1000000, NULL,
     "generations between checkpoints"},
    {0},
};

static const sac_option stage_options[] = {
    {"above", SAC_OPTION_REAL, offsetof(sac_stage, above), NULL, 0, 0, NULL,
     "begins when the moving average of the population's fitness passes this"},
    {"steps", SAC_OPTION_INT, offsetof(sac_stage, steps), "-1", -1, 1000000, NULL, "from then on; -1: as before"},
    {"patience", SAC_OPTION_INT, offsetof(sac_stage, patience), "-1", -1, 1000000, NULL, "from then on; -1: as before"},
    {"episodes", SAC_OPTION_INT, offsetof(sac_stage, episodes), "-1", -1, 10000, NULL, "from then on; -1: as before"},
    {"race", SAC_OPTION_INT, offsetof(sac_stage, race), "-1", -1, 10000, NULL, "from then on; -1: as before"},
    {"screen", SAC_OPTION_INT, offsetof(sac_stage, screen), "-1", -1, 10000, NULL, "from then on; -1: as before"},
    {"average", SAC_OPTION_REAL, offsetof(sac_stage, average), "-1", -1, 1, NULL, "from then on; -1: as before"},
    {"fitness", SAC_OPTION_TEXT, offsetof(sac_stage, fitness), "same", 0, 0, "same return rank pair",
     "from then on; same: as before"},
    {"sigma", SAC_OPTION_REAL, offsetof(sac_stage, sigma), "1", 1e-6, 1e6, NULL,
     "factor on the search's step size when the stage begins"},
    {0},
};

static const sac_option evaluation_options[] = {
    {"every", SAC_OPTION_INT, offsetof(sac_task_evaluation, every), "10", 0, 1000000, NULL, "generations; 0: never"},
    {"episodes", SAC_OPTION_INT, offsetof(sac_task_evaluation, episodes), "20", 1, 100000, NULL, "held-out episodes"},
    {"first_seed", SAC_OPTION_SEED, offsetof(sac_task_evaluation, first_seed), "1000", 0, 0, NULL,
     "of the held-out episodes; below 1000000, so that training never sees them, and not 0..99, which are for "
     "reporting alone"},
    {0},
};

static const sac_option teacher_options[] = {
    {"policy", SAC_OPTION_TEXT, offsetof(sac_task_teacher, policy), "", 0, 0, NULL,
     "a policy file whose actions are learned, for every frame that is met; it may see privileged parts"},
    {"demonstrations", SAC_OPTION_TEXT, offsetof(sac_task_teacher, demonstrations), "", 0, 0, NULL,
     "in its place a file of demonstrations (saccade record), whose frames are learned and no others"},
    {"noise", SAC_OPTION_REAL, offsetof(sac_task_teacher, noise), "0", 0, 100, NULL,
     "where the teacher drives: deviation of normal noise on its actions, in half their range; of choices, the chance "
     "of a drawn one. What is learned has none"},
    {"push", SAC_OPTION_REAL, offsetof(sac_task_teacher, push), "0", 0, 1, NULL,
     "whoever drives: chance a step that some drawn actions begin"},
    {"push_steps", SAC_OPTION_INT, offsetof(sac_task_teacher, push_steps), "12", 1, 100000, NULL, "so many of them"},
    {0},
};

const sac_option *sac_task_options(const char *section)
{
    return strcmp(section, "train") == 0        ? train_options
           : strcmp(section, "stages") == 0     ? stage_options
           : strcmp(section, "evaluation") == 0 ? evaluation_options
           : strcmp(section, "teacher") == 0    ? teacher_options
                                                : NULL;
}

/// A section whose keys belong to something chosen by name in one of them.
typedef struct chosen
{
    const char *section, *selector; // "env", "id"
    char *name;                     // where the choice is kept
    sac_section *settings;
    const sac_option *options; // of the choice
    const sac_setting *given;  // what is set of it, perhaps not checked yet
    int given_count;
} chosen;

enum
{
    ENV,
    POLICY,
    SEARCH,
    CHOSEN_COUNT
};

static const char *policy_name_at(const void *user, int index)
{
    (void)user;
    const sac_option *options;
    return sac_policy_kind_at(index, &options);
}

static const char *search_name_at(const void *user, int index)
{
    (void)user;
    const sac_option *options;
    const char *summary;
    return sac_method_at(index, &summary, &options);
}

static const sac_option *options_of(int which, int index, const chosen *choice)
{
    static const sac_option none[] = {{0}};
    const sac_option *options = NULL;
    const char *summary;
    switch (which)
    {
    case ENV: options = sac_env_at(index)->options; break;
    // the options of some kinds depend on their settings
    case POLICY: options = sac_policy_kind_options(choice->name, choice->given, choice->given_count); break;
    default: sac_method_at(index, &summary, &options); break;
    }
    return options ? options : none;
}

static void list_chosen(sac_task *task, chosen list[CHOSEN_COUNT])
{
    list[ENV] = (chosen){.section = "env", .selector = "id", .name = task->env, .settings = &task->env_settings};
    list[POLICY] =
        (chosen){.section = "policy", .selector = "kind", .name = task->policy, .settings = &task->policy_settings};
    list[SEARCH] =
        (chosen){.section = "search", .selector = "method", .name = task->search, .settings = &task->search_settings};
    for (int i = 0; i < CHOSEN_COUNT; i++)
    {
        list[i].given = list[i].settings->settings;
        list[i].given_count = list[i].settings->count;
    }
}

// Tells whether a table's name stands for this choice: the same name or, where the name ends with ':', one that begins
// with it.
static bool names(const char *name, const char *choice)
{
    size_t length = strlen(name);
    bool open = length > 0 && name[length - 1] == ':';
    return open ? strncmp(name, choice, length) == 0 : strcmp(name, choice) == 0;
}

// Finds the option table of each section's choice.
static sac_status resolve_choices(chosen list[CHOSEN_COUNT], const char *where)
{
    static const char *(*const name_at[])(const void *, int) = {sac_world_name, policy_name_at, search_name_at};
    for (int i = 0; i < CHOSEN_COUNT; i++)
    {
        chosen *c = &list[i];
        if (!c->name[0]) return sac_fail(SAC_ERROR_ARGUMENT, "%s: %s.%s is missing", where, c->section, c->selector);
        const char *name;
        int index = 0;
        while ((name = name_at[i](NULL, index)) && !names(name, c->name)) index++;
        if (!name)
        {
            const char *nearest = sac_nearest(c->name, name_at[i], NULL);
            bool pluggable = i == ENV || i == POLICY;
            return sac_fail(
                SAC_ERROR_ARGUMENT, "%s: %s.%s: unknown name '%.80s'%s", where, c->section, c->selector, c->name,
                nearest || !pluggable ? sac_expected(c->name, name_at[i], NULL)
                                      : "; one that is not built in comes with a plugin, which is not loaded");
        }
        c->options = options_of(i, index, c);
    }
    return SAC_OK;
}

// Checks one value against its table without keeping it.
static sac_status check_setting(const sac_option *options, const char *key, const char *value, const char *where)
{
    void *scratch = sac_alloc(sac_options_size(options));
    if (!scratch) return sac_fail_memory("options");
    sac_status status = sac_options_set(options, scratch, key, value, where);
    sac_free(scratch);
    return status;
}

static sac_status keep_setting(sac_section *section, const char *key, const char *value, const char *where)
{
    int i = 0;
    while (i < section->count && strcmp(section->keys[i], key) != 0) i++;
    if (i == TASK_MAX_SETTINGS || strlen(key) >= sizeof section->keys[0] || strlen(value) >= SAC_TEXT_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: too many or too long options at '%.60s'", where, key);
    snprintf(section->keys[i], sizeof section->keys[i], "%s", key);
    snprintf(section->values[i], sizeof section->values[i], "%s", value);
    section->settings[i] = (sac_setting){section->keys[i], section->values[i]};
    if (i == section->count) section->count++;
    return SAC_OK;
}

// "stages.0.above" and its like
static sac_status set_stage(sac_task *task, const char *key, const char *value, const char *where)
{
    char *end;
    long index = strtol(key, &end, 10);
    if (end == key || *end != '.' || index < 0 || index > task->stage_count || index >= TASK_MAX_STAGES)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: stages is a list of at most %d maps, each with above", where,
                        TASK_MAX_STAGES);
    sac_stage *stage = &task->stages[index];
    if (index == task->stage_count)
    {
        *stage = (sac_stage){.above = 0,
                             .steps = -1,
                             .patience = -1,
                             .episodes = -1,
                             .race = -1,
                             .screen = -1,
                             .average = -1,
                             .sigma = 1,
                             .fitness = "same"};
        task->stage_count++;
    }
    return sac_options_set(stage_options, stage, end + 1, value, where);
}

static bool has_option(const sac_option *options, const char *key)
{
    for (; options->name; options++)
        if (strcmp(options->name, key) == 0) return true;
    return false;
}

// The options on what a policy takes of a world stand beside the options of its kind.
static const sac_option *table_of(const chosen *c, int which, const char *key)
{
    const sac_option *world = sac_policy_world_options();
    return which == POLICY && has_option(world, key) ? world : c->options;
}

// "section.key" of the file or of --set; the choices are known by now
static sac_status set_entry(sac_task *task, const chosen list[CHOSEN_COUNT], const char *path, const char *value,
                            const char *file)
{
    static const char *const sections[] = {"env", "policy", "search", "train", "evaluation", "teacher", NULL};
    const char *dot = strchr(path, '.');
    char section[64], where[SAC_TEXT_SIZE];
    snprintf(section, sizeof section, "%.*s", (int)(dot ? dot - path : (long)strlen(path)), path);
    snprintf(where, sizeof where, "%.150s: %.60s", file, section);
    const char *key = dot ? dot + 1 : "";

    for (int i = 0; i < CHOSEN_COUNT; i++)
    {
        const chosen *c = &list[i];
        if (strcmp(section, c->section) != 0) continue;
        if (strcmp(key, c->selector) == 0) return SAC_OK; // was read first
        if (i == ENV && strcmp(key, "variant") == 0)
        {
            snprintf(task->variant, sizeof task->variant, "%s", value);
            return SAC_OK;
        }
        const sac_option *table = table_of(c, i, key);
        // each method has options of its own, and what is left of another one's is refused
        if (i == SEARCH) snprintf(where, sizeof where, "%.150s: search of %.60s", file, c->name);
        SAC_TRY(check_setting(table, key, value, where));
        // A former name ends here, so that the new one may overrule it and all that follows knows one name.
        return keep_setting(c->settings, sac_option_find(table, key)->name, value, where);
    }
    if (strcmp(section, "train") == 0 && strncmp(key, "stages.", 7) == 0) return set_stage(task, key + 7, value, where);
    if (strcmp(section, "train") == 0) return sac_options_set(train_options, &task->train, key, value, where);
    if (strcmp(section, "evaluation") == 0)
        return sac_options_set(evaluation_options, &task->evaluation, key, value, where);
    if (strcmp(section, "teacher") == 0) return sac_options_set(teacher_options, &task->teacher, key, value, where);
    return sac_fail(SAC_ERROR_ARGUMENT, "%s: unknown section '%.60s'%s", file, section,
                    sac_did_you_mean(sac_nearest_of(section, sections)));
}

static void read_choice(chosen list[CHOSEN_COUNT], const char *path, const char *value)
{
    for (int i = 0; i < CHOSEN_COUNT; i++)
    {
        size_t length = strlen(list[i].section);
        if (strncmp(path, list[i].section, length) == 0 && path[length] == '.' &&
            strcmp(path + length + 1, list[i].selector) == 0)
            snprintf(list[i].name, SAC_TEXT_SIZE, "%s", value);
    }
}

static bool has_restarts(const sac_task *task)
{
    int restarts = 0;
    double tolerance = 1e-12, stagnation = 0; // the defaults
    for (int i = 0; i < task->search_settings.count; i++)
    {
        const sac_setting *setting = &task->search_settings.settings[i];
        if (strcmp(setting->key, "restarts") == 0) restarts = atoi(setting->value);
        if (strcmp(setting->key, "restart_tolerance") == 0) tolerance = atof(setting->value);
        if (strcmp(setting->key, "restart_stagnation") == 0) stagnation = atof(setting->value);
    }
    return restarts > 0 && (tolerance > 0 || stagnation > 0);
}

sac_stage sac_task_stage(const sac_task *task, int stage)
{
    const sac_task_train *t = &task->train;
    sac_stage now = {.steps = t->steps,
                     .patience = t->patience,
                     .episodes = t->episodes,
                     .race = t->race,
                     .screen = t->screen,
                     .average = t->average,
                     .sigma = 1};
    memcpy(now.fitness, t->fitness, sizeof now.fitness);
    for (int i = 0; i < stage; i++)
    {
        const sac_stage *next = &task->stages[i];
        now.above = next->above;
        now.sigma = next->sigma;
        if (next->steps >= 0) now.steps = next->steps;
        if (next->patience >= 0) now.patience = next->patience;
        if (next->episodes > 0) now.episodes = next->episodes;
        if (next->race >= 0) now.race = next->race;
        if (next->screen >= 0) now.screen = next->screen;
        if (next->average > 0) now.average = next->average;
        if (strcmp(next->fitness, "same") != 0) memcpy(now.fitness, next->fitness, sizeof now.fitness);
    }
    return now;
}

bool sac_task_may_have_fitness(const sac_task *task, const char *fitness)
{
    bool found = false;
    for (int i = 0; i <= task->stage_count; i++) found |= strcmp(sac_task_stage(task, i).fitness, fitness) == 0;
    return found;
}

bool sac_task_is_taught(const sac_task *task)
{
    return strcmp(task->search, "distill") == 0;
}

// Refuses options that only evolution uses, which a task for distillation may not set.
static sac_status check_no_search(const sac_task *task, const char *file)
{
    const sac_task_train *t = &task->train;
    const char *other = task->stage_count > 0          ? "stages"
                        : t->race > 0                  ? "race"
                        : t->screen > 0                ? "screen"
                        : t->restart_after > 0         ? "restart_after"
                        : t->episodes != 1             ? "episodes"
                        : strcmp(t->tune, "all") != 0  ? "tune"
                        : strcmp(t->fitness, "return") ? "fitness"
                                                       : NULL;
    if (!other) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "%s: train.%s is for searches; search.method: distill has options of its own",
                    file, other);
}

static sac_status check_teacher(const sac_task *task, const char *file)
{
    const sac_task_teacher *t = &task->teacher;
    const bool policy = t->policy[0], shown = t->demonstrations[0];
    if (!sac_task_is_taught(task))
        return policy || shown ? sac_fail(SAC_ERROR_ARGUMENT,
                                          "%s: teacher: a policy that is found by search.method: %s has no teacher; "
                                          "search.method: distill has",
                                          file, task->search)
                               : SAC_OK;
    double shares[SAC_DISTILL_SHARES];
    int count;
    sac_distill_options options;
    SAC_TRY(sac_options_read(sac_distill_option_table, &options, task->search_settings.settings,
                             task->search_settings.count, file));
    SAC_TRY(sac_distill_read_shares(options.share, shares, &count));
    if (strcmp(t->policy, "idle") == 0 || strcmp(t->policy, "random") == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: teacher.policy: '%s' is no teacher, name a policy file", file,
                        t->policy);
    if (policy == shown)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: %s", file,
                        policy ? "teacher.policy and teacher.demonstrations: a teacher is one of the two"
                               : "teacher.policy is missing: a policy file, or else teacher.demonstrations");
    return check_no_search(task, file);
}

static sac_status check_task(const sac_task *task, const char *file)
{
    if (!task->train.start[0])
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: train.start is empty, expected draw, zeros or a policy file", file);
    for (int i = 1; i < task->stage_count; i++)
        if (task->stages[i].above <= task->stages[i - 1].above)
            return sac_fail(SAC_ERROR_ARGUMENT, "%s: train.stages must rise: 'above' of stage %d is not above stage %d",
                            file, i, i - 1);
    bool rank = sac_task_may_have_fitness(task, "rank"), plain = !rank && !sac_task_may_have_fitness(task, "pair");
    bool race = false, screen = false;
    for (int i = 0; i <= task->stage_count; i++)
    {
        race |= sac_task_stage(task, i).race > 0;
        screen |= sac_task_stage(task, i).screen > 0;
    }
    if (rank && !task->train.common_episodes)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%s: train.fitness: rank compares episodes, so it needs common_episodes: true", file);
    if (screen && !task->train.common_episodes)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%s: train.screen chooses episodes for all candidates, so it needs common_episodes: true",
                        file);
    if (race && (!task->train.common_episodes || !plain))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%s: train.race compares returns of the same episodes, so it needs common_episodes: true and "
                        "fitness: return",
                        file);
    if (has_restarts(task) && !plain)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%s: search.restart_tolerance and search.restart_stagnation look at the fitness, and that of "
                        "train.fitness: rank or pair never rises; set both to 0",
                        file);
    if (task->evaluation.first_seed < SAC_REPORTING_SEEDS)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%s: evaluation.first_seed: the best vector is chosen by these episodes, and 0..%d are for "
                        "reporting alone; take 1000..1999",
                        file, (int)SAC_REPORTING_SEEDS - 1);
    uint64_t last = task->evaluation.first_seed + (uint64_t)task->evaluation.episodes;
    if (task->evaluation.first_seed >= SAC_TRAINING_SEED_FIRST || last > SAC_TRAINING_SEED_FIRST)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: evaluation seeds must stay below 1000000, which training never draws",
                        file);
    return check_teacher(task, file);
}

// Adds an entry of the file or of --set to what is set of a section's choice, where it is of that section.
static void give(chosen *c, sac_setting *given, const char *path, const char *value)
{
    const size_t length = strlen(c->section);
    if (strncmp(path, c->section, length) == 0 && path[length] == '.')
        given[c->given_count++] = (sac_setting){path + length + 1, value};
}

// Finds the choices and their option tables, which for policies depend on what is set of them.
static sac_status choose(chosen list[CHOSEN_COUNT], const sac_yaml *yaml, const char *path, const sac_setting *settings,
                         int count)
{
    sac_setting *given = SAC_NEW_ARRAY(sac_setting, (size_t)(sac_yaml_count(yaml) + count) + 1);
    if (!given) return sac_fail_memory("a task");
    list[POLICY].given = given;
    for (int i = 0; i < sac_yaml_count(yaml); i++)
    {
        const sac_yaml_entry *entry = sac_yaml_at(yaml, i);
        read_choice(list, entry->key, entry->value);
        give(&list[POLICY], given, entry->key, entry->value);
    }
    for (int i = 0; i < count; i++)
    {
        read_choice(list, settings[i].key, settings[i].value);
        give(&list[POLICY], given, settings[i].key, settings[i].value);
    }
    const sac_status status = resolve_choices(list, path);
    sac_free(given);
    list[POLICY].given = NULL;
    list[POLICY].given_count = 0;
    return status;
}

static sac_status fill(sac_task *task, const sac_yaml *yaml, const char *path, const sac_setting *settings, int count)
{
    chosen list[CHOSEN_COUNT];
    list_chosen(task, list);
    SAC_TRY(choose(list, yaml, path, settings, count));

    for (int i = 0; i < sac_yaml_count(yaml); i++)
    {
        const sac_yaml_entry *entry = sac_yaml_at(yaml, i);
        char where[SAC_TEXT_SIZE];
        snprintf(where, sizeof where, "%.200s:%d", path, entry->line);
        SAC_TRY(set_entry(task, list, entry->key, entry->value, where));
    }
    for (int i = 0; i < count; i++) SAC_TRY(set_entry(task, list, settings[i].key, settings[i].value, "--set"));
    return check_task(task, path);
}

sac_status sac_task_load(sac_task **out, const char *path, const sac_setting *settings, int setting_count)
{
    *out = NULL;
    sac_task *task = SAC_NEW(sac_task);
    if (!task) return sac_fail_memory("a task");
    sac_yaml *yaml = NULL;
    sac_status status = sac_options_read(train_options, &task->train, NULL, 0, "train");
    if (status == SAC_OK) status = sac_options_read(evaluation_options, &task->evaluation, NULL, 0, "evaluation");
    if (status == SAC_OK) status = sac_options_read(teacher_options, &task->teacher, NULL, 0, "teacher");
    if (status == SAC_OK) status = sac_yaml_load(&yaml, path);
    if (status == SAC_OK && sac_yaml_find(yaml, "task") && !sac_yaml_find(yaml, "env.id"))
        status =
            sac_fail(SAC_ERROR_ARGUMENT, "%s is a sweep over a task, not a task: 'saccade sweep' carries it out", path);
    if (status == SAC_OK && sac_yaml_find(yaml, "net.kind") && !sac_yaml_find(yaml, "env.id"))
        status = sac_fail(SAC_ERROR_ARGUMENT, "%s is a task of pictures, not of a policy: 'saccade fit' carries it out",
                          path);
    if (status == SAC_OK) status = fill(task, yaml, path, settings, setting_count);
    sac_yaml_destroy(yaml);
    if (status != SAC_OK)
    {
        sac_free(task);
        return status;
    }
    *out = task;
    return SAC_OK;
}

void sac_task_destroy(sac_task *task)
{
    sac_free(task);
}

sac_env_def sac_task_env_def(const sac_task *task)
{
    return (sac_env_def){.id = task->env,
                         .variant = task->variant[0] ? task->variant : NULL,
                         .settings = task->env_settings.settings,
                         .setting_count = task->env_settings.count};
}

// --- the resolved task ------------------------------------------------------------------------------------------

enum
{
    MAX_RESOLVED = 4 * TASK_MAX_SETTINGS
};

/// Every option of a task as dotted key and text.
typedef struct resolved
{
    char keys[MAX_RESOLVED][128], values[MAX_RESOLVED][SAC_TEXT_SIZE];
    sac_setting settings[MAX_RESOLVED];
    bool plain[MAX_RESOLVED]; // the option's own default
    int count;
} resolved;

static void add(resolved *r, const char *section, const char *key, const char *value)
{
    SAC_ASSERT(r->count < MAX_RESOLVED);
    int i = r->count++;
    snprintf(r->keys[i], sizeof r->keys[i], "%.60s.%.60s", section, key);
    snprintf(r->values[i], sizeof r->values[i], "%s", value);
    r->settings[i] = (sac_setting){r->keys[i], r->values[i]};
}

static void add_table(resolved *r, const char *section, const sac_option *options, const void *config)
{
    char text[SAC_TEXT_SIZE];
    for (const sac_option *option = options; option->name; option++)
    {
        sac_options_format(option, config, text);
        add(r, section, option->name, text);
        r->plain[r->count - 1] = option->fallback && strcmp(text, option->fallback) == 0;
    }
}

static sac_status add_world_options(resolved *r, const char *section, const sac_setting *settings, int count)
{
    const sac_option *options = sac_policy_world_options();
    void *config = sac_alloc(sac_options_size(options));
    if (!config) return sac_fail_memory("options");
    sac_status status = sac_options_read(options, config, settings, count, section);
    if (status == SAC_OK) add_table(r, section, options, config);
    sac_free(config);
    return status;
}

static sac_status add_chosen(resolved *r, int which, const chosen *c, const char *variant)
{
    const sac_section *given = c->settings;
    void *config = sac_alloc(sac_options_size(c->options));
    if (!config) return sac_fail_memory("options");
    add(r, c->section, c->selector, c->name);
    sac_setting of_kind[TASK_MAX_SETTINGS], of_world[TASK_MAX_SETTINGS];
    int kind_count = 0, world_count = 0;
    for (int i = 0; i < given->count; i++)
        if (table_of(c, which, given->settings[i].key) == c->options)
            of_kind[kind_count++] = given->settings[i];
        else
            of_world[world_count++] = given->settings[i];
    if (variant) add(r, c->section, "variant", variant[0] ? variant : "original");
    sac_status status = sac_options_read(c->options, config, of_kind, kind_count, c->section);
    if (status == SAC_OK) add_table(r, c->section, c->options, config);
    if (status == SAC_OK && which == POLICY) status = add_world_options(r, c->section, of_world, world_count);
    sac_free(config);
    return status;
}

static sac_status resolve(resolved *r, const sac_task *task)
{
    sac_task *own = (sac_task *)task; // the list only points; nothing is changed
    chosen list[CHOSEN_COUNT];
    list_chosen(own, list);
    SAC_TRY(resolve_choices(list, "task"));
    for (int i = 0; i < CHOSEN_COUNT; i++) SAC_TRY(add_chosen(r, i, &list[i], i == ENV ? task->variant : NULL));
    add_table(r, "train", train_options, &task->train);
    for (int i = 0; i < task->stage_count; i++)
    {
        char section[32];
        snprintf(section, sizeof section, "train.stages.%d", i);
        add_table(r, section, stage_options, &task->stages[i]);
    }
    add_table(r, "evaluation", evaluation_options, &task->evaluation);
    if (sac_task_is_taught(task)) add_table(r, "teacher", teacher_options, &task->teacher);
    return SAC_OK;
}

static bool is_world_key(const char *key)
{
    const char *policy = "policy.";
    return strncmp(key, policy, strlen(policy)) == 0 && has_option(sac_policy_world_options(), key + strlen(policy));
}

sac_status sac_task_write(const sac_task *task, char **text)
{
    *text = NULL;
    resolved *r = SAC_NEW(resolved);
    if (!r) return sac_fail_memory("the resolved task");
    sac_status status = resolve(r, task);
    // The options on what a policy takes are written only where they are set, so that the files of tasks that do not
    // set them keep their bytes.
    int count = 0;
    for (int i = 0; status == SAC_OK && i < r->count; i++)
        if (!r->plain[i] || !is_world_key(r->settings[i].key)) r->settings[count++] = r->settings[i];
    if (status == SAC_OK) status = sac_yaml_write(text, r->settings, count);
    sac_free(r);
    return status;
}

sac_status sac_task_check_same(const sac_task *task, const char *path)
{
    // These options may differ between a run and its continuation.
    static const char *const free_keys[] = {"train.generations", "train.lanes", NULL};
    resolved *r = SAC_NEW(resolved);
    sac_yaml *yaml = NULL;
    sac_status status = r ? resolve(r, task) : sac_fail_memory("the resolved task");
    if (status == SAC_OK) status = sac_yaml_load(&yaml, path);
    for (int i = 0; status == SAC_OK && i < r->count; i++)
    {
        const sac_setting *mine = &r->settings[i];
        const sac_yaml_entry *theirs = sac_yaml_find_option(yaml, mine->key);
        if (strcmp(mine->key, free_keys[0]) == 0 || strcmp(mine->key, free_keys[1]) == 0) continue;
        // An option that did not exist when the run was started had the effect of its default.
        if (!theirs && r->plain[i]) continue;
        if (!theirs || strcmp(theirs->value, mine->value) != 0)
            status = sac_fail(SAC_ERROR_ARGUMENT,
                              "%s: the run was started with %s '%.60s', now it is '%.60s'; use another --run", path,
                              mine->key, theirs ? theirs->value : "absent", mine->value);
    }
    sac_yaml_destroy(yaml);
    sac_free(r);
    return status;
}
