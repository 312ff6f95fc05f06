#pragma once

#include "saccade/run.h"

/// A task file, resolved: which environment, policy and search, and how they are joined.

enum
{
    TASK_MAX_SETTINGS = 96, ///< of one section
    TASK_MAX_STAGES = 8,
};

/// Keys and values of a section that belong to the environment, the policy kind or the search method.
typedef struct sac_section
{
    char keys[TASK_MAX_SETTINGS][64];
    char values[TASK_MAX_SETTINGS][SAC_TEXT_SIZE];
    sac_setting settings[TASK_MAX_SETTINGS]; ///< point into keys and values
    int count;
} sac_section;

/// A stage of training: begins once the moving average of the population's mean fitness has passed `above`.
/// The fitness "same" and a negative number (for `episodes` and `average` 0 as well) keep the value from before the
/// stage.
typedef struct sac_stage
{
    double above;
    int steps, patience, episodes, race, screen;
    double average;
    double sigma; ///< factor on the search's step size when the stage begins
    char fitness[SAC_TEXT_SIZE];
} sac_stage;

typedef struct sac_task_train
{
    uint64_t seed;
    int generations;
    int episodes;                ///< an individual
    char fitness[SAC_TEXT_SIZE]; ///< "return", "rank" or "pair": what the search is told
    int race;                    ///< episodes that a candidate has at most; 0: all have `episodes`
    double race_keep;            ///< share of the population that a race tells apart from the others
    double race_confidence;      ///< standard errors behind at which a candidate leaves
    int screen;                  ///< episodes that the mean tries before a generation; 0: all are fresh
    bool common_episodes;        ///< every individual of a generation sees the same episodes
    int steps;                   ///< ends an episode; 0: it ends by itself
    int patience;                ///< ends an episode after more than so many negative rewards in a row; 0: never
    char start[SAC_TEXT_SIZE];   ///< "draw", "zeros", or a policy file
    char take[SAC_TEXT_SIZE];    ///< "all", or prefixes of the tensors that are taken from that file
    char tune[SAC_TEXT_SIZE];    ///< "all", or prefixes of the tensors that the search moves
    int restart_after;           ///< generations after which a start that leads nowhere is given up; 0: never
    double restart_below;        ///< moving average of the population's mean fitness that is nowhere
    double average; ///< weight of the newest mean vector in the running average, which is evaluated; 1: no average
    int lanes;      ///< episodes in lockstep a thread
    int checkpoint_every; ///< generations
} sac_task_train;

typedef struct sac_task_evaluation
{
    int every; ///< generations; 0: never
    int episodes;
    uint64_t first_seed;
} sac_task_evaluation;

/// Who shows a policy that is distilled what to do.
typedef struct sac_task_teacher
{
    char policy[SAC_TEXT_SIZE];         ///< a policy file; "": none
    char demonstrations[SAC_TEXT_SIZE]; ///< a file of demonstrations; "": none
    double noise;                       ///< on the actions of episodes that the teacher drives, in half their range
    double push;                        ///< chance a step that a push begins, whoever drives
    int push_steps;                     ///< random actions in a push
} sac_task_teacher;

struct sac_task
{
    char env[SAC_TEXT_SIZE], variant[SAC_TEXT_SIZE], policy[SAC_TEXT_SIZE], search[SAC_TEXT_SIZE];
    sac_section env_settings, policy_settings, search_settings;
    sac_task_train train;
    sac_stage stages[TASK_MAX_STAGES];
    int stage_count;
    sac_task_evaluation evaluation;
    sac_task_teacher teacher; ///< of search.method: distill
};

sac_env_def sac_task_env_def(const sac_task *task);

/// The settings once `stage` stages have begun, 0..stage_count: the task's own, with what each stage changes. None of
/// them is negative or "same".
sac_stage sac_task_stage(const sac_task *task, int stage);

/// Tell whether `fitness` is what the search is told at the start or from some stage on.
bool sac_task_may_have_fitness(const sac_task *task, const char *fitness);

/// The option table of a section that is the same for every task, "train", "evaluation" or "teacher"; NULL for any
/// other.
const sac_option *sac_task_options(const char *section);

/// The resolved task as YAML text, every option spelled out; to be freed with sac_free.
SAC_CHECKED sac_status sac_task_write(const sac_task *task, char **text);

/// Check that a resolved task file says the same but for what a continued run may change (its length).
/// @return SAC_ERROR_ARGUMENT with the first key that differs
SAC_CHECKED sac_status sac_task_check_same(const sac_task *task, const char *path);
