#pragma once

#include "files/atomic.h"
#include "files/yaml.h"
#include "saccade/run.h"

/// How a policy of the zoo was trained: a YAML file beside it, the one source of its card's commands, which
/// `saccade zoo --verify` carries out again.
///
///     start: zoo/training/starts/NAME.safetensors   # of the first part; absent: from nothing
///     parts:                                        # each starts from the vector of the one before, unless it says
///       - run: NAME                               # its run folder
///         task: zoo/tasks/NAME.yaml
///         generations: 84
///         steps: 1008000                            # environment steps that it takes
///         vector: best                              # or mean; absent: best
///         teacher: NAME                             # the run of an earlier part, whose vector teaches this one, which
///                                                   # then starts from nothing
///         start: NAME                               # the run of an earlier part to start from, or `nothing`
///         set:                                      # overrules the task file
///           search: {sigma: 0.05}
///       - run: NAME                               # a part that makes attention linear, by the options of
///         uptrain: {attention: relu, frames: 8192}  # `saccade uptrain`: it has no task, starts as other parts do, and
///         steps: 8192                               # leaves NAME.safetensors
///     verified:                                     # absent: not yet
///       date: 2026-11-22
///       parameters: dfd837c4801300d3                # sac_recipe_hash of what came out
///       once: true                                # optional: what ships was taken from that run
///     scores:                                       # of the episodes 0..99, as on the card; absent: not measured; the
///                                                   # variants random and idle are the baselines of the plain world
///       - {variant: original, mean: 912.6, std: 20.1}

#define RECIPE_NOTHING "nothing" ///< the start of a part that starts from nothing

enum
{
    RECIPE_PARTS = 8,
    RECIPE_SETTINGS = 32, ///< of one part
    RECIPE_SCORES = 16
};

/// What came out returns in one variant of the world.
typedef struct sac_recipe_score
{
    char variant[SAC_TEXT_SIZE];
    double mean, std;
} sac_recipe_score;

typedef struct sac_recipe_part
{
    char run[SAC_TEXT_SIZE], task[SAC_TEXT_SIZE], vector[SAC_TEXT_SIZE];
    char teacher[SAC_TEXT_SIZE]; ///< "": it has none, or the one that its task names
    char start[SAC_TEXT_SIZE];   ///< "": the part before, or nothing where it has a teacher
    int generations;
    uint64_t steps;
    bool uptrains;                         ///< by `saccade uptrain`, whose options the settings are then
    sac_setting settings[RECIPE_SETTINGS]; ///< "section.key" and value
    int setting_count;
} sac_recipe_part;

typedef struct sac_recipe
{
    char start[SAC_TEXT_SIZE];                                       ///< "": from nothing
    char verified_date[SAC_TEXT_SIZE], verified_hash[SAC_TEXT_SIZE]; ///< "": not yet
    bool verified_once; ///< what ships was taken from the run that verified it, and its last part not trained twice
    sac_recipe_part parts[RECIPE_PARTS];
    int part_count;
    sac_recipe_score scores[RECIPE_SCORES];
    int score_count;
    sac_yaml *yaml; ///< holds the texts of the settings
} sac_recipe;

/// @param[out] out  released by sac_recipe_destroy; NULL on failure
/// @return SAC_ERROR_FORMAT or SAC_ERROR_ARGUMENT with file and line, SAC_ERROR_FILE, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_recipe_load(sac_recipe **out, const char *path);

/// NULL is ignored.
void sac_recipe_destroy(sac_recipe *recipe);

/// Environment steps of all parts.
uint64_t sac_recipe_steps(const sac_recipe *recipe);

/// Where a part leaves its vector: RUNS/RUN/VECTOR.safetensors, or, of one that up-trains, RUNS/RUN.safetensors.
SAC_CHECKED sac_status sac_recipe_vector(const sac_recipe_part *part, const char *runs, char path[SAC_PATH_SIZE]);

/// The policies that a part begins with, and the settings that name them to its task, where it has one.
typedef struct sac_recipe_beginning
{
    char start[SAC_PATH_SIZE];   ///< "": nothing
    char teacher[SAC_PATH_SIZE]; ///< "": none
    sac_setting settings[2];     ///< point into `start` and `teacher`: valid as long as this struct stays in its place
    int setting_count;
} sac_recipe_beginning;

/// @param root  the folder that the recipe's own paths begin at
/// @param runs  the folder that holds the run of each part
/// @return SAC_ERROR_ARGUMENT where a path is longer than a task's options may be
SAC_CHECKED sac_status sac_recipe_begin(sac_recipe_beginning *begin, const sac_recipe *recipe, int index,
                                        const char *root, const char *runs);

/// A hash of a policy's parameters, 16 hexadecimal digits: FNV-1a of their bytes in the order of the vector.
void sac_recipe_hash(const sac_policy *policy, char hash[17]);
