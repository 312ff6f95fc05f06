#include <stdio.h>

#include "base/error.h"
#include "board.h"
#include "cli.h"
#include "page.h"
#include "saccade/dash.h"
#include "saccade/train.h"
#include "stop.h"

enum
{
    MAX_THREADS = 1024
};

static const cli_flag flags[] = {
    {"run", "DIR", "run folder; default runs/<task>", false},
    {"set", "SECTION.KEY=VALUE", "overrule the task file, such as policy.attention=relu", true},
    {"resume", NULL, "go on from the last checkpoint", false},
    {"any-cpu-level", NULL, "resume a checkpoint that another CPU level wrote", false},
    {"threads", "N", "of each rank; default 1", false},
    {"generations", "N", "in total; default: the task's own", false},
    {"dash", "[PORT]", "serve the live page of the run on this machine; default port 8800", false},
    {"json", NULL, "print one JSON object a generation", false},
    {"quiet", NULL, "print nothing but errors", false},
    {0},
};

// serves the run's page where that is asked for, and says where
static sac_status open_page(sac_dash **dash, const cli_args *args, const char *dir, int port)
{
    *dash = NULL;
    if (!cli_has(args, "dash")) return SAC_OK;
    SAC_TRY(sac_dash_create(dash, dir, port));
    cli_say_page(stderr, sac_dash_port(*dash), "shows this run");
    return SAC_OK;
}

static int run(const cli_args *args)
{
    bool ok = true;
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    uint64_t generations = (uint64_t)cli_integer(args, "generations", 0, 1, INT32_MAX, &ok);
    bool has_port = cli_has(args, "dash") && cli_value(args, "dash")[0];
    int port = has_port ? (int)cli_integer(args, "dash", 0, 0, 65535, &ok) : CLI_DASH_PORT;
    const sac_setting *settings;
    int count = cli_settings(args, "set", &settings);
    if (!ok || count < 0) return CLI_USAGE;

    char dir[SAC_TEXT_SIZE];
    cli_default_run_dir(dir, cli_positional(args, 0));
    if (cli_has(args, "run")) snprintf(dir, sizeof dir, "%s", cli_value(args, "run"));
    const volatile int *interrupt = cli_catch_signals();
    sac_comm *comm;
    sac_status status = sac_comm_open(&comm);
    if (status != SAC_OK) return cli_fail(status);
    // what fails on any rank, rank 0 says
    bool reports = sac_comm_rank(comm) == 0, quiet = cli_has(args, "quiet") || !reports;
    if (reports && sac_comm_size(comm) > 1) cli_warn_of_binding(threads);

    sac_task *task;
    status = sac_task_load(&task, cli_positional(args, 0), settings, count);
    sac_dash *dash = NULL;
    if (status == SAC_OK && reports) status = open_page(&dash, args, dir, port);
    cli_board board;
    cli_board_open(&board, cli_positional(args, 0), cli_has(args, "json"), quiet, sac_comm_size(comm) == 1);
    sac_train_def def = {.task = task,
                         .run_dir = dir,
                         .resume = cli_has(args, "resume"),
                         .any_cpu_level = cli_has(args, "any-cpu-level"),
                         .threads = threads,
                         .comm = comm,
                         .generations = generations,
                         .progress = quiet ? NULL : cli_board_show,
                         .user = &board,
                         .interrupt = interrupt};
    if (status == SAC_OK) status = sac_train(&def);
    sac_task_destroy(task);
    sac_dash_destroy(dash);
    cli_board_close(&board);
    if (status == SAC_OK && board.mode != CLI_BOARD_QUIET && board.mode != CLI_BOARD_JSON)
        printf("%s: best.safetensors, mean.safetensors, metrics.csv\n", dir);
    char place[SAC_TEXT_SIZE + 16];
    snprintf(place, sizeof place, "%s/checkpoints", dir);
    int code = cli_end_training(status, place, reports);
    sac_comm_close(comm, status);
    return code;
}

const cli_command cli_train = {"train", "TASK.yaml", "train a policy; stop it at any time, --resume goes on", flags,
                               run};
