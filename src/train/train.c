#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "files/atomic.h"
#include "train/checkpoint.h"
#include "train/journal.h"
#include "train/rollout.h"
#include "train/tuned.h"

/// The loop that joins policy, environment and search: ask, roll out, tell, evaluate, checkpoint.

enum
{
    PATH_SIZE = 1024,
    NAME_NOISE = 1, ///< streams of the run's seed
    NAME_START = 2,
    NAME_EPISODES = 3,
};

typedef struct run
{
    const sac_train_def *def;
    const sac_task *task;
    sac_policy *policy;
    sac_search *search;
    sac_rollouts *rollouts;
    sac_journal *journal;
    sac_unit *units;
    sac_episode *episodes;
    double *returns; // [population] mean over a candidate's episodes
    double *fitness; // [population] what the search is told
    float *mean;     // a whole vector
    sac_tuned tuned;
    sac_run_state state;
    int patience, episode_count; // of the current stage
    double average;              // likewise
    double seconds;              // of training, resumed parts included
    sac_progress progress;
    char note[256];
} run;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- set-up -----------------------------------------------------------------------------------------------------

static sac_status create_policy(run *r, const sac_env_def *env_def)
{
    sac_env *env;
    SAC_TRY(sac_env_create(&env, env_def));
    const sac_env_spec *spec = sac_env_get_spec(env);
    sac_policy_def def = {.kind = r->task->policy,
                          .settings = r->task->policy_settings.settings,
                          .setting_count = r->task->policy_settings.count,
                          .height = spec->height,
                          .width = spec->width,
                          .channels = spec->channels,
                          .action_size = spec->action_size,
                          .action_choices = spec->action_choices,
                          .action_low = spec->action_low,
                          .action_high = spec->action_high};
    sac_status status = sac_policy_create(&r->policy, &def);
    sac_env_destroy(env);
    return status;
}

// the first mean of the search
static sac_status draw_start(const run *r, float *x0)
{
    const char *start = r->task->train.start;
    if (strcmp(start, "zeros") == 0) return SAC_OK;
    if (strcmp(start, "draw") == 0)
    {
        sac_policy_draw(r->policy, sac_mix_seed(r->task->train.seed, NAME_START, (uint64_t)r->state.attempt), x0);
        return SAC_OK;
    }
    sac_policy *policy;
    SAC_TRY(sac_policy_load(&policy, NULL, start));
    int count = sac_policy_parameter_count(r->policy), theirs = sac_policy_parameter_count(policy);
    if (count == theirs) memcpy(x0, sac_policy_parameters(policy), sizeof(float) * (size_t)count);
    sac_policy_destroy(policy);
    return count == theirs ? SAC_OK
                           : sac_fail(SAC_ERROR_ARGUMENT, "train.start: '%s' has %d parameters, the task's policy %d",
                                      start, theirs, count);
}

// the search of the current attempt, with the running average at its start
static sac_status create_search(run *r)
{
    int n = sac_policy_parameter_count(r->policy);
    float *x0 = SAC_NEW_ARRAY(float, (size_t)n);
    if (!x0) return sac_fail_memory("the first mean");
    sac_search_def def = {.method = r->task->search,
                          .settings = r->task->search_settings.settings,
                          .setting_count = r->task->search_settings.count,
                          .x0 = x0,
                          .seed = sac_mix_seed(r->task->train.seed, NAME_NOISE, (uint64_t)r->state.attempt)};
    sac_status status = draw_start(r, x0);
    sac_search_destroy(r->search);
    r->search = NULL;
    sac_tuned_clear(&r->tuned);
    if (status == SAC_OK) status = sac_tuned_create(&r->tuned, r->policy, r->task->train.tune, x0);
    sac_tuned_gather(&r->tuned, x0);
    def.dimension = r->state.dimension = r->tuned.count;
    if (status == SAC_OK) status = sac_search_create(&r->search, &def);
    for (int i = 0; status == SAC_OK && i < r->tuned.count; i++) r->state.average[i] = (double)x0[i];
    sac_free(x0);
    return status;
}

