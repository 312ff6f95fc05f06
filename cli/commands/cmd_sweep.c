#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "cli.h"
#include "files/atomic.h"
#include "saccade/train.h"
#include "stop.h"

/// saccade sweep: many runs of one task, and a table of what came of them.

enum
{
    MAX_THREADS = 1024,
    MAX_ROWS = 10000,
    TAIL = 10, ///< columns of results.csv after the fields
    BEST = 7   ///< of them, best_mean
};

static const cli_flag flags[] = {
    {"run", "DIR", "folder for all runs; default runs/<sweep>", false},
    {"threads", "N", "of each rank; default 1", false},
    {"generations", "N", "of each run, in total; default: the task's own", false},
    {"halving", "N",
     "successive halving: train all points to the first rung, the best 1/N of them N times as far, and so on", false},
    {"rung", "N", "generations of the first rung of --halving", false},
    {"rung-steps", "N", "the same in environment steps", false},
    {"any-cpu-level", NULL, "resume checkpoints that another CPU level wrote", false},
    {"table", NULL, "train nothing, print the table of what is there", false},
    {"quiet", NULL, "print nothing but the table", false},
    {0},
};

typedef struct board
{
    double last;
} board;

static void show(void *user, int run, int count, const char *name, const sac_progress *p)
{
    board *b = user;
    if (!p)
        printf("%s (%d of %d)\n", name, run + 1, count);
    else if (p->generation == p->generations || sac_clock() - b->last > 10)
    {
        b->last = sac_clock();
        char mean[SAC_VALUE_SIZE], value[SAC_VALUE_SIZE], best[SAC_VALUE_SIZE + 32] = "";
        sac_format_value(mean, p->mean);
        sac_format_value(value, p->best_evaluation);
        if (isfinite(p->best_evaluation)) snprintf(best, sizeof best, "best evaluation %s  ", value);
        printf("  %" PRIu64 "/%" PRIu64 "  mean %s  %s%.1f M steps  %.0f s\n", p->generation, p->generations, mean,
               best, (double)p->steps * 1e-6, p->seconds);
    }
    fflush(stdout);
}

static void tell(void *user, const char *text)
{
    (void)user;
    puts(text);
    fflush(stdout);
}

// @return false after a message
static bool read_halving(const cli_args *args, sac_halving *halving)
{
    bool ok = true;
    halving->reduction = (int)cli_integer(args, "halving", 0, 2, 1000, &ok);
    halving->by_steps = cli_has(args, "rung-steps");
    uint64_t generations = (uint64_t)cli_integer(args, "rung", 0, 1, INT32_MAX, &ok);
    uint64_t steps = (uint64_t)cli_integer(args, "rung-steps", 0, 1, INT64_MAX, &ok);
    halving->rung = halving->by_steps ? steps : generations;
    const char *wrong = NULL;
    if (generations && steps)
        wrong = "--rung and --rung-steps exclude each other";
    else if (halving->rung && !halving->reduction)
        wrong = "--rung and --rung-steps are for a sweep with --halving N";
    else if (halving->reduction && !halving->rung)
        wrong = "--halving needs its first rung: --rung GENERATIONS or --rung-steps STEPS";
    if (ok && wrong) cli_usage("sweep: %s", wrong);
    return ok && !wrong;
}

/// A row of results.csv: the values of the fields as they stand there, and the best evaluation.
typedef struct row
{
    const char *state, *point, *generation;
    double best;
} row;

// cuts a line in place: run,seed,state,POINT,ten numbers
static bool parse(char *line, row *r)
{
    char *begin = line, *end = line + strlen(line), *numbers[TAIL];
    for (int i = 0; i < 3 && begin; i++)
    {
        r->state = begin;
        begin = strchr(begin, ',') ? strchr(begin, ',') + 1 : NULL;
    }
    for (int i = TAIL - 1; begin && i >= 0; i--)
    {
        while (end > begin && end[-1] != ',') end--;
        numbers[i] = end;
        if (end == begin && i > 0) return false;
        if (end > begin) *--end = 0;
    }
    if (!begin) return false;
    // without fields the numbers follow at once
    r->point = end >= begin && end > begin - 1 && numbers[0] != begin ? begin : "";
    r->generation = numbers[0];
    char *after;
    r->best = strtod(numbers[BEST], &after);
    if (after == numbers[BEST]) r->best = NAN;
    return true;
}

static int by_best(const void *a, const void *b)
{
    double x = ((const row *)a)->best, y = ((const row *)b)->best;
    return (x < y) - (x > y);
}

/// All seeds of a point.
typedef struct group
{
    const char *point;
    double median, low, high;
    int runs;
    const char *pruned; ///< the generation at which a sweep that halves left it; NULL: it did not
} group;

static int by_median(const void *a, const void *b)
{
    double x = ((const group *)a)->median, y = ((const group *)b)->median;
    return (x < y) - (x > y);
}

static bool is_pruned(const row *r)
{
    return strncmp(r->state, "pruned,", 7) == 0;
}

