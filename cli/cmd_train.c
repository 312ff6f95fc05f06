#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
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
    {"quiet", NULL, "print nothing but errors", false},
    {0},
};

/// What the progress line remembers.
typedef struct board
{
    bool terminal;
    double last_line;     // seconds
    double first_seconds; // of training, when this process began
    uint64_t first_generation;
    bool started;
} board;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void format_time(char text[32], double seconds)
{
    int s = (int)fmin(fmax(seconds, 0), 1e8);
    if (s < 3600)
        snprintf(text, 32, "%d:%02d", s / 60, s % 60);
    else
        snprintf(text, 32, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
}

static void show_progress(void *user, const sac_progress *p)
{
    board *b = user;
    if (!b->started)
    {
        b->started = true;
        b->first_generation = p->generation - 1;
        b->first_seconds = p->seconds;
        if (!b->terminal)
            puts("   generation     best     mean   evaluation       steps  steps/s     time      ETA");
        else
            puts("\033[1m   generation     best     mean   evaluation       steps  steps/s     time      ETA\033[0m");
    }
    bool last = p->generation == p->generations;
    // a line for each evaluation; between them one that is written over, or one every ten seconds in a log
    bool keep = p->evaluated || last || p->note;
    if (!keep && now() - b->last_line < (b->terminal ? 0.1 : 10)) return;
    b->last_line = now();

    char evaluation[32] = "", elapsed[32], left[32];
    if (p->evaluation.episodes > 0)
        snprintf(evaluation, sizeof evaluation, "%.1f+-%.0f", p->evaluation.mean, p->evaluation.std);
    format_time(elapsed, p->seconds);
    // the first generation after a start says nothing about the speed
    uint64_t timed = p->generation - b->first_generation - 1;
    if (timed > 0)
        format_time(left, (p->seconds - b->first_seconds) / (double)timed * (double)(p->generations - p->generation));
    else
        snprintf(left, sizeof left, "-");
    printf("%s%6" PRIu64 "/%-6" PRIu64 " %8.1f %8.1f %12s %11" PRIu64 " %8.0f %8s %8s%s%s",
           b->terminal ? "\r\033[K" : "", p->generation, p->generations, p->best, p->mean, evaluation, p->steps,
           p->steps_per_second, elapsed, left, p->note ? "  " : "", p->note ? p->note : "");
    if (keep || !b->terminal) putchar('\n');
    fflush(stdout);
}

static int run(const cli_args *args)
{
    bool ok = true;
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    uint64_t generations = (uint64_t)cli_integer(args, "generations", 0, 1, INT32_MAX, &ok);
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
    // mpirun gives rank 0 a terminal of its own whatever stands behind it
    board b = {.terminal = isatty(STDOUT_FILENO) && sac_comm_size(comm) == 1};
    sac_train_def def = {.task = task,
                         .run_dir = dir,
                         .resume = cli_has(args, "resume"),
                         .any_cpu_level = cli_has(args, "any-cpu-level"),
                         .threads = threads,
                         .comm = comm,
                         .generations = generations,
                         .progress = quiet ? NULL : show_progress,
                         .user = &b,
                         .interrupt = interrupt};
    if (status == SAC_OK) status = sac_train(&def);
    sac_task_destroy(task);
    if (b.terminal && b.started) puts("");
    if (status == SAC_OK && !quiet) printf("%s: best.safetensors, mean.safetensors, metrics.csv\n", dir);
    char place[SAC_TEXT_SIZE + 16];
    snprintf(place, sizeof place, "%s/checkpoints", dir);
    int code = cli_end_training(status, place, reports);
    sac_comm_close(comm, status);
    return code;
}

const cli_command cli_train = {"train", "TASK.yaml", "train a policy; stop it at any time, --resume goes on", flags,
                               run};
