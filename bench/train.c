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

// A run of a task, begun or gone on with until it reaches the target, or to its end where there is none.
typedef struct part
{
    const char *task;
    char seed[32], run[96], teacher[160];
    double target; ///< NaN: none
} part;

static part part_of(const bench_place *place, const char *task, const char *name, uint64_t seed, double target)
{
    part p = {.task = task, .target = target};
    snprintf(p.seed, sizeof p.seed, "%llu", (unsigned long long)seed);
    snprintf(p.run, sizeof p.run, "%s/%sseed-%llu", place->folder, name, (unsigned long long)seed);
    return p;
}

static sac_status go_on(const part *p, bool begun)
{
    sac_setting settings[] = {{"train.seed", p->seed}, {"teacher.policy", p->teacher}};
    sac_task *task;
    SAC_TRY(sac_task_load(&task, p->task, settings, p->teacher[0] ? 2 : 1));
    watch w = {.crossing = bench_crossing_of(p->target)};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    fprintf(stderr, "%s, seed %s, on %ld cores\n", p->task, p->seed, cores);
    sac_status status = sac_train(&(sac_train_def){.task = task,
                                                   .run_dir = p->run,
                                                   .resume = begun,
                                                   .threads = (int)cores,
                                                   .progress = on_progress,
                                                   .user = &w,
                                                   .interrupt = &w.reached});
    sac_task_destroy(task);
    return status == SAC_ERROR_INTERRUPTED && w.reached ? SAC_OK : status;
}

// Measure the seconds to the target; infinite when the task's generations end before that.
static sac_status time_part(const part *p, double *seconds)
{
    bool begun = access(p->run, F_OK) == 0;
    if (begun) SAC_TRY(find_time(p->run, p->target, seconds));
    if (begun && isfinite(*seconds)) return SAC_OK;
    SAC_TRY(go_on(p, begun));
    return find_time(p->run, p->target, seconds);
}

static sac_status train_to(const bench_place *place, uint64_t seed, double target, double *seconds)
{
    part p = part_of(place, place->task, "", seed, target);
    return time_part(&p, seconds);
}

// A teacher that is told the state learns to its end, and then a student from it, to the target: the seconds of both.
static sac_status teach_to(const bench_place *place, uint64_t seed, double target, double *seconds)
{
    part teacher = part_of(place, "tasks/car-racing-teacher.yaml", "teacher-", seed, (double)NAN);
    part student = part_of(place, "tasks/car-racing-student.yaml", "student-", seed, target);
    snprintf(student.teacher, sizeof student.teacher, "%s/best.safetensors", teacher.run);
    if (access(student.teacher, F_OK) != 0) SAC_TRY(go_on(&teacher, access(teacher.run, F_OK) == 0));
    sac_metrics m = {0};
    SAC_TRY(sac_metrics_read(&m, teacher.run));
    double before = m.count > 0 ? m.values[SAC_METRIC_SECONDS][m.count - 1] : 0;
    sac_metrics_clear(&m);
    SAC_TRY(time_part(&student, seconds));
    *seconds += before;
    return SAC_OK;
}

typedef sac_status time_seed(const bench_place *place, uint64_t seed, double target, double *seconds);

static sac_status measure_training(const bench_place *place, time_seed *time, double target, bench_figure *figure)
{
    double seconds[MAX_SEEDS];
    int count = 0;
    bench_pin(place, false);
    for (uint64_t seed = place->first_seed; seed <= place->last_seed && count < MAX_SEEDS; seed++)
        SAC_TRY(time(place, seed, target, &seconds[count++]));
    bench_pin(place, true);
    sac_sort_numbers(seconds, (size_t)count);
    *figure = (bench_figure){.value = seconds[(count - 1) / 2], .worst = seconds[count - 1], .runs = count};
    return SAC_OK;
}

sac_status bench_train_800(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_training(place, train_to, 800, figure);
}

sac_status bench_train_850(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_training(place, train_to, 850, figure);
}

sac_status bench_train_900(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_training(place, train_to, 900, figure);
}

sac_status bench_teach_900(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    return measure_training(place, teach_to, 900, figure);
}
