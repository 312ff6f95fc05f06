#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/event_lines.h"
#include "run/task.h"
#include "train/sweep.h"

/// From rung to rung: the points of a sweep that are still in it are trained as far as the rung, judged there, and the
/// best of them go on. What was decided stands in rungs.csv, which is written anew from the runs' own files each time.

typedef struct ladder
{
    sac_sweep_state *sweep;
    int rung; ///< 0, 1, ...
    uint64_t budget;
    int32_t *points; ///< [count] still in the sweep, in its order
    int count;
    sac_standing *standings; ///< [count, seeds] at the rung
    double *scores;          ///< [count]
    int *order;              ///< [count] the best first
    sac_growing table;       ///< rungs.csv so far
} ladder;

static const sac_halving *halving_of(const ladder *l)
{
    return &l->sweep->def->halving;
}

static const char *unit_of(const sac_halving *h)
{
    return h->by_steps ? "steps" : "generations";
}

sac_status sac_sweep_check_halving(const sac_sweep_state *s, bool is_new)
{
    const sac_halving *h = &s->def->halving;
    char path[SAC_PATH_SIZE], text[128];
    int length =
        snprintf(text, sizeof text, "reduction: %d\nrung: %" PRIu64 "\nby: %s\n", h->reduction, h->rung, unit_of(h));
    SAC_TRY(sac_join_path(path, s->def->dir, "halving.yaml"));
    const bool halves = h->reduction > 0, there = access(path, F_OK) == 0;
    if (is_new) return halves ? sac_write_file(path, text, (size_t)length) : SAC_OK;
    if (there != halves)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: the folder is of a sweep %s; use another --run", s->def->dir,
                        there ? "with --halving" : "without --halving");
    if (!there) return SAC_OK;
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, 4096));
    bool same = strcmp((char *)bytes, text) == 0;
    sac_free(bytes);
    return same
               ? SAC_OK
               : sac_fail(SAC_ERROR_ARGUMENT, "%s: the folder is of a sweep with other rungs; use another --run", path);
}

// --- training to a rung -----------------------------------------------------------------------------------------

static int run_of(const ladder *l, int point, int seed)
{
    return point * l->sweep->plan->seed_count + seed;
}

static sac_status read_standing(const ladder *l, int run, sac_standing *standing)
{
    char path[SAC_PATH_SIZE];
    sac_task *task;
    SAC_TRY(sac_sweep_folder(l->sweep, run, path));
    SAC_TRY(sac_sweep_task(l->sweep, run, &task));
    uint64_t own = (uint64_t)task->train.generations, asked = l->sweep->def->generations;
    const sac_rung rung = {halving_of(l), l->budget, asked ? asked : own, (uint64_t)task->evaluation.every};
    sac_task_destroy(task);
    return sac_standing_read(standing, &rung, path);
}

// Tells whether a run has to be trained for this rung, or, as the last one of the sweep, to its end. Rank 0 looks and
// tells all others.
static sac_status look(const ladder *l, int run, bool *needed)
{
    sac_standing standing = {0};
    uint8_t answer = 0, *bytes = &answer;
    size_t size = 1;
    sac_status status = sac_sweep_writes(l->sweep) ? read_standing(l, run, &standing) : SAC_OK;
    answer = !standing.over && (l->count == 1 || !sac_standing_is_there(&standing));
    SAC_TRY(sac_comm_share(l->sweep->comm, status, &bytes, &size));
    *needed = bytes[0];
    if (bytes != &answer) sac_free(bytes);
    return SAC_OK;
}

static sac_status climb(ladder *l)
{
    const sac_halving *h = halving_of(l);
    const uint64_t pause = l->count == 1 ? 0 : l->budget;
    for (int i = 0; i < l->count; i++)
        for (int seed = 0; seed < l->sweep->plan->seed_count; seed++)
        {
            int run = run_of(l, l->points[i], seed);
            bool needed;
            SAC_TRY(look(l, run, &needed));
            if (needed) SAC_TRY(sac_sweep_train(l->sweep, run, h->by_steps ? 0 : pause, h->by_steps ? pause : 0));
        }
    return SAC_OK;
}

