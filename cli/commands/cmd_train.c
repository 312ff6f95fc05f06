#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "board.h"
#include "cli.h"
#include "frame/share.h"
#include "page.h"
#include "run/task.h"
#include "saccade/train.h"
#include "stop.h"
#include "training.h"

enum
{
    MAX_THREADS = 1024
};

static const cli_flag flags[] = {CLI_TRAINING_FLAGS, {0}};

// a run that ended before its first evaluation knows of no best
static void say_files(const char *dir)
{
    char best[CLI_PATH_SIZE + 32];
    snprintf(best, sizeof best, "%s/best.safetensors", dir);
    bool evaluated = access(best, F_OK) == 0;
    printf("%s: %smean.safetensors, metrics.csv\n", dir, evaluated ? "best.safetensors, " : "");
}

// a start in zoo/ that is not here may be installed, as tasks and policies are
static sac_status find_start(sac_task *task)
{
    const char *found = cli_shared_file(task->train.start);
    if (strlen(found) >= sizeof task->train.start)
        return sac_fail(SAC_ERROR_ARGUMENT, "train.start: the path is longer than %d bytes: %.80s...",
                        SAC_TEXT_SIZE - 1, found);
    if (found != task->train.start) snprintf(task->train.start, sizeof task->train.start, "%s", found);
    return SAC_OK;
}

int cli_run_training(const cli_args *args, const sac_setting *settings, int count)
{
    bool ok = true;
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    uint64_t generations = (uint64_t)cli_integer(args, "generations", 0, 1, INT32_MAX, &ok);
    int seconds = (int)cli_integer(args, "seconds", 0, 1, INT32_MAX, &ok);
    int port = cli_dash_port(args, &ok);
    if (!ok) return CLI_USAGE;

    char room[CLI_PATH_SIZE];
    const char *dir = cli_run_dir(args, room);
    const volatile int *interrupt = cli_catch_signals();
    if (seconds) cli_end_after(seconds);
    double deadline = seconds ? sac_clock() + seconds : 0;
    sac_comm *comm;
    sac_status status = sac_comm_open(&comm);
    if (status != SAC_OK) return cli_fail(status);
    // Rank 0 tells what has failed on any rank.
    bool reports = sac_comm_rank(comm) == 0, quiet = cli_has(args, "quiet") || !reports;
    if (reports && sac_comm_size(comm) > 1) cli_warn_of_binding(threads);

    sac_task *task;
    if (reports) cli_print_log(NULL); // the board opens later
    status = sac_task_load(&task, cli_positional(args, 0), settings, count);
    if (status == SAC_OK) status = find_start(task);
    sac_dash *dash = NULL;
    if (status == SAC_OK && reports) status = cli_open_page(&dash, args, dir, port, sac_dash_create);
    cli_board board;
    cli_board_open(&board, cli_positional(args, 0), cli_has(args, "json"), quiet, sac_comm_size(comm) == 1);
    if (reports) cli_print_log(&board);
    sac_train_def def = {.task = task,
                         .run_dir = dir,
                         .resume = cli_has(args, "resume"),
                         .any_cpu_level = cli_has(args, "any-cpu-level"),
                         .threads = threads,
                         .comm = comm,
                         .generations = generations,
                         .progress = reports ? cli_board_show : NULL,
                         .user = &board,
                         .interrupt = interrupt,
                         .time_limit = seconds ? fmax(deadline - sac_clock(), 1e-3) : 0};
    if (status == SAC_OK) status = sac_train(&def);
    sac_set_log(NULL, NULL);
    sac_task_destroy(task);
    sac_dash_destroy(dash);
    cli_board_close(&board);
    bool speaks = board.mode != CLI_BOARD_QUIET && board.mode != CLI_BOARD_JSON;
    status = cli_end_by_time(status, seconds, speaks);
    if (status == SAC_OK && speaks) say_files(dir);
    if (status == SAC_OK && board.bad_episodes)
        fprintf(stderr,
                "saccade: %" PRIu64 " episode%s gave no number and ranked last; %s/events.jsonl names the first\n",
                board.bad_episodes, sac_plural((long long)board.bad_episodes), dir);
    char place[CLI_PATH_SIZE + 16];
    snprintf(place, sizeof place, "%s/checkpoints", dir);
    int code = cli_end_training(status, place, reports);
    sac_comm_close(comm, status);
    return code;
}

static int run(const cli_args *args)
{
    const sac_setting *settings;
    int count = cli_settings(args, "set", &settings);
    return count < 0 ? CLI_USAGE : cli_run_training(args, settings, count);
}

const cli_command cli_train = {"train", "TASK.yaml", "train a policy; stop it at any time, --resume goes on", flags,
                               run};