static int most_episodes(const sac_task *task)
{
    int most = task->train.episodes;
    for (int i = 0; i < task->stage_count; i++)
        if (task->stages[i].episodes > most) most = task->stages[i].episodes;
    return most;
}

static sac_status allocate(run *r)
{
    size_t n = (size_t)sac_policy_parameter_count(r->policy);
    r->state.average = SAC_NEW_ARRAY(double, n);
    r->mean = SAC_NEW_ARRAY(float, n);
    if (!r->state.average || !r->mean) return sac_fail_memory("the mean");
    SAC_TRY(create_search(r));

    size_t population = (size_t)sac_search_population(r->search);
    size_t evaluated = (size_t)r->task->evaluation.episodes;
    size_t units = population * (size_t)most_episodes(r->task);
    r->units = SAC_NEW_ARRAY(sac_unit, units > evaluated ? units : evaluated);
    r->episodes = SAC_NEW_ARRAY(sac_episode, evaluated);
    r->returns = SAC_NEW_ARRAY(double, population);
    r->fitness = SAC_NEW_ARRAY(double, population);
    return r->units && r->episodes && r->returns && r->fitness ? SAC_OK : sac_fail_memory("a generation");
}

// brings patience and episodes to what stages 0..state.stage-1 ask for
static void apply_stages(run *r)
{
    r->patience = r->task->train.patience;
    r->episode_count = r->task->train.episodes;
    r->average = r->task->train.average;
    for (int i = 0; i < r->state.stage; i++)
    {
        const sac_stage *stage = &r->task->stages[i];
        if (stage->patience >= 0) r->patience = stage->patience;
        if (stage->episodes > 0) r->episode_count = stage->episodes;
        if (stage->average > 0) r->average = stage->average;
    }
}

// the folder: made for a new run, compared with the task for a resumed one
static sac_status open_folder(const run *r)
{
    const char *dir = r->def->run_dir;
    char path[PATH_SIZE], *text;
    struct stat info;
    snprintf(path, sizeof path, "%s/task.yaml", dir);
    bool exists = stat(path, &info) == 0;
    if (exists && !r->def->resume)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: there is a run already; --resume goes on with it, --run names another",
                        dir);
    if (exists) return sac_task_check_same(r->task, path);

    char checkpoints[PATH_SIZE];
    snprintf(checkpoints, sizeof checkpoints, "%s/checkpoints", dir);
    SAC_TRY(sac_make_folders(checkpoints));
    SAC_TRY(sac_task_write(r->task, &text));
    sac_status status = sac_write_file(path, text, strlen(text));
    sac_free(text);
    return status;
}

static sac_status read_checkpoint(run *r, bool *found)
{
    SAC_TRY(sac_checkpoint_read(r->def->run_dir, r->search, &r->state, r->def->any_cpu_level, found));
    if (r->state.attempt == 0) return SAC_OK;
    // the search draws from the attempt's own seed
    SAC_TRY(create_search(r));
    return sac_checkpoint_read(r->def->run_dir, r->search, &r->state, r->def->any_cpu_level, found);
}

static sac_status open_run(run *r)
{
    sac_env_def env = sac_task_env_def(r->task);
    SAC_TRY(create_policy(r, &env));
    SAC_TRY(allocate(r));
    SAC_TRY(open_folder(r));
    r->state.best_evaluation = -INFINITY;
    bool found = false;
    if (r->def->resume) SAC_TRY(read_checkpoint(r, &found));
    apply_stages(r);
    SAC_TRY(sac_journal_open(&r->journal, r->def->run_dir, r->state.generation, &r->seconds));
    SAC_TRY(sac_rollouts_create(&r->rollouts, r->policy, &env, r->def->threads, r->task->train.lanes));
    char text[128];
    snprintf(text, sizeof text, "at generation %llu with %d threads, cpu level %s",
             (unsigned long long)r->state.generation, r->def->threads, sac_cpu_level_name(sac_get_cpu_level()));
    return sac_journal_event(r->journal, r->state.generation, found ? "resumed" : "started", text);
}

