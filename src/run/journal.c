#include "run/journal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "files/append.h"
#include "files/atomic.h"
#include "files/tensorboard.h"
#include "files/yaml.h"
#include "run/event_lines.h"

static const char header[] = "generation,steps,seconds,best,mean,std,eval_mean,eval_std,eval_episodes,sigma\n";

struct sac_journal
{
    sac_append *metrics;
    sac_event_lines *lines;
    sac_events *events;
    double best;    // the highest mean of an evaluation so far; NaN: none
    double flushed; // wall clock of the last flush
};

// --- what an earlier part of the run has left -------------------------------------------------------------------

bool sac_journal_parse_row(const char *row, sac_progress *p)
{
    int used = 0;
    *p = (sac_progress){0};
    if (sscanf(row, "%" SCNu64 ",%" SCNu64 ",%lf,%lf,%lf,%lf,%n", &p->generation, &p->steps, &p->seconds, &p->best,
               &p->mean, &p->std, &used) < 6 ||
        used == 0)
        return false;
    row += used;
    p->evaluated =
        sscanf(row, "%lf,%lf,%d,%lf", &p->evaluation.mean, &p->evaluation.std, &p->evaluation.episodes, &p->sigma) == 4;
    return p->evaluated || sscanf(row, ",,,%lf", &p->sigma) == 1;
}

// Calls `visit` for each whole row up to `generation` and counts their bytes, a first line that is no row included.
static sac_status read_kept(const char *path, uint64_t generation,
                            sac_status (*visit)(void *user, const sac_progress *), void *user, uint64_t *kept)
{
    uint8_t *bytes;
    size_t size;
    *kept = 0;
    if (access(path, F_OK) != 0) return SAC_OK;
    SAC_TRY(sac_read_file(&bytes, &size, path, (size_t)1 << 30));
    sac_status status = SAC_OK;
    for (char *row = (char *)bytes, *end; status == SAC_OK && (end = strchr(row, '\n')); row = end + 1)
    {
        sac_progress p;
        *end = 0;
        bool is_row = sac_journal_parse_row(row, &p);
        if (is_row ? p.generation > generation : *kept > 0) break;
        if (is_row) status = visit(user, &p);
        *kept = (uint64_t)(end + 1 - (char *)bytes);
    }
    sac_free(bytes);
    return status;
}

// --- TensorBoard ------------------------------------------------------------------------------------------------

// @param rate  steps a second; NaN: not known
static sac_status write_scalars(sac_journal *j, const sac_progress *p, double rate, double wall)
{
    if (p->evaluated && !(p->evaluation.mean <= j->best)) j->best = p->evaluation.mean;
    const struct
    {
        const char *tag;
        double value;
        bool there;
    } scalars[] = {
        {"population/mean", p->mean, true},
        {"population/best", p->best, true},
        {"population/std", p->std, true},
        {"search/sigma", p->sigma, true},
        {"evaluation/mean", p->evaluation.mean, p->evaluated},
        {"evaluation/std", p->evaluation.std, p->evaluated},
        {"evaluation/best", j->best, p->evaluated},
        {"throughput/steps_per_second", rate, true},
    };
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (scalars[i].there && isfinite(scalars[i].value))
            SAC_TRY(sac_events_scalar(j->events, scalars[i].tag, scalars[i].value, p->steps, wall));
    return SAC_OK;
}

/// What reading the kept rows does: they are told to TensorBoard again, so its file never disagrees with metrics.csv.
typedef struct replay
{
    sac_journal *journal; // NULL: only the rows are looked at
    double begin;         // wall clock that second 0 of the training is given
    double seconds;       // of the last row
    uint64_t steps;       // likewise
} replay;

// The rate of a row. Its seconds hold those of its evaluation, too, and have three decimals, so a row with an
// evaluation, or of an instant, has none.
static double rate_of(const replay *r, const sac_progress *p)
{
    double seconds = p->seconds - r->seconds;
    return p->evaluated || seconds < 0.01 ? NAN : (double)(p->steps - r->steps) / seconds;
}

static sac_status replay_row(void *user, const sac_progress *p)
{
    replay *r = user;
    sac_status status = r->journal ? write_scalars(r->journal, p, rate_of(r, p), r->begin + p->seconds) : SAC_OK;
    r->seconds = p->seconds;
    r->steps = p->steps;
    return status;
}

