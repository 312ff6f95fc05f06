#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "board.h"
#include "cli.h"
#include "files/json.h"
#include "run/tree.h"
#include "saccade/train.h"

/// saccade runs: what is in a folder of run folders.

static const cli_flag flags[] = {
    {"json", NULL, "one JSON list", false},
    {0},
};

static json_t *score_json(const sac_score *score)
{
    if (score->episodes == 0) return json_null();
    return json_pack("{s:o, s:o, s:i}", "mean", sac_json_number(score->mean), "std", sac_json_number(score->std),
                     "episodes", score->episodes);
}

static json_t *to_json(const char *path, const sac_run_summary *s)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:s, s:s}",
                     "run", path, "state", s->state, "env", s->environment, "policy", s->policy, "search", s->search,
                     "net", s->net, "seed", (json_int_t)s->seed, "generation", (json_int_t)s->generation, "generations",
                     (json_int_t)s->generations, "steps", (json_int_t)s->steps, "seconds", sac_json_number(s->seconds),
                     "mean", sac_json_number(s->mean), "test_accuracy", sac_json_number(s->test_accuracy), "evaluation",
                     score_json(&s->evaluation), "best", score_json(&s->best), "best_generation",
                     (json_int_t)s->best_generation, "host", s->host, "reason", s->reason);
}

static void print_row(const char *path, int width, const sac_run_summary *s)
{
    char evaluation[2 * SAC_VALUE_SIZE], best[2 * SAC_VALUE_SIZE], generation[48];
    board_format_score(evaluation, &s->evaluation);
    board_format_score(best, &s->best);
    snprintf(generation, sizeof generation, "%" PRIu64 "/%" PRIu64, s->generation, s->generations);
    if (isfinite(s->test_accuracy)) snprintf(evaluation, sizeof evaluation, "%.2f %%", 100 * s->test_accuracy);
    double percent = s->generations ? 100 * (double)s->generation / (double)s->generations : 0;
    printf("%-*s %-11s %13s %4.0f%% %10.1fM %9.1f %14s %14s  %s", width, path, s->state, generation, percent,
           (double)s->steps * 1e-6, s->seconds / 60, evaluation, best, s->net[0] ? s->net : s->search);
    // why a sweep has left a run is not seen from its own figures
    if (strcmp(s->state, "pruned") == 0)
        printf(" (%s)\n", s->reason);
    else
        puts("");
}

/// What is listed so far.
typedef struct listing
{
    int width, count;
    json_t *json; ///< NULL: a table is printed
} listing;

// the column of names is as wide as the longest
static bool widen(void *user, const char *path)
{
    listing *l = user;
    int length = (int)strlen(path);
    if (length > l->width) l->width = length;
    return true;
}

static bool list(void *user, const char *path)
{
    listing *l = user;
    sac_run_summary summary;
    if (sac_run_summarise(&summary, path) != SAC_OK)
    {
        // one damaged folder must not hide the others
        fprintf(stderr, "saccade: %s\n", sac_last_error());
        return true;
    }
    l->count++;
    if (l->json)
    {
        json_array_append_new(l->json, to_json(path, &summary));
        return true;
    }
    if (l->count == 1)
        printf("%-*s %-11s %13s %5s %11s %9s %14s %14s  %s\n", l->width, "run", "state", "generation", "", "steps",
               "minutes", "evaluation", "best", "search");
    print_row(path, l->width, &summary);
    return true;
}

static int run(const cli_args *args)
{
    const char *dir = cli_positional(args, 0) ? cli_positional(args, 0) : "runs";
    if (access(dir, F_OK) != 0)
    {
        fprintf(stderr, "saccade: %s: %s\n", dir, strerror(errno));
        return CLI_FAILURE;
    }
    listing l = {.width = 16, .json = cli_has(args, "json") ? json_array() : NULL};
    (void)sac_run_tree_visit(dir, widen, &l);
    (void)sac_run_tree_visit(dir, list, &l);
    if (l.json)
    {
        sac_status status = sac_json_print(stdout, l.json);
        return status == SAC_OK ? CLI_OK : cli_fail(status);
    }
    if (l.count == 0) printf("no runs in %s\n", dir);
    return CLI_OK;
}

const cli_command cli_runs = {"runs", "[DIR]", "list the runs in a folder with their progress; default runs", flags,
                              run};