static sac_status close_run(run *r)
{
    sac_status status = sac_journal_close(r->journal);
    sac_rollouts_destroy(r->rollouts);
    sac_search_destroy(r->search);
    sac_policy_destroy(r->policy);
    sac_free(r->state.average);
    sac_free(r->mean);
    sac_tuned_clear(&r->tuned);
    sac_free(r->units);
    sac_free(r->episodes);
    sac_free(r->returns);
    sac_free(r->fitness);
    return status;
}

// --- one generation ---------------------------------------------------------------------------------------------

static void ask(const void *user, int individual, float *parameters)
{
    const run *r = user;
    sac_search_ask(r->search, individual, parameters);
    sac_tuned_scatter(&r->tuned, parameters);
}

// training seeds lie above the evaluation's and below 2^52
static uint64_t episode_seed(const run *r, uint64_t generation, int individual, int episode)
{
    uint64_t whose = r->task->train.common_episodes ? 0 : (uint64_t)individual + 1;
    uint64_t mixed =
        sac_mix_seed(sac_mix_seed(r->task->train.seed, NAME_EPISODES, whose), generation, (uint64_t)episode);
    return SAC_TRAINING_SEED_FIRST + (mixed >> 12);
}

static sac_status report_nan(const run *r, const sac_unit *unit)
{
    char text[160];
    snprintf(text, sizeof text,
             "candidate %d, episode seed %" PRIu64 ", step %d: an action or a reward is not a number; it ranks last",
             unit->individual, unit->seed, unit->steps);
    return sac_journal_event(r->journal, r->state.generation, "nan", text);
}

static sac_status roll_out(run *r)
{
    int population = sac_search_population(r->search), episodes = r->episode_count;
    for (int i = 0; i < population; i++)
        for (int e = 0; e < episodes; e++)
            r->units[i * episodes + e] =
                (sac_unit){.individual = i, .seed = episode_seed(r, r->state.generation, i, e)};

    SAC_TRY(sac_rollouts_run(r->rollouts, &(sac_rollout_job){.units = r->units,
                                                             .unit_count = population * episodes,
                                                             .patience = r->patience,
                                                             .parameters = ask,
                                                             .user = r,
                                                             .interrupt = r->def->interrupt}));
    for (int i = 0; i < population; i++)
    {
        double sum = 0;
        for (int e = 0; e < episodes; e++)
        {
            const sac_unit *unit = &r->units[i * episodes + e];
            sum += unit->episode_return;
            r->state.steps += (uint64_t)unit->steps;
            if (isnan(unit->episode_return)) SAC_TRY(report_nan(r, unit));
        }
        r->returns[i] = sum / episodes;
    }
    return SAC_OK;
}

// the share of candidates that candidate i beats in an episode, ties by half
static double rank_in_episode(const run *r, int i, int episode, int population)
{
    double mine = r->units[i * r->episode_count + episode].episode_return, beaten = 0;
    for (int k = 0; k < population; k++)
    {
        double theirs = r->units[k * r->episode_count + episode].episode_return;
        if (k != i) beaten += mine > theirs || isnan(theirs) ? 1 : mine == theirs ? 0.5 : 0;
    }
    return beaten / population;
}

// what the search is told
static void shape_fitness(run *r)
{
    int population = sac_search_population(r->search);
    bool ranked = strcmp(r->task->train.fitness, "rank") == 0;
    for (int i = 0; i < population; i++)
    {
        double sum = 0;
        for (int e = 0; ranked && e < r->episode_count; e++) sum += rank_in_episode(r, i, e, population);
        // a candidate whose return is not a number stays one, and ranks last
        r->fitness[i] = ranked && !isnan(r->returns[i]) ? sum / r->episode_count : r->returns[i];
    }
}

static void summarise(run *r)
{
    int population = sac_search_population(r->search), count = 0;
    double sum = 0, squares = 0, best = -INFINITY;
    for (int i = 0; i < population; i++)
    {
        if (isnan(r->returns[i])) continue;
        sum += r->returns[i];
        count++;
        if (r->returns[i] > best) best = r->returns[i];
    }
    double mean = count ? sum / count : NAN;
    for (int i = 0; i < population; i++)
        if (!isnan(r->returns[i])) squares += (r->returns[i] - mean) * (r->returns[i] - mean);
    r->state.best = best;
    r->state.mean = mean;
    r->state.std = count > 1 ? sqrt(squares / (count - 1)) : 0;
}

