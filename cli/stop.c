#define _GNU_SOURCE
#include "stop.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static volatile int interrupted; // by a signal, or because the time is over
static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    // a launcher may send its signal twice, a person means it
    if (signalled && number == SIGINT)
    {
        signal(number, SIG_DFL);
        raise(number);
    }
    signalled = 1;
    interrupted = 1;
}

static void on_alarm(int number)
{
    (void)number;
    interrupted = 1;
}

const volatile int *cli_catch_signals(void)
{
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    return &interrupted;
}

void cli_end_after(int seconds)
{
    signal(SIGALRM, on_alarm);
    alarm((unsigned)seconds);
}

sac_status cli_end_by_time(sac_status status, int seconds, bool speaks)
{
    if (status != SAC_ERROR_INTERRUPTED || !seconds || signalled) return status;
    if (speaks) printf("%s, after %d s; the same command with --resume goes on\n", sac_last_error(), seconds);
    return SAC_OK;
}

int cli_end_training(sac_status status, const char *place, bool reports)
{
    int code = status == SAC_OK ? CLI_OK : status == SAC_ERROR_INTERRUPTED ? CLI_INTERRUPTED : CLI_FAILURE;
    if (!reports) return code;
    if (status == SAC_ERROR_INTERRUPTED)
        fprintf(stderr, "saccade: %s; the checkpoint is in %s; the same command with --resume goes on\n",
                sac_last_error(), place);
    else if (status != SAC_OK)
        code = cli_fail(status);
    return code;
}

static void print_log(void *user, sac_log_level level, const char *line)
{
    const cli_board *board = user;
    (void)level;
    if (!board || board->mode != CLI_BOARD_LIVE || !board->started) fprintf(stderr, "saccade: %s\n", line);
}

void cli_print_log(const cli_board *board)
{
    sac_set_log(print_log, (void *)board);
}

void cli_warn_of_binding(int threads)
{
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0 || CPU_COUNT(&cores) >= threads) return;
    fprintf(stderr, "saccade: %d threads on %d core%s: mpirun binds ranks to cores, --bind-to none frees them\n",
            threads, CPU_COUNT(&cores), CPU_COUNT(&cores) == 1 ? "" : "s");
}

const char *cli_run_dir(const cli_args *args, char room[CLI_PATH_SIZE])
{
    const char *given = cli_value(args, "run"), *task = cli_positional(args, 0);
    if (given) return given;
    const char *name = strrchr(task, '/') ? strrchr(task, '/') + 1 : task;
    const char *dot = strrchr(name, '.');
    snprintf(room, CLI_PATH_SIZE, "runs/%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
    return room;
}
