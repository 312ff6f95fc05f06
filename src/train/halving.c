#include "train/halving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "run/checkpoint.h"
#include "run/journal.h"

uint64_t sac_halving_budget(const sac_halving *h, int rung)
{
    uint64_t budget = h->rung, reduction = (uint64_t)h->reduction;
    for (int i = 0; i < rung; i++) budget = budget > UINT64_MAX / reduction ? UINT64_MAX : budget * reduction;
    return budget;
}

int sac_halving_kept(const sac_halving *h, int points)
{
    return points > h->reduction ? points / h->reduction : 1;
}

// the highest first, what is not a number last
static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x < y) - (x > y);
}

double sac_halving_score(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

void sac_halving_rank(int *order, const double *scores, int count)
{
    // by insertion, which leaves equal scores in the order of the sweep
    for (int i = 0; i < count; i++)
    {
        int at = i;
        for (; at > 0 && by_value(&scores[order[at - 1]], &scores[i]) > 0; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

static void take_evaluation(sac_standing *s, const sac_progress *p, uint64_t every, bool *scheduled)
{
    bool on_schedule = every > 0 && p->generation % every == 0;
    if (*scheduled && !(on_schedule && !(p->evaluation.mean <= s->evaluation))) return;
    s->evaluation = p->evaluation.mean;
    *scheduled |= on_schedule;
}

// Find the row that reaches the rung, and the evaluation that counts there.
static void read_rows(sac_standing *s, const sac_rung *rung, char *text)
{
    uint64_t newest = 0;
    bool scheduled = false;
    for (char *row = text, *end; s->generation == 0 && (end = strchr(row, '\n')); row = end + 1)
    {
        sac_progress p;
        *end = 0;
        if (!sac_journal_parse_row(row, &p)) continue;
        newest = p.generation;
        if (p.evaluated) take_evaluation(s, &p, rung->every, &scheduled);
        if ((rung->halving->by_steps ? p.steps : p.generation) >= rung->budget) s->generation = p.generation;
    }
    if (s->over && s->generation == 0) s->generation = newest;
    if (s->generation == 0) s->evaluation = NAN; // it failed on the way
}

sac_status sac_standing_read(sac_standing *s, const sac_rung *rung, const char *run_dir)
{
    *s = (sac_standing){.evaluation = NAN};
    sac_run_summary summary;
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, run_dir, "task.yaml"));
    if (access(path, F_OK) != 0) return SAC_OK; // it has not begun
    SAC_TRY(sac_run_summarise(&summary, run_dir));
    s->idle = strcmp(summary.state, "running") != 0;
    s->pruned = strcmp(summary.state, "pruned") == 0;
    s->failed = strcmp(summary.state, "failed") == 0;
    s->over = strcmp(summary.state, "stopped") == 0 ||
              (strcmp(summary.state, "finished") == 0 && summary.generation >= rung->generations);
    s->checkpoint = sac_checkpoint_newest(run_dir);
    SAC_TRY(sac_join_path(path, run_dir, "metrics.csv"));
    if (access(path, F_OK) != 0) return SAC_OK;
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, (size_t)1 << 30));
    read_rows(s, rung, (char *)bytes);
    s->ended = s->over && summary.generation == s->generation;
    sac_free(bytes);
    return SAC_OK;
}

bool sac_standing_is_there(const sac_standing *s)
{
    // A checkpoint comes after the row and the policy of its generation, so nothing of that generation is missing.
    return s->generation > 0 && s->checkpoint >= s->generation;
}
