#pragma once

#include "saccade/base.h"
#include "saccade/rollout.h"

/// This header declares what a run is made from and what it leaves: the task file, its progress, and the summary of a
/// run folder.

typedef struct sac_task sac_task;

/// Read a task file. Unknown keys are errors with "did you mean".
/// @param settings  "section.key" and value, applied after the file
SAC_API SAC_CHECKED sac_status sac_task_load(sac_task **out, const char *path, const sac_setting *settings,
                                             int setting_count);
SAC_API void sac_task_destroy(sac_task *task);

/// Tell whether the task's policy learns from a teacher: its search.method is distill.
SAC_API bool sac_task_is_taught(const sac_task *task);

/// The phases on which a run spends its time: name and text.
#define SAC_PHASE_LIST(X)                                                                 \
    X(AGENT, "agent")           /* policies look and decide */                            \
    X(WORLD, "world")           /* environments step and draw */                          \
    X(SEARCH, "search")         /* candidates are drawn, their fitness is learned from */ \
    X(EVALUATION, "evaluation") /* held-out episodes */                                   \
    X(FILES, "files")           /* checkpoints, journal */

typedef enum sac_phase
{
#define X(name, text) SAC_PHASE_##name,
    SAC_PHASE_LIST(X)
#undef X
        SAC_PHASE_COUNT
} sac_phase;

/// "agent", "world", ...
SAC_API const char *sac_phase_name(sac_phase phase);

/// What a run reports after each generation. Lives during the call only.
typedef struct sac_progress
{
    uint64_t generation, generations; ///< done; asked for in total
    uint64_t steps;                   ///< environment steps since the beginning
    uint64_t bad_episodes;            ///< since this process began: their return is not a number, so they rank last
    double seconds;                   ///< of training since the beginning, resumed parts included
    double steps_per_second;          ///< of the last generation
    double seconds_left;              ///< to the last generation, at the pace of the newest ones; NaN: not known yet
    double limit_left;                ///< seconds to the time_limit of sac_train_def; NaN: there is none
    double best, mean, std, sigma;    ///< of the population
    bool evaluated;                   ///< whether `evaluation` is of this generation
    sac_score evaluation;             ///< the latest
    double best_evaluation;
    const char *note;               ///< NULL or an event in words, such as a schedule's next stage
    const char *learning;           ///< NULL or how the last update went, in words
    double phases[SAC_PHASE_COUNT]; ///< seconds that this process has spent on each
} sac_progress;

/// A run's facts as its folder has them.
typedef struct sac_run_summary
{
    char environment[SAC_TEXT_SIZE], policy[SAC_TEXT_SIZE], search[SAC_TEXT_SIZE];
    char net[SAC_TEXT_SIZE]; ///< the kind of net that a run of `saccade fit` trains, whose generations are epochs and
                             ///< whose steps are minibatches; "": the run trains a policy
    uint64_t seed;
    uint64_t generation, generations; ///< finished; asked for in total
    uint64_t steps;                   ///< environment steps
    double seconds;                   ///< of training
    double mean;                      ///< of the population, at the last generation; NaN: none yet
    double test_accuracy;             ///< of a net: share of the test pictures that were right, last; NaN: none yet
    sac_score evaluation;             ///< the last; 0 episodes: none yet
    sac_score best;                   ///< the best evaluation
    uint64_t best_generation;
    /// "running", "finished", "stopped" (by the search itself), "interrupted" (with a checkpoint), "paused" (likewise,
    /// as asked for), "pruned" (likewise, by a sweep that others go on with), "failed" (no candidate had a return that
    /// is a number), or "broken off"
    const char *state;
    char reason[256]; ///< the last event in words
    char host[256];   ///< of the process that trained last; "": unknown
} sac_run_summary;

/// Read a run folder, also while it grows.
/// @return SAC_ERROR_FILE when it is no run folder
SAC_API SAC_CHECKED sac_status sac_run_summarise(sac_run_summary *summary, const char *run_dir);