// rows are sorted by their best evaluation
static int group_rows(const row *rows, int count, group *groups)
{
    int found = 0;
    for (int i = 0; i < count; i++)
    {
        int g = 0;
        while (g < found && strcmp(groups[g].point, rows[i].point) != 0) g++;
        if (g < found) continue;
        groups[found++] = (group){.point = rows[i].point};
        double values[MAX_ROWS];
        for (int k = i; k < count; k++)
        {
            if (strcmp(rows[k].point, rows[i].point) != 0) continue;
            values[groups[g].runs++] = rows[k].best;
            if (is_pruned(&rows[k])) groups[g].pruned = rows[k].generation;
        }
        int runs = groups[g].runs;
        groups[g].high = values[0];
        groups[g].low = values[runs - 1];
        groups[g].median = 0.5 * (values[(runs - 1) / 2] + values[runs / 2]);
    }
    qsort(groups, (size_t)found, sizeof *groups, by_median);
    return found;
}

static void print_groups(const char *fields, const row *rows, int count, bool halves)
{
    static group groups[MAX_ROWS];
    int found = group_rows(rows, count, groups);
    bool pruned = false;
    printf("\n%-40s %5s %10s %10s %10s\n", fields, "runs", "median", "lowest", "highest");
    for (int g = 0; g < found; g++)
    {
        int decimals = sac_decimals(groups[g].median, groups[g].high - groups[g].low);
        printf("%-40s %5d %10.*f %10.*f %10.*f", groups[g].point, groups[g].runs, decimals, groups[g].median, decimals,
               groups[g].low, decimals, groups[g].high);
        if (groups[g].pruned)
            printf("  pruned at generation %s\n", groups[g].pruned);
        else
            puts("");
        pruned |= groups[g].pruned != NULL;
    }
    puts("best evaluation of each run; median, lowest and highest over seeds");
    if (pruned) puts("pruned: others went on from the rung; rungs.csv says why");
    if (!pruned && halves && found > 1)
        puts("pruned: none, because all runs had ended at the first rung; a lower --rung halves them");
}

// runs that no table can rank, and what to do about it
static void print_unranked(const char *dir, int runs, int ranked)
{
    if (runs == 0) printf("%s: no run has finished a generation yet\n", dir);
    if (runs == ranked) return;
    printf("%d of %d run%s ha%s no evaluation, by which this table compares: the task's evaluation.every is 0, or a "
           "run has "
           "not\ncome to its first one. Set it, such as fields: {evaluation: {every: [10]}} in the sweep file, and use "
           "another --run.\n%s/results.csv has the populations' mean returns.\n",
           runs - ranked, runs, sac_plural(runs), runs - ranked == 1 ? "s" : "ve", dir);
}

static sac_status print_table(const char *dir, bool halves)
{
    static row rows[MAX_ROWS];
    char path[SAC_PATH_SIZE];
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_join_path(path, dir, "results.csv"));
    SAC_TRY(sac_read_file(&bytes, &size, path, (size_t)1 << 28));
    row header = {.point = ""};
    int count = 0, runs = 0;
    bool first = true;
    for (char *line = (char *)bytes, *end; (end = strchr(line, '\n')); line = end + 1)
    {
        *end = 0;
        if (first)
            parse(line, &header);
        else if (count < MAX_ROWS && ++runs && parse(line, &rows[count]) && isfinite(rows[count].best))
            count++;
        first = false;
    }
    qsort(rows, (size_t)count, sizeof *rows, by_best);
    if (count > 0) print_groups(header.point, rows, count, halves);
    print_unranked(dir, runs, count);
    sac_free(bytes);
    return SAC_OK;
}

static int run(const cli_args *args)
{
    bool ok = true;
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    uint64_t generations = (uint64_t)cli_integer(args, "generations", 0, 1, INT32_MAX, &ok);
    sac_halving halving = {0};
    if (!ok || !read_halving(args, &halving)) return CLI_USAGE;
    char room[CLI_PATH_SIZE];
    const char *dir = cli_run_dir(args, room);
    sac_status status = SAC_OK;
    if (cli_has(args, "table"))
    {
        status = print_table(dir, false);
        return status == SAC_OK ? CLI_OK : cli_fail(status);
    }

    const volatile int *interrupt = cli_catch_signals();
    sac_comm *comm;
    status = sac_comm_open(&comm);
    if (status != SAC_OK) return cli_fail(status);
    bool reports = sac_comm_rank(comm) == 0;
    if (reports && sac_comm_size(comm) > 1) cli_warn_of_binding(threads);
    if (reports) cli_print_log(NULL);
    board b = {0};
    status = sac_sweep(&(sac_sweep_def){.path = cli_positional(args, 0),
                                        .dir = dir,
                                        .threads = threads,
                                        .comm = comm,
                                        .any_cpu_level = cli_has(args, "any-cpu-level"),
                                        .generations = generations,
                                        .report = cli_has(args, "quiet") ? NULL : show,
                                        .user = &b,
                                        .halving = halving,
                                        .decided = cli_has(args, "quiet") ? NULL : tell,
                                        .interrupt = interrupt});
    if (status == SAC_OK && reports) status = print_table(dir, halving.reduction > 0);
    // a sweep goes on without --resume
    bool interrupted = status == SAC_ERROR_INTERRUPTED;
    if (interrupted && reports)
        fprintf(stderr, "saccade: %s; the checkpoint is in %s; the same command goes on\n", sac_last_error(), dir);
    int code = interrupted ? CLI_INTERRUPTED : cli_end_training(status, dir, reports);
    sac_comm_close(comm, status);
    return code;
}

const cli_command cli_sweep = {"sweep", "FILE.yaml",
                               "train a task over grids or draws of its fields; the same command goes on", flags, run};
