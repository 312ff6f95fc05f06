#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "bench.h"
#include "moment.h"

/// Rows of stance control: from a moment to forces, each from a cold start, beside a solver of quadratic programs that
/// is given the finished problems.

enum
{
    MOMENTS = 1000,
    RUNS = 7,
    LONG_RUNS = 40 // by which the slowest moment is found
};

typedef struct row_of_moments
{
    sac_stance *stance;
    bool instant;
    int count;
    sac_stance_input inputs[MOMENTS];
    double least[MOMENTS]; // microseconds, over all runs
} row_of_moments;

static sac_stance_output solve(row_of_moments *m, int i)
{
    sac_stance_reset(m->stance);
    return m->instant ? sac_stance_instant(m->stance, &m->inputs[i]) : sac_stance_solve(m->stance, &m->inputs[i]);
}

static double time_of(row_of_moments *m, int i, sac_qp_outcome *outcome)
{
    const double begin = sac_clock();
    *outcome = solve(m, i).solution.outcome;
    return (sac_clock() - begin) * 1e6;
}

// Keep the moment alone whose least time is the longest.
static void keep_slowest(row_of_moments *m)
{
    double longest = -1;
    int slowest = 0;
    for (int i = 0; i < m->count; i++)
    {
        double least = 1e300;
        sac_qp_outcome outcome;
        for (int run = 0; run < LONG_RUNS; run++) least = fmin(least, time_of(m, i, &outcome));
        if (least > longest) longest = least, slowest = i;
    }
    m->inputs[0] = m->inputs[slowest];
    m->count = 1;
}

static void put(FILE *file, const double *numbers, int count)
{
    fwrite(numbers, sizeof *numbers, (size_t)count, file);
}

// The problems and our costs for the peer: their number, then of each n, m, P, q, A, lower, upper, cost.
static sac_status write_problems(row_of_moments *m, const bench_place *place)
{
    char path[128];
    snprintf(path, sizeof path, "%s/problems", place->folder);
    FILE *file = fopen(path, "wb");
    if (!file) return sac_fail(SAC_ERROR_FILE, "bench: %s cannot be written", path);
    put(file, &(double){m->count}, 1);
    for (int i = 0; i < m->count; i++)
    {
        const sac_stance_output out = solve(m, i);
        const sac_qp_problem *p = sac_stance_problem(m->stance, NULL);
        const int n = p->variables, rows = p->rows;
        put(file, (const double[]){n, rows}, 2);
        put(file, p->p, n * n), put(file, p->q, n), put(file, p->a, rows * n);
        put(file, p->lower, rows), put(file, p->upper, rows), put(file, &out.solution.cost, 1);
    }
    const bool good = !ferror(file);
    if (fclose(file) == 0 && good) return SAC_OK;
    return sac_fail(SAC_ERROR_FILE, "bench: %s cannot be written", path);
}

static sac_status measure_moments(row_of_moments *m, bench_figure *figure)
{
    const double before = figure->value; // of an earlier call
    for (int i = 0; i < m->count; i++) m->least[i] = 1e300;
    for (int run = 0; run < RUNS; run++)
    {
        double all = 0;
        for (int i = 0; i < m->count; i++)
        {
            sac_qp_outcome outcome;
            const double time = time_of(m, i, &outcome);
            if (outcome != SAC_QP_SOLVED)
                return sac_fail(SAC_ERROR_DIVERGED, "bench: problem %d of stance control was not solved", i);
            all += time;
            if (time < m->least[i]) m->least[i] = time;
        }
        bench_keep(figure, all / m->count, false);
    }
    // as for the peer, what counts is the least of each: a machine that does something else for a moment slows one
    double mean = 0;
    for (int i = 0; i < m->count; i++) mean += m->least[i] / m->count;
    figure->value = before > 0 && before < mean ? before : mean;
    sac_sort_numbers(m->least, (size_t)m->count);
    if (m->count == 1) return SAC_OK;
    figure->p50 = m->least[m->count / 2];
    figure->p99 = m->least[(int)(0.99 * m->count)];
    return SAC_OK;
}

sac_status bench_stance(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    static row_of_moments m; // one thread benches
    const char *name = place->row->name;
    const sac_stance_def def = sac_stance_default_def();
    m.instant = strcmp(name, "stance-one") == 0;
    m.count = MOMENTS;
    SAC_TRY(sac_stance_create(&m.stance, &def));
    sac_stream s = sac_stream_create(1, 2, 3);
    for (int i = 0; i < MOMENTS; i++)
        m.inputs[i] = bench_moment(&s, m.instant ? 2 + 2 * (i % 2) : strncmp(name, "stance-2", 8) == 0 ? 2 : 4);
    if (strstr(name, "-slowest")) keep_slowest(&m);
    sac_status status = write_problems(&m, place);
    if (status == SAC_OK) status = measure_moments(&m, figure);
    sac_stance_destroy(m.stance);
    return status;
}