static sac_status advance_stages(run *r)
{
    double mean = r->state.mean;
    if (isfinite(mean))
        r->state.fitness_average =
            r->state.generation == r->state.attempt_start ? mean : 0.9 * r->state.fitness_average + 0.1 * mean;
    r->note[0] = 0;
    while (r->state.stage < r->task->stage_count && r->state.fitness_average > r->task->stages[r->state.stage].above)
    {
        r->state.stage++;
        apply_stages(r);
        snprintf(r->note, sizeof r->note, "stage %d: patience %d, %d episodes", r->state.stage, r->patience,
                 r->episode_count);
        SAC_TRY(sac_journal_event(r->journal, r->state.generation, "stage", r->note));
    }
    return SAC_OK;
}

// gives up a start that has led nowhere, and makes another
static sac_status restart_if_stuck(run *r)
{
    const sac_task_train *train = &r->task->train;
    uint64_t finished = r->state.generation + 1;
    if (train->restart_after == 0 || r->state.stage > 0 || !(r->state.fitness_average < train->restart_below) ||
        finished - r->state.attempt_start < (uint64_t)train->restart_after)
        return SAC_OK;
    r->state.attempt++;
    r->state.attempt_start = finished;
    snprintf(r->note, sizeof r->note, "fresh start %d: fitness %.1f is below %g", r->state.attempt,
             r->state.fitness_average, train->restart_below);
    SAC_TRY(sac_journal_event(r->journal, r->state.generation, "restart", r->note));
    return create_search(r);
}

// the vector that is evaluated and shipped: the running average of the search's mean
static void update_average(run *r)
{
    double weight = r->average;
    sac_search_mean(r->search, r->mean);
    for (int i = 0; i < r->state.dimension; i++)
        r->state.average[i] = weight == 1 ? (double)r->mean[i]
                                          : r->state.average[i] + weight * ((double)r->mean[i] - r->state.average[i]);
}

static void evaluated_vector(const void *user, int individual, float *parameters)
{
    const run *r = user;
    (void)individual;
    for (int i = 0; i < r->state.dimension; i++) parameters[i] = (float)r->state.average[i];
    sac_tuned_scatter(&r->tuned, parameters);
}

static sac_status save_policy(const run *r, const char *name, const float *parameters, const sac_score *score)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", r->def->run_dir, name);
    sac_policy_info info = {.seed = r->task->train.seed,
                            .generation = (int)r->state.generation,
                            .score = score ? score->mean : NAN,
                            .score_std = score ? score->std : NAN,
                            .score_episodes = score ? score->episodes : 0,
                            .settings = (sac_setting *)r->task->env_settings.settings,
                            .setting_count = r->task->env_settings.count};
    snprintf(info.environment, sizeof info.environment, "%s", r->task->env);
    snprintf(info.variant, sizeof info.variant, "%s", r->task->variant);
    snprintf(info.version, sizeof info.version, "%s", sac_version());
    return sac_policy_save(r->policy, parameters, &info, path);
}

static sac_status evaluate(run *r)
{
    const sac_task_evaluation *evaluation = &r->task->evaluation;
    for (int i = 0; i < evaluation->episodes; i++)
        r->units[i] = (sac_unit){.seed = evaluation->first_seed + (uint64_t)i};
    SAC_TRY(sac_rollouts_run(r->rollouts, &(sac_rollout_job){.units = r->units,
                                                             .unit_count = evaluation->episodes,
                                                             .parameters = evaluated_vector,
                                                             .user = r,
                                                             .interrupt = r->def->interrupt}));
    for (int i = 0; i < evaluation->episodes; i++)
        r->episodes[i] = (sac_episode){r->units[i].seed, r->units[i].episode_return, r->units[i].steps};
    r->progress.evaluated = true;
    r->progress.evaluation = sac_score_of(r->episodes, evaluation->episodes);
    if (r->progress.evaluation.mean > r->state.best_evaluation)
    {
        r->state.best_evaluation = r->progress.evaluation.mean;
        evaluated_vector(r, 0, r->mean);
        SAC_TRY(save_policy(r, "best.safetensors", r->mean, &r->progress.evaluation));
    }
    return SAC_OK;
}

