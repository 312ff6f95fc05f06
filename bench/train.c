#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "bench.h"
#include "crossing.h"
#include "saccade/train.h"
#include "show/plots/metrics.h"

/// The time from nothing to a held-out score, as the run itself reports it: the time of the second of the first two
/// consecutive evaluations whose mean reaches the target. A seed's run is kept while rows are measured, and a later row
/// continues it.

enum
{
    MAX_SEEDS = 32
};

typedef struct watch
{
    bench_crossing crossing;
    volatile int reached;
} watch;

static void on_progress(void *user, const sac_progress *progress)
{
    watch *w = user;
    if (!progress->evaluated) return;
    fprintf(stderr, "  %6.1f s  %5.1f M steps  held-out %.1f +- %.1f\n", progress->seconds,
            (double)progress->steps * 1e-6, progress->evaluation.mean, progress->evaluation.std);
    if (bench_crosses(&w->crossing, progress->evaluation.mean)) w->reached = 1;
}

// When the run's evaluations reached the target; infinite where none has yet.
static sac_status find_time(const char *run, double target, double *seconds)
{
    *seconds = INFINITY;
    sac_metrics m = {0};
    SAC_TRY(sac_metrics_read(&m, run));
    bench_crossing crossing = bench_crossing_of(target);
    for (int i = 0; i < m.count && !isfinite(*seconds); i++)
    {
        double evaluation = m.values[SAC_METRIC_EVAL_MEAN][i];
        if (isfinite(evaluation) && bench_crosses(&crossing, evaluation)) *seconds = m.values[SAC_METRIC_SECONDS][i];
    }
    sac_metrics_clear(&m);
    return SAC_OK;
}

// Measure the seconds to the target for one training seed; infinite when the task's generations end before that.
static sac_status train_to(const bench_place *place, uint64_t seed, double target, double *seconds)
{
    char value[32], run[96];
    snprintf(value, sizeof value, "%llu", (unsigned long long)seed);
    snprintf(run, sizeof run, "%s/seed-%llu", place->folder, (unsigned long long)seed);
    bool begun = access(run, F_OK) == 0;
    if (begun) SAC_TRY(find_time(run, target, seconds));
    if (begun && isfinite(*seconds)) return SAC_OK;

    sac_setting setting = {"train.seed", value};
    sac_task *task;
    SAC_TRY(sac_task_load(&task, place->task, &setting, 1));
    watch w = {.crossing = bench_crossing_of(target)};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    fprintf(stderr, "training seed %s to %.0f on %ld cores\n", value, target, cores);
    sac_status status = sac_train(&(sac_train_def){.task = task,
                                                   .run_dir = run,
                                                   .resume = begun,
                                                   .threads = (int)cores,
                                                   .progress = on_progress,
                                                   .user = &w,
                                                   .interrupt = &w.reached});
    sac_task_destroy(task);
    if (status != SAC_OK && !(status == SAC_ERROR_INTERRUPTED && w.reached)) return status;
    return find_time(run, target, seconds);
}

static sac_status measure_training(const bench_place *place, double target, bench_figure *figure)
{
    double seconds[MAX_SEEDS];
    int count = 0;
    bench_pin(place, false);
    for (uint64_t seed = place->first_seed; seed <= place->last_seed && count < MAX_SEEDS; seed++)
        SAC_TRY(train_to(place, seed, target, &seconds[count++]));
    bench_pin(place, true);
    sac_sort_numbers(seconds, (size_t)count);
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
