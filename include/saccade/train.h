#pragma once

#include "saccade/base.h"
#include "saccade/env.h"
#include "saccade/evolve.h"
#include "saccade/policy.h"

/// Training and evaluation: the only module that knows policies, environments and searches at once.
///
/// The unit of work is one (individual, episode); the threads of all ranks take units from one queue, several episodes
/// in lockstep a thread, so that the batch forms of an environment are used. Results are a function of the unit alone
/// and are summed in order: any number of ranks and threads gives the same bits.

/// Seeds below this are for evaluation only; training draws its episodes from above.
#define SAC_TRAINING_SEED_FIRST UINT64_C(1000000)

/// Seeds below this are for reporting what is done; a run chooses its best vector by others (evaluation.first_seed).
#define SAC_REPORTING_SEEDS UINT64_C(100)

/// One finished episode.
typedef struct sac_episode
{
    uint64_t seed;
    double episode_return; ///< sum of rewards; NaN when a reward was not a number
    int steps;
} sac_episode;

/// Mean and spread of returns.
typedef struct sac_score
{
    double mean;
    double std; ///< with n - 1; 0 for one episode
    int episodes;
} sac_score;

SAC_API sac_score sac_score_of(const sac_episode *episodes, int count);

/// Drive one policy over episodes with seeds first..first+count-1, by the environment's own rules.
/// @param[out] episodes  [count]
/// @param      threads   >= 1
SAC_API SAC_CHECKED sac_status sac_evaluate(const sac_policy *policy, const sac_env_def *env, uint64_t first_seed,
                                            int count, int threads, sac_episode *episodes);

/// What to drive over which episodes.
typedef struct sac_evaluation_def
{
    const sac_policy *policy;
    const sac_env_def *env;
    const uint64_t *seeds; ///< [count] in any order, also twice the same; none is SAC_SEED_NEXT
    int count;             ///< >= 1
    int threads;           ///< >= 1
    /// NULL or a flag that ends the evaluation when it is not 0; it is read before every step.
    const volatile int *interrupt;
} sac_evaluation_def;

/// Drive a policy over a list of episodes, by the environment's own rules.
/// @param[out] episodes  [count], in the order of the seeds; undefined after a failure
/// @return SAC_ERROR_INTERRUPTED when the flag ended it
SAC_API SAC_CHECKED sac_status sac_evaluate_seeds(const sac_evaluation_def *def, sac_episode *episodes);

typedef struct sac_task sac_task;

/// Read a task file. Unknown keys are errors with "did you mean".
/// @param settings  "section.key" and value, applied after the file
SAC_API SAC_CHECKED sac_status sac_task_load(sac_task **out, const char *path, const sac_setting *settings,
                                             int setting_count);
SAC_API void sac_task_destroy(sac_task *task);

/// What a run spends its time on: name, what it is.
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
    double best, mean, std, sigma;    ///< of the population
    bool evaluated;                   ///< whether `evaluation` is of this generation
    sac_score evaluation;             ///< the latest
    double best_evaluation;
    const char *note;               ///< NULL or an event in words, such as a schedule's next stage
    double phases[SAC_PHASE_COUNT]; ///< seconds that this process has spent on each
} sac_progress;

/// The ranks of a run: processes, maybe on many machines, that mpirun or srun has started from one command line.
typedef struct sac_comm sac_comm;

/// Join the ranks that the launcher has announced; without a launcher, this process alone. Once a process, from the
/// thread that will train.
/// @param[out] out  released by sac_comm_close; NULL on failure
/// @return SAC_ERROR_UNAVAILABLE when there are other ranks but no MPI to reach them
SAC_API SAC_CHECKED sac_status sac_comm_open(sac_comm **out);

/// Leave. NULL is ignored.
/// @param status  a failure that the others may not know of yet ends them too, with this thread's last error
SAC_API void sac_comm_close(sac_comm *comm, sac_status status);

SAC_API int sac_comm_rank(const sac_comm *comm); ///< 0..size-1; rank 0 alone writes and reports
SAC_API int sac_comm_size(const sac_comm *comm);

typedef struct sac_train_def
{
    const sac_task *task;
    const char *run_dir;
    bool resume;
    bool any_cpu_level;   ///< resume even if the checkpoint was written at another CPU level
    int threads;          ///< >= 1, of this rank
    sac_comm *comm;       ///< NULL: this process alone; else every rank trains with the same def
    uint64_t generations; ///< in total; 0: the task's own
    void (*progress)(void *user, const sac_progress *progress); ///< on rank 0; may be NULL
    void *user;
    const volatile int *interrupt; ///< becomes nonzero to stop after a checkpoint; may be NULL
} sac_train_def;

/// Train until the generations are done, the search stops, or an interrupt (then SAC_ERROR_INTERRUPTED, after a
/// checkpoint).
/// @return SAC_ERROR_ENVIRONMENT when no candidate of a generation has a return that is a number: nothing can be
/// learned
///         from it, and what a resume goes on from is the checkpoint before
SAC_API SAC_CHECKED sac_status sac_train(const sac_train_def *def);

/// What a run folder tells about its run.
typedef struct sac_run_summary
{
    char environment[SAC_TEXT_SIZE], policy[SAC_TEXT_SIZE], search[SAC_TEXT_SIZE];
    uint64_t seed;
    uint64_t generation, generations; ///< finished; asked for in total
    uint64_t steps;                   ///< environment steps
    double seconds;                   ///< of training
    double mean;                      ///< of the population, at the last generation; NaN: none yet
    sac_score evaluation;             ///< the last; 0 episodes: none yet
    sac_score best;                   ///< the best evaluation
    uint64_t best_generation;
    /// "running", "finished", "stopped" (by the search itself), "interrupted" (with a checkpoint), "failed" (no
    /// candidate had a return that is a number), or "broken off"
    const char *state;
    char reason[256]; ///< the last event in words
    char host[256];   ///< of the process that trained last; "": unknown
} sac_run_summary;

/// Read a run folder, also while it grows.
/// @return SAC_ERROR_FILE when it is no run folder
SAC_API SAC_CHECKED sac_status sac_run_summarise(sac_run_summary *summary, const char *run_dir);

/// What to sweep over: a file that names a task, fields of it with their values, and seeds. See docs/training.md.
typedef struct sac_sweep_def
{
    const char *path;     ///< of the sweep file
    const char *dir;      ///< a folder for all runs; what it holds already is not done again
    int threads;          ///< >= 1, of this rank
    sac_comm *comm;       ///< as in sac_train_def
    bool any_cpu_level;   ///< likewise
    uint64_t generations; ///< of each run; 0: the task's own
    /// Before each run (progress NULL) and after each of its generations; on rank 0; may be NULL.
    void (*report)(void *user, int run, int run_count, const char *name, const sac_progress *progress);
    void *user;
    const volatile int *interrupt;
} sac_sweep_def;

/// Train every run of a sweep that is not finished yet, one after the other, and write results.csv.
/// @return SAC_ERROR_ARGUMENT or SAC_ERROR_FORMAT for a bad sweep file, before anything is trained; as sac_train
SAC_API SAC_CHECKED sac_status sac_sweep(const sac_sweep_def *def);
