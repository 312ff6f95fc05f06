#include "train/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/append.h"
#include "files/atomic.h"
#include "rollout/comm.h"

/// A sweep: the runs of a plan, one after the other, each in a folder of its own.

typedef struct sweep
{
    const sac_sweep_def *def;
    sac_comm *comm, *own_comm;
    sac_plan *plan;
    int run; // under way
    char name[32];
} sweep;

static int run_count(const sweep *s)
{
    return sac_plan_points(s->plan) * s->plan->seed_count;
}

static bool writes(const sweep *s)
{
    return sac_comm_rank(s->comm) == 0;
}

static void name_run(const sweep *s, int run, char name[32])
{
    (void)s;
    snprintf(name, 32, "run-%04d", run);
}

static sac_status folder_of(const sweep *s, int run, char path[SAC_PATH_SIZE])
{
    char name[32];
    name_run(s, run, name);
    return sac_join_path(path, s->def->dir, name);
}

static sac_status load_task(const sweep *s, int run, sac_task **task)
{
    char values[SWEEP_FIELDS + 1][SAC_TEXT_SIZE];
    sac_setting settings[SWEEP_FIELDS + 1];
    int count = s->plan->field_count;
    for (int f = 0; f < count; f++)
    {
        sac_plan_value(s->plan, run / s->plan->seed_count, f, values[f]);
        settings[f] = (sac_setting){s->plan->fields[f].key, values[f]};
    }
    uint64_t seed = s->plan->seeds[run % s->plan->seed_count];
    snprintf(values[count], SAC_TEXT_SIZE, "%llu", (unsigned long long)seed);
    settings[count] = (sac_setting){"train.seed", values[count]};
    return sac_task_load(task, s->plan->found, settings, count + 1);
}

// checks that every task can be read before the first run starts
static sac_status check_tasks(const sweep *s)
{
    for (int run = 0; run < run_count(s); run++)
    {
        sac_task *task;
        if (load_task(s, run, &task) != SAC_OK) return sac_fail_in(SAC_ERROR_ARGUMENT, "run %d of the sweep", run);
        sac_task_destroy(task);
    }
    return SAC_OK;
}

// make the folder and put the sweep file into it; refuse another sweep's folder
static sac_status open_folder(const sweep *s)
{
    char path[SAC_PATH_SIZE];
    uint8_t *mine, *theirs;
    size_t size, their_size;
    SAC_TRY(sac_make_folders(s->def->dir));
    SAC_TRY(sac_join_path(path, s->def->dir, "sweep.yaml"));
    SAC_TRY(sac_read_file(&mine, &size, s->def->path, (size_t)1 << 20));
    sac_status status;
    if (access(path, F_OK) != 0)
        status = sac_write_file(path, mine, size);
    else if ((status = sac_read_file(&theirs, &their_size, path, (size_t)1 << 20)) == SAC_OK)
    {
        if (size != their_size || memcmp(mine, theirs, size) != 0)
            status = sac_fail(SAC_ERROR_ARGUMENT, "%s: the folder is of another sweep; use another --run", path);
        sac_free(theirs);
    }
    sac_free(mine);
    return status;
}

static sac_status write_row(const sweep *s, sac_append *file, int run)
{
    char path[SAC_PATH_SIZE], name[32], value[SAC_TEXT_SIZE];
    sac_run_summary summary;
    SAC_TRY(folder_of(s, run, path));
    name_run(s, run, name);
    if (access(path, F_OK) != 0 || sac_run_summarise(&summary, path) != SAC_OK) return SAC_OK;
    SAC_TRY(sac_append_print(file, "%s,%llu,%s", name, (unsigned long long)s->plan->seeds[run % s->plan->seed_count],
                             summary.state));
    for (int f = 0; f < s->plan->field_count; f++)
    {
        sac_plan_value(s->plan, run / s->plan->seed_count, f, value);
        // a value with a comma is quoted
        bool quote = strpbrk(value, ",\"") != NULL;
        SAC_TRY(sac_append_print(file, quote ? ",\"%s\"" : ",%s", value));
    }
    SAC_TRY(sac_append_print(file, ",%llu,%llu,%.3f,%.9g", (unsigned long long)summary.generation,
                             (unsigned long long)summary.steps, summary.seconds, summary.mean));
    const sac_score *scores[] = {&summary.evaluation, &summary.best};
    for (int i = 0; i < 2; i++)
        SAC_TRY(scores[i]->episodes
                    ? sac_append_print(file, ",%.9g,%.9g,%d", scores[i]->mean, scores[i]->std, scores[i]->episodes)
                    : sac_append_print(file, ",,,"));
    return sac_append_print(file, "\n");
}