// --- the decision -----------------------------------------------------------------------------------------------

static sac_standing *standing_of(const ladder *l, int i, int seed)
{
    return &l->standings[i * l->sweep->plan->seed_count + seed];
}

// @param[out] ends  no run of the rung can be trained any further
static sac_status judge(ladder *l, bool *ends)
{
    int seeds = l->sweep->plan->seed_count;
    double values[SWEEP_VALUES];
    *ends = true;
    for (int i = 0; i < l->count; i++)
    {
        for (int seed = 0; seed < seeds; seed++)
        {
            sac_standing *s = standing_of(l, i, seed);
            SAC_TRY(read_standing(l, run_of(l, l->points[i], seed), s));
            values[seed] = s->evaluation;
            *ends &= s->ended || s->generation == 0;
        }
        l->scores[i] = sac_halving_score(values, seeds);
    }
    sac_halving_rank(l->order, l->scores, l->count);
    return SAC_OK;
}

static void grow_value(sac_growing *text, double value)
{
    if (isfinite(value))
        sac_grow_text(text, ",%.9g", value);
    else
        sac_grow_text(text, ",");
}

static void grow_rows(ladder *l, int rank, int kept)
{
    int i = l->order[rank];
    for (int seed = 0; seed < l->sweep->plan->seed_count; seed++)
    {
        int run = run_of(l, l->points[i], seed);
        const sac_standing *s = standing_of(l, i, seed);
        char name[32];
        sac_sweep_name(run, name);
        sac_grow_text(&l->table, "%d,%" PRIu64 ",%s,%" PRIu64, l->rung + 1, l->budget, name,
                      l->sweep->plan->seeds[seed]);
        sac_sweep_grow_fields(l->sweep, &l->table, run);
        sac_grow_text(&l->table, ",%" PRIu64, s->generation);
        grow_value(&l->table, s->evaluation);
        grow_value(&l->table, l->scores[i]);
        sac_grow_text(&l->table, ",%d,%s\n", rank + 1, rank < kept ? "goes on" : "pruned");
    }
}

static sac_status write_table(ladder *l, int kept)
{
    char path[SAC_PATH_SIZE];
    if (l->rung == 0)
    {
        sac_grow_text(&l->table, "rung,%s,run,seed", unit_of(halving_of(l)));
        for (int f = 0; f < l->sweep->plan->field_count; f++)
            sac_grow_text(&l->table, ",%s", l->sweep->plan->fields[f].key);
        sac_grow_text(&l->table, ",generation,evaluation,score,rank,decision\n");
    }
    for (int rank = 0; rank < l->count; rank++) grow_rows(l, rank, kept);
    if (l->table.failed) return sac_fail_memory("rungs.csv");
    SAC_TRY(sac_join_path(path, l->sweep->def->dir, "rungs.csv"));
    return sac_write_file(path, l->table.bytes, l->table.size);
}

static void word_score(char text[SAC_VALUE_SIZE], double score)
{
    if (isfinite(score))
        sac_format_value(text, score);
    else
        snprintf(text, SAC_VALUE_SIZE, "no number");
}

// Tells a run that others go on, unless someone has gone on with it.
static sac_status prune(const ladder *l, int run, const sac_standing *s, const char *why)
{
    if (!s->idle || s->over || s->pruned || s->generation == 0 || s->checkpoint != s->generation) return SAC_OK;
    char path[SAC_PATH_SIZE];
    sac_event_lines *lines;
    SAC_TRY(sac_sweep_folder(l->sweep, run, path));
    SAC_TRY(sac_event_lines_open(&lines, path, s->generation, false));
    sac_status status = sac_event_lines_add(lines, s->generation, "pruned", why), closed = sac_event_lines_close(lines);
    return status == SAC_OK ? closed : status;
}