static sac_status write_checkpoint(run *r)
{
    SAC_TRY(sac_journal_sync(r->journal));
    sac_search_mean(r->search, r->mean);
    sac_tuned_scatter(&r->tuned, r->mean);
    SAC_TRY(save_policy(r, "mean.safetensors", r->mean, NULL));
    return sac_checkpoint_write(r->def->run_dir, r->search, &r->state);
}

// ask, roll out, tell; an interrupt leaves the search as it was
static sac_status advance(run *r)
{
    double begin = now();
    uint64_t steps = r->state.steps;
    SAC_TRY(sac_search_prepare(r->search));
    SAC_TRY(roll_out(r));
    shape_fitness(r);
    SAC_TRY(sac_search_tell(r->search, r->fitness));
    summarise(r);
    SAC_TRY(advance_stages(r));
    update_average(r);
    SAC_TRY(restart_if_stuck(r));
    r->state.generation++;
    r->state.pending = true;
    double duration = now() - begin;
    r->seconds += duration;
    r->progress.steps_per_second = (double)(r->state.steps - steps) / (duration > 1e-9 ? duration : 1e-9);
    return SAC_OK;
}

// evaluate, write the row, checkpoint, report; an interrupt leaves the generation pending
static sac_status finish(run *r, uint64_t generations)
{
    sac_progress *p = &r->progress;
    double begin = now();
    bool last = r->state.generation >= generations || sac_search_stop(r->search);
    int every = r->task->evaluation.every;
    p->evaluated = false;
    if (every > 0 && (last || r->state.generation % (uint64_t)every == 0)) SAC_TRY(evaluate(r));
    r->seconds += now() - begin;
    r->state.pending = false;

    p->generation = r->state.generation;
    p->generations = generations;
    p->steps = r->state.steps;
    p->seconds = r->seconds;
    p->best = r->state.best;
    p->mean = r->state.mean;
    p->std = r->state.std;
    p->sigma = sac_search_sigma(r->search);
    p->best_evaluation = r->state.best_evaluation;
    p->note = r->note[0] ? r->note : NULL;
    SAC_TRY(sac_journal_write(r->journal, p));
    if (last || r->state.generation % (uint64_t)r->task->train.checkpoint_every == 0) SAC_TRY(write_checkpoint(r));
    if (r->def->progress) r->def->progress(r->def->user, p);
    return SAC_OK;
}

static sac_status train(run *r)
{
    uint64_t generations = r->def->generations ? r->def->generations : (uint64_t)r->task->train.generations;
    while (r->state.pending || r->state.generation < generations)
    {
        const char *reason = r->state.pending ? NULL : sac_search_stop(r->search);
        if (reason) return sac_journal_event(r->journal, r->state.generation, "stopped", reason);
        sac_status status = r->state.pending ? SAC_OK : advance(r);
        if (status == SAC_OK) status = finish(r, generations);
        if (status == SAC_ERROR_INTERRUPTED)
        {
            SAC_TRY(sac_journal_event(r->journal, r->state.generation, "interrupted", "--resume goes on from here"));
            SAC_TRY(write_checkpoint(r));
            return sac_fail(SAC_ERROR_INTERRUPTED, "interrupted at generation %llu",
                            (unsigned long long)r->state.generation);
        }
        SAC_TRY(status);
    }
    return sac_journal_event(r->journal, r->state.generation, "finished", "all generations are done");
}

sac_status sac_train(const sac_train_def *def)
{
    SAC_ASSERT(def->threads >= 1);
    run r = {.def = def, .task = def->task};
    sac_status status = open_run(&r);
    if (status == SAC_OK) status = train(&r);
    sac_status closed = close_run(&r);
    return status != SAC_OK ? status : closed;
}