// results.csv: a row for every run that has begun
static sac_status write_results(const sweep *s)
{
    char path[SAC_PATH_SIZE], aside[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, s->def->dir, "results.csv"));
    SAC_TRY(sac_join_path(aside, s->def->dir, "results.csv.tmp"));
    sac_append *file;
    SAC_TRY(sac_append_open(&file, aside, 0));
    sac_status status = sac_append_print(file, "run,seed,state");
    for (int f = 0; status == SAC_OK && f < s->plan->field_count; f++)
        status = sac_append_print(file, ",%s", s->plan->fields[f].key);
    if (status == SAC_OK)
        status = sac_append_print(file, ",generation,steps,seconds,mean,eval_mean,eval_std,eval_episodes,best_mean,"
                                        "best_std,best_episodes\n");
    for (int run = 0; status == SAC_OK && run < run_count(s); run++) status = write_row(s, file, run);
    sac_status closed = sac_append_close(file);
    if (status == SAC_OK) status = closed;
    if (status == SAC_OK && rename(aside, path) != 0) status = sac_fail(SAC_ERROR_FILE, "%s: cannot be written", path);
    return status;
}

static void report(void *user, const sac_progress *progress)
{
    const sweep *s = user;
    if (s->def->report) s->def->report(s->def->user, s->run, run_count(s), s->name, progress);
}

// Tells whether a run is over. Rank 0 looks and tells all others.
static sac_status look(const sweep *s, int run, bool *over)
{
    char path[SAC_PATH_SIZE];
    sac_run_summary summary;
    uint8_t answer = 0, *bytes = &answer;
    size_t size = 1;
    sac_status status = folder_of(s, run, path);
    if (status == SAC_OK && writes(s) && access(path, F_OK) == 0 && sac_run_summarise(&summary, path) == SAC_OK)
        answer = strcmp(summary.state, "stopped") == 0 ||
                 (strcmp(summary.state, "finished") == 0 && summary.generation >= s->def->generations);
    SAC_TRY(sac_comm_share(s->comm, status, &bytes, &size));
    *over = bytes[0];
    if (bytes != &answer) sac_free(bytes);
    return SAC_OK;
}

static sac_status train_one(sweep *s, int run)
{
    bool over;
    SAC_TRY(look(s, run, &over));
    if (over) return SAC_OK;
    s->run = run;
    name_run(s, run, s->name);
    char path[SAC_PATH_SIZE];
    SAC_TRY(folder_of(s, run, path));
    sac_task *task;
    SAC_TRY(load_task(s, run, &task));
    if (writes(s)) report(s, NULL);
    sac_status status = sac_train(&(sac_train_def){.task = task,
                                                   .run_dir = path,
                                                   .resume = true,
                                                   .any_cpu_level = s->def->any_cpu_level,
                                                   .threads = s->def->threads,
                                                   .comm = s->comm,
                                                   .generations = s->def->generations,
                                                   .progress = report,
                                                   .user = s,
                                                   .interrupt = s->def->interrupt});
    sac_task_destroy(task);
    return status;
}

static sac_status train_all(sweep *s)
{
    SAC_TRY(check_tasks(s));
    if (writes(s)) SAC_TRY(open_folder(s));
    for (int run = 0; run < run_count(s); run++)
    {
        sac_status status = train_one(s, run);
        if (status == SAC_ERROR_DIVERGED)
        {
            // a result like any other of a sweep over rates: the table says that the run failed
            if (writes(s)) sac_log(SAC_LOG_WARNING, "%s: %s", s->name, sac_last_error());
            status = SAC_OK;
        }
        if (status != SAC_OK)
        {
            // the sentence of what went wrong is the one to keep
            char sentence[512];
            snprintf(sentence, sizeof sentence, "%s", sac_last_error());
            if (writes(s)) (void)write_results(s);
            return sac_fail(status, "%s", sentence);
        }
        if (writes(s)) SAC_TRY(write_results(s));
    }
    return SAC_OK;
}

sac_status sac_sweep(const sac_sweep_def *def)
{
    sweep s = {.def = def, .comm = def->comm};
    if (!s.comm) SAC_TRY(sac_comm_create_self(&s.own_comm));
    if (!s.comm) s.comm = s.own_comm;
    sac_status status = sac_plan_load(&s.plan, def->path);
    if (status == SAC_OK) status = train_all(&s);
    sac_free(s.plan);
    sac_comm_close(s.own_comm, status);
    return status;
}