// The settings of a run are those of its task.yaml.
static sac_status begin_session(sac_events *events, const char *run_dir, double wall)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, run_dir, "task.yaml"));
    if (access(path, F_OK) != 0) return SAC_OK;
    sac_yaml *yaml;
    SAC_TRY(sac_yaml_load(&yaml, path));
    int count = sac_yaml_count(yaml);
    sac_setting *settings = SAC_NEW_ARRAY(sac_setting, (size_t)count);
    for (int i = 0; settings && i < count; i++)
        settings[i] = (sac_setting){sac_yaml_at(yaml, i)->key, sac_yaml_at(yaml, i)->value};
    sac_status status =
        settings ? sac_events_begin_session(events, settings, count, wall) : sac_fail_memory("the journal");
    sac_free(settings);
    sac_yaml_destroy(yaml);
    return status;
}

static sac_status open_files(sac_journal *j, const char *run_dir, uint64_t generation, uint64_t row, bool anew,
                             double *seconds)
{
    char path[SAC_PATH_SIZE];
    uint64_t kept = 0;
    replay r = {0};
    SAC_TRY(sac_join_path(path, run_dir, "metrics.csv"));
    if (!anew) SAC_TRY(read_kept(path, row, replay_row, &r, &kept)); // for its length in seconds
    *seconds = r.seconds;
    r.begin = sac_clock_of_day() - r.seconds;
    SAC_TRY(sac_events_open(&j->events, run_dir, 0, r.begin));
    SAC_TRY(begin_session(j->events, run_dir, r.begin));
    r = (replay){.journal = j, .begin = r.begin};
    if (!anew) SAC_TRY(read_kept(path, row, replay_row, &r, &kept));
    SAC_TRY(sac_append_open(&j->metrics, path, kept));
    if (kept == 0) SAC_TRY(sac_append_print(j->metrics, "%s", header));
    return sac_event_lines_open(&j->lines, run_dir, generation, anew);
}

sac_status sac_journal_open(sac_journal **out, const char *run_dir, uint64_t generation, uint64_t row, bool anew,
                            double *seconds)
{
    *out = NULL;
    sac_journal *j = SAC_NEW(sac_journal);
    if (!j) return sac_fail_memory("the journal");
    j->best = NAN;
    sac_status status = open_files(j, run_dir, generation, row, anew, seconds);
    if (status != SAC_OK)
    {
        (void)sac_journal_close(j);
        return status;
    }
    *out = j;
    return SAC_OK;
}

sac_status sac_journal_close(sac_journal *j)
{
    if (!j) return SAC_OK;
    sac_status metrics = sac_append_close(j->metrics), lines = sac_event_lines_close(j->lines);
    sac_status events = sac_events_close(j->events);
    sac_free(j);
    return metrics != SAC_OK ? metrics : lines != SAC_OK ? lines : events;
}

sac_status sac_journal_write(sac_journal *j, const sac_progress *p)
{
    char evaluation[128] = ",,";
    if (p->evaluated)
        snprintf(evaluation, sizeof evaluation, "%.9g,%.9g,%d", p->evaluation.mean, p->evaluation.std,
                 p->evaluation.episodes);
    SAC_TRY(sac_append_print(j->metrics, "%" PRIu64 ",%" PRIu64 ",%.3f,%.9g,%.9g,%.9g,%s,%.9g\n", p->generation,
                             p->steps, p->seconds, p->best, p->mean, p->std, evaluation, p->sigma));
    double wall = sac_clock_of_day();
    SAC_TRY(write_scalars(j, p, p->steps_per_second, wall));
    // People watch these files grow, but early generations last milliseconds, so not every row is flushed.
    return wall - j->flushed < 1 ? SAC_OK : sac_journal_sync(j);
}

sac_status sac_journal_event(sac_journal *j, uint64_t generation, const char *event, const char *text)
{
    const bool succeeded = strcmp(event, "finished") == 0 || strcmp(event, "stopped") == 0;
    if (succeeded || strcmp(event, "failed") == 0)
        SAC_TRY(sac_events_end_session(j->events, succeeded, sac_clock_of_day()));
    return sac_event_lines_add(j->lines, generation, event, text);
}

sac_status sac_journal_sync(sac_journal *j)
{
    j->flushed = sac_clock_of_day();
    SAC_TRY(sac_append_flush(j->metrics));
    SAC_TRY(sac_event_lines_show(j->lines));
    return sac_events_flush(j->events);
}