static sac_status prune_rest(const ladder *l, int kept)
{
    char best[32] = "the best goes on";
    if (kept > 1) snprintf(best, sizeof best, "the best %d go on", kept);
    for (int rank = kept; rank < l->count; rank++)
    {
        int i = l->order[rank];
        char score[SAC_VALUE_SIZE], why[200];
        word_score(score, l->scores[i]);
        snprintf(why, sizeof why, "rung %d, %" PRIu64 " %s: rank %d of %d by a score of %s; %s", l->rung + 1, l->budget,
                 unit_of(halving_of(l)), rank + 1, l->count, score, best);
        for (int seed = 0; seed < l->sweep->plan->seed_count; seed++)
            SAC_TRY(prune(l, run_of(l, l->points[i], seed), standing_of(l, i, seed), why));
    }
    return SAC_OK;
}

static void tell_decision(const ladder *l, int kept)
{
    if (!l->sweep->def->decided) return;
    char score[SAC_VALUE_SIZE], text[200];
    word_score(score, l->scores[l->order[kept - 1]]);
    snprintf(text, sizeof text, "rung %d, %" PRIu64 " %s: %d of %d points go%s on, down to a score of %s", l->rung + 1,
             l->budget, unit_of(halving_of(l)), kept, l->count, kept == 1 ? "es" : "", score);
    l->sweep->def->decided(l->sweep->def->user, text);
}

// On rank 0: the points that go on, in the order of the sweep; none once all runs are at their end.
static sac_status decide(ladder *l, int32_t *next, int *next_count)
{
    bool ends;
    *next_count = 0;
    SAC_TRY(judge(l, &ends));
    if (ends) return SAC_OK;
    int kept = sac_halving_kept(halving_of(l), l->count);
    SAC_TRY(write_table(l, kept));
    SAC_TRY(prune_rest(l, kept));
    SAC_TRY(sac_sweep_write_results(l->sweep));
    tell_decision(l, kept);
    for (int i = 0; i < l->count; i++)
        for (int rank = 0; rank < kept; rank++)
            if (l->order[rank] == i) next[(*next_count)++] = l->points[i];
    return SAC_OK;
}

static sac_status share_decision(ladder *l)
{
    int32_t *next = SAC_NEW_ARRAY(int32_t, (size_t)l->count);
    if (!next) return sac_fail_memory("a sweep");
    int count = 0;
    sac_status status = sac_sweep_writes(l->sweep) ? decide(l, next, &count) : SAC_OK;
    uint8_t *bytes = (uint8_t *)next;
    size_t size = (size_t)count * sizeof *next;
    status = sac_comm_share(l->sweep->comm, status, &bytes, &size);
    if (status == SAC_OK)
    {
        l->count = (int)(size / sizeof *next);
        memcpy(l->points, bytes, size);
    }
    if (bytes != (uint8_t *)next) sac_free(bytes);
    sac_free(next);
    return status;
}

static sac_status climb_all(ladder *l)
{
    while (l->count > 0)
    {
        l->budget = sac_halving_budget(halving_of(l), l->rung);
        SAC_TRY(climb(l));
        if (l->count == 1) break;
        SAC_TRY(share_decision(l));
        l->rung++;
    }
    return sac_sweep_writes(l->sweep) ? sac_sweep_write_results(l->sweep) : SAC_OK;
}

sac_status sac_sweep_halve(sac_sweep_state *s)
{
    SAC_ASSERT(s->def->halving.reduction >= 2 && s->def->halving.rung >= 1);
    const int count = sac_plan_points(s->plan);
    ladder l = {.sweep = s,
                .count = count,
                .points = SAC_NEW_ARRAY(int32_t, (size_t)count),
                .standings = SAC_NEW_ARRAY(sac_standing, (size_t)sac_sweep_runs(s)),
                .scores = SAC_NEW_ARRAY(double, (size_t)count),
                .order = SAC_NEW_ARRAY(int, (size_t)count)};
    sac_status status = SAC_OK;
    if (!l.points || !l.standings || !l.scores || !l.order)
        status = sac_fail_memory("a sweep");
    else
        for (int i = 0; i < count; i++) l.points[i] = i;
    if (status == SAC_OK) status = climb_all(&l);
    sac_free(l.points);
    sac_free(l.standings);
    sac_free(l.scores);
    sac_free(l.order);
    sac_grow_clear(&l.table);
    return status;
}
