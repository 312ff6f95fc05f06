#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "classify/fit.h"
#include "commands/nets/score.h"
#include "files/json.h"
#include "page.h"
#include "stop.h"

enum
{
    MAX_THREADS = 1024
};

static const cli_flag flags[] = {
    {"run", "DIR", "run folder; default runs/<task>", false},
    {"set", "SECTION.KEY=VALUE", "overrule the task file, such as net.width=16", true},
    {"resume", NULL, "go on from the last checkpoint", false},
    {"any-cpu-level", NULL, "resume a checkpoint that another CPU level wrote", false},
    {"threads", "N", "default 1; train.slices of them help at most, over all ranks", false},
    {"seconds", "N", "end by itself after so many seconds, with a checkpoint; --resume goes on", false},
    CLI_DASH_FLAG,
    {"profile", NULL, "print at the end where the time of steps and evaluations went, by kinds of nodes", false},
    {"json", NULL, "print one JSON object an epoch, and one with the confusion table", false},
    {"quiet", NULL, "print nothing but errors and warnings", false},
    {0},
};

static void report_json(const sac_classify_progress *p)
{
    json_t *row = json_pack("{s:I, s:I, s:f, s:o, s:o, s:o}", "epoch", (json_int_t)p->epoch, "steps",
                            (json_int_t)p->steps, "seconds", p->seconds, "rate", sac_json_number(p->rate), "loss",
                            sac_json_number(p->loss), "accuracy", sac_json_number(p->accuracy));
    if (p->evaluated)
    {
        json_object_set_new(row, "test_loss", sac_json_number(p->test_loss));
        json_object_set_new(row, "test_accuracy", sac_json_number(p->test_accuracy));
    }
    if (sac_json_print(stdout, row) == SAC_OK) fflush(stdout);
}

static void report(void *user, const sac_classify_progress *p)
{
    const cli_args *args = user;
    if (cli_has(args, "json"))
    {
        report_json(p);
        return;
    }
    printf("epoch %" PRIu64 ", step %" PRIu64 ", %.0f s: loss %.4f, %.2f %% right", p->epoch, p->steps, p->seconds,
           p->loss, 100 * p->accuracy);
    if (p->evaluated) printf("; test loss %.4f, %.2f %% right", p->test_loss, 100 * p->test_accuracy);
    putchar('\n');
    fflush(stdout);
}

static void print_times(const sac_classify_result *r)
{
    double all = 0;
    for (int i = 0; i < r->time_count; i++) all += r->times[i].forward + r->times[i].backward;
    printf("%-22s %10s %10s %7s\n", "seconds of all threads", "forward", "backward", "share");
    for (int i = 0; i < r->time_count; i++)
    {
        const sac_net_time *t = &r->times[i];
        printf("%-22s %10.3f %10.3f %6.1f%%\n", t->kind, t->forward, t->backward,
               100 * (t->forward + t->backward) / all);
    }
}

// the result of rank 0
static sac_status print_result(const cli_args *args, const sac_classify_result *r)
{
    if (cli_has(args, "json")) return cli_print_score_json(&r->score);
    if (cli_has(args, "quiet")) return SAC_OK;
    cli_print_score(&r->score);
    if (r->time_count > 0) print_times(r);
    return SAC_OK;
}

// Trains with the page open where that is asked for; rank 0 reports.
static sac_status fit(const cli_args *args, sac_classify_def *def, const sac_setting *settings, int count, int port,
                      bool reports)
{
    sac_classify_task *task;
    sac_classify_result result = {0};
    sac_dash *dash = NULL;
    SAC_TRY(sac_classify_task_load(&task, cli_positional(args, 0), settings, count));
    def->task = task;
    sac_status status = reports ? cli_open_page(&dash, args, def->run_dir, port, sac_dash_create_net) : SAC_OK;
    if (status == SAC_OK) status = sac_classify_fit(&result, def);
    sac_dash_destroy(dash);
    if (status == SAC_OK && reports) status = print_result(args, &result);
    sac_free(result.score.confusion);
    sac_free(task);
    return status;
}

static int run(const cli_args *args)
{
    bool ok = true;
    const int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    const int seconds = (int)cli_integer(args, "seconds", 0, 1, INT32_MAX, &ok);
    const int port = cli_dash_port(args, &ok);
    const sac_setting *settings;
    const int count = cli_settings(args, "set", &settings);
    if (!ok || count < 0) return CLI_USAGE;
    char room[CLI_PATH_SIZE];
    const volatile int *interrupt = cli_catch_signals();
    if (seconds) cli_end_after(seconds);
    sac_comm *comm;
    sac_status status = sac_comm_open(&comm);
    if (status != SAC_OK) return cli_fail(status);
    // rank 0 tells what has failed on any rank
    const bool reports = sac_comm_rank(comm) == 0;
    if (reports) cli_print_log(NULL);
    if (reports && sac_comm_size(comm) > 1) cli_warn_of_binding(threads);
    sac_classify_def def = {.run_dir = cli_run_dir(args, room),
                            .threads = threads,
                            .comm = comm,
                            .resume = cli_has(args, "resume"),
                            .any_cpu_level = cli_has(args, "any-cpu-level"),
                            .profile = cli_has(args, "profile"),
                            .interrupt = interrupt,
                            .time_limit = seconds,
                            .report = cli_has(args, "quiet") ? NULL : report,
                            .user = (void *)args};
    status = fit(args, &def, settings, count, port, reports);
    status = cli_end_by_time(status, seconds, reports && !cli_has(args, "quiet") && !cli_has(args, "json"));
    const int code = cli_end_training(status, def.run_dir, reports);
    sac_comm_close(comm, status);
    return code;
}

const cli_command cli_fit = {"fit", "TASK.yaml", "train a net that classifies pictures", flags, run};
