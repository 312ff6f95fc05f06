#define _GNU_SOURCE
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "bench.h"
#include "saccade/train.h"

/// Time from nothing to a held-out score, as the run itself reports it: the first evaluation at or above the target.

enum
{
    MAX_SEEDS = 32
};

static const char task_path[] = "tasks/car-racing-linear.yaml";

typedef struct watch
{
    double target, seconds;
    volatile int reached;
} watch;

static void on_progress(void *user, const sac_progress *progress)
{
    watch *w = user;
    if (!progress->evaluated || w->reached) return;
    fprintf(stderr, "  %6.1f s  %5.1f M steps  held-out %.1f +- %.1f\n", progress->seconds,
            (double)progress->steps * 1e-6, progress->evaluation.mean, progress->evaluation.std);
    if (progress->evaluation.mean < w->target) return;
    w->seconds = progress->seconds;
    w->reached = 1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

// seconds to the target for one training seed; infinite when the task's generations end before
static sac_status train_once(const bench_place *place, uint64_t seed, double target, double *seconds)
{
    char value[32], folder[96];
    snprintf(value, sizeof value, "%llu", (unsigned long long)seed);
    snprintf(folder, sizeof folder, "%s/run", place->folder);
    sac_setting setting = {"train.seed", value};
    sac_task *task;
    SAC_TRY(sac_task_load(&task, task_path, &setting, 1));
    watch w = {.target = target, .seconds = INFINITY};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    fprintf(stderr, "training seed %s on %ld cores\n", value, cores);
    sac_status status = sac_train(&(sac_train_def){.task = task,
                                                   .run_dir = folder,
                                                   .threads = (int)cores,
                                                   .progress = on_progress,
                                                   .user = &w,
                                                   .interrupt = &w.reached});
    sac_task_destroy(task);
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    *seconds = w.seconds;
    return status == SAC_ERROR_INTERRUPTED && w.reached ? SAC_OK : status;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static sac_status measure_training(const bench_place *place, double target, bench_figure *figure)
{
    double seconds[MAX_SEEDS];
    int count = 0;
    bench_pin(place, false);
    for (uint64_t seed = place->first_seed; seed <= place->last_seed && count < MAX_SEEDS; seed++)
        SAC_TRY(train_once(place, seed, target, &seconds[count++]));
    bench_pin(place, true);
    qsort(seconds, (size_t)count, sizeof *seconds, by_value);
    *figure = (bench_figure){.value = seconds[(count - 1) / 2], .worst = seconds[count - 1], .runs = count};
    return SAC_OK;
}

sac_status bench_train_800(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_training(place, 800, figure);
}

sac_status bench_train_850(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_training(place, 850, figure);
}

sac_status bench_train_900(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_training(place, 900, figure);
}
