#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/append.h"
#include "run/task.h"
#include "train/sweep.h"

/// The runs of a sweep: their folders and tasks, their training, and the table of what came of them.

void sac_sweep_name(int run, char name[32])
{
    snprintf(name, 32, "run-%04d", run);
}

sac_status sac_sweep_folder(const sac_sweep_state *s, int run, char path[SAC_PATH_SIZE])
{
    char name[32];
    sac_sweep_name(run, name);
    return sac_join_path(path, s->def->dir, name);
}

sac_status sac_sweep_task(const sac_sweep_state *s, int run, sac_task **task)
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

void sac_sweep_grow_fields(const sac_sweep_state *s, sac_growing *text, int run)
{
    for (int f = 0; f < s->plan->field_count; f++)
    {
        char value[SAC_TEXT_SIZE];
        sac_plan_value(s->plan, run / s->plan->seed_count, f, value);
        // a value with a comma is quoted
        bool quote = strpbrk(value, ",\"") != NULL;
        sac_grow_text(text, quote ? ",\"%s\"" : ",%s", value);
    }
}

static sac_status write_row(const sac_sweep_state *s, sac_append *file, int run)
{
    char path[SAC_PATH_SIZE], name[32];
    sac_run_summary summary;
    SAC_TRY(sac_sweep_folder(s, run, path));
    sac_sweep_name(run, name);
    if (access(path, F_OK) != 0 || sac_run_summarise(&summary, path) != SAC_OK) return SAC_OK;
    SAC_TRY(sac_append_print(file, "%s,%llu,%s", name, (unsigned long long)s->plan->seeds[run % s->plan->seed_count],
                             summary.state));
    sac_growing fields = {0};
    sac_sweep_grow_fields(s, &fields, run);
    sac_status status = fields.failed ? sac_fail_memory(path) : sac_append_bytes(file, fields.bytes, fields.size);
    sac_grow_clear(&fields);
    SAC_TRY(status);
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
sac_status sac_sweep_write_results(const sac_sweep_state *s)
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
    for (int run = 0; status == SAC_OK && run < sac_sweep_runs(s); run++) status = write_row(s, file, run);
    sac_status closed = sac_append_close(file);
    if (status == SAC_OK) status = closed;
    if (status == SAC_OK && rename(aside, path) != 0) status = sac_fail(SAC_ERROR_FILE, "%s: cannot be written", path);
    return status;
}

static void report(void *user, const sac_progress *progress)
{
    const sac_sweep_state *s = user;
    if (s->def->report) s->def->report(s->def->user, s->run, sac_sweep_runs(s), s->name, progress);
}

static sac_status train_task(sac_sweep_state *s, int run, uint64_t pause_generations, uint64_t pause_steps)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_sweep_folder(s, run, path));
    sac_task *task;
    SAC_TRY(sac_sweep_task(s, run, &task));
    if (sac_sweep_writes(s)) report(s, NULL);
    sac_status status = sac_train(&(sac_train_def){.task = task,
                                                   .run_dir = path,
                                                   .resume = true,
                                                   .any_cpu_level = s->def->any_cpu_level,
                                                   .threads = s->def->threads,
                                                   .comm = s->comm,
                                                   .generations = s->def->generations,
                                                   .progress = report,
                                                   .user = s,
                                                   .interrupt = s->def->interrupt,
                                                   .pause_generations = pause_generations,
                                                   .pause_steps = pause_steps});
    sac_task_destroy(task);
    return status;
}

sac_status sac_sweep_train(sac_sweep_state *s, int run, uint64_t pause_generations, uint64_t pause_steps)
{
    s->run = run;
    sac_sweep_name(run, s->name);
    sac_status status = train_task(s, run, pause_generations, pause_steps);
    if (status == SAC_ERROR_DIVERGED)
    {
        // a result like any other of a sweep over rates: the table says that the run failed
        if (sac_sweep_writes(s)) sac_log(SAC_LOG_WARNING, "%s: %s", s->name, sac_last_error());
        status = SAC_OK;
    }
    if (status == SAC_OK) return sac_sweep_writes(s) ? sac_sweep_write_results(s) : SAC_OK;
    // the sentence of what went wrong is the one to keep
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", sac_last_error());
    if (sac_sweep_writes(s)) (void)sac_sweep_write_results(s);
    return sac_fail(status, "%s", sentence);
}
