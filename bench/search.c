#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "saccade/evolve.h"

/// Search methods alone: the time of a generation, and evaluations to a target on test functions. The row's name says
/// which: search-METHOD, optionally with -PEER; evals-FUNCTION-N-METHOD to 1e-8; coarse-FUNCTION-N-METHOD to a
/// hundredth of where it began, which methods with a fixed step size can reach too. bench/peers/evals.py has the same
/// functions.

typedef double objective(const float *x, int n);

static double sphere(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

// axes 1 : 1000
static double ellipsoid(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += pow(1e6, i / (n - 1.0)) * (double)x[i] * (double)x[i];
    return sum;
}

// axes 1 : 10
static double gentle(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += pow(1e2, i / (n - 1.0)) * (double)x[i] * (double)x[i];
    return sum;
}

// the ellipsoid, reflected at (1, ..., 1), so that no axis is a coordinate
static double turned(const float *x, int n)
{
    double along = 0, sum = 0;
    for (int i = 0; i < n; i++) along += (double)x[i];
    for (int i = 0; i < n; i++)
    {
        double y = (double)x[i] - 2 * along / n;
        sum += pow(1e6, i / (n - 1.0)) * y * y;
    }
    return sum;
}

static double rosenbrock(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i + 1 < n; i++)
    {
        double a = (double)x[i], b = (double)x[i + 1];
        sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return sum;
}

static double rastrigin(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
    {
        double a = (double)x[i];
        sum += a * a - 10 * cos(6.2831853071795865 * a) + 10;
    }
    return sum;
}

/// Where a search begins: all coordinates at `start`.
typedef struct problem
{
    const char *name;
    objective *f;
    float start;
    const char *sigma;
    int population; // 0: the method's default
    bool each;      // population is a coordinate's
    double noise;   // standard deviation of what is told, as a share of the first value
} problem;

static const problem problems[] = {
    {"sphere", sphere, 1, "0.3", 0, false, 0},         {"ellipsoid", ellipsoid, 1, "0.3", 0, false, 0},
    {"gentle", gentle, 1, "0.3", 0, false, 0},         {"turned", turned, 1, "0.3", 0, false, 0},
    {"rosenbrock", rosenbrock, 0, "0.1", 0, false, 0}, {"rastrigin", rastrigin, 3, "2", 20, true, 0},
    {"noisy", sphere, 1, "0.3", 256, false, 0.1},
};

enum
{
    MAX_DIMENSION = 4096,
    MAX_SEEDS = 64,
    FINE_BUDGET = 50000, ///< evaluations a dimension, after which the target counts as not reached
    COARSE_BUDGET = 500000
};

typedef struct question
{
    const problem *problem;
    int n;
    const char *method;
    bool fine;
} question;

// "evals-sphere-40-cma-es"
static sac_status read_question(const char *name, question *q)
{
    const char *at = strchr(name, '-') + 1;
    *q = (question){.fine = strncmp(name, "evals-", 6) == 0};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    {
        size_t length = strlen(problems[i].name);
        if (strncmp(at, problems[i].name, length) != 0 || at[length] != '-') continue;
        char *end;
        q->problem = &problems[i];
        q->n = (int)strtol(at + length + 1, &end, 10);
        q->method = end + 1;
        if (q->n >= 2 && q->n <= MAX_DIMENSION && *end == '-') return SAC_OK;
    }
    return sac_fail(SAC_ERROR_ARGUMENT, "bench: '%s' is not a function, a dimension and a method", name);
}

static sac_status open_search(sac_search **search, const question *q, uint64_t seed)
{
    float start[MAX_DIMENSION];
    char population[16];
    for (int i = 0; i < q->n; i++) start[i] = q->problem->start;
    snprintf(population, sizeof population, "%d", q->problem->population * (q->problem->each ? q->n : 1));
    sac_setting settings[3] = {{"sigma", q->problem->sigma}};
    int count = 1;
    if (q->problem->population) settings[count++] = (sac_setting){"population", population};
    // the pull towards zero is for policies; here it moves the optimum
    if (strcmp(q->method, "openai-es") == 0) settings[count++] = (sac_setting){"l2", "0"};
    return sac_search_create(search, &(sac_search_def){.method = q->method,
                                                       .settings = settings,
                                                       .setting_count = count,
                                                       .dimension = q->n,
                                                       .x0 = start,
                                                       .seed = seed});
}

// evaluations until the mean is at the target, infinite when the budget ends or the search stops before
static sac_status count_evaluations(const question *q, uint64_t seed, double *evaluations)
{
    sac_search *search;
    SAC_TRY(open_search(&search, q, seed));
    int population = sac_search_population(search);
    double *fitness = SAC_NEW_ARRAY(double, (size_t)population);
    sac_status status = fitness ? SAC_OK : sac_fail_memory("a generation");
    float x[MAX_DIMENSION];
    sac_search_mean(search, x);
    double first = q->problem->f(x, q->n), target = q->fine ? 1e-8 : first / 100, noise = q->problem->noise * first;
    double budget = q->fine ? (double)FINE_BUDGET * q->n : COARSE_BUDGET;
    for (double done = 0; status == SAC_OK; done += population)
    {
        sac_search_mean(search, x);
        bool reached = q->problem->f(x, q->n) <= target;
        *evaluations = reached ? done : INFINITY;
        if (reached || done > budget || sac_search_stop(search)) break;
        status = sac_search_prepare(search);
        for (int i = 0; status == SAC_OK && i < population; i++)
        {
            sac_search_ask(search, i, x);
            double luck;
            sac_normals(&luck, 1, seed + 1000, sac_search_generation(search), (uint64_t)i);
            fitness[i] = noise * luck - q->problem->f(x, q->n);
        }
        if (status == SAC_OK) status = sac_search_tell(search, fitness);
    }
    sac_free(fitness);
    sac_search_destroy(search);
    return status;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

sac_status bench_evaluations(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    question q;
    double evaluations[MAX_SEEDS];
    int count = 0;
    SAC_TRY(read_question(place->row->name, &q));
    for (uint64_t seed = place->first_seed; seed <= place->last_seed && count < MAX_SEEDS; seed++)
        SAC_TRY(count_evaluations(&q, seed, &evaluations[count++]));
    qsort(evaluations, (size_t)count, sizeof *evaluations, by_value);
    *figure = (bench_figure){.value = evaluations[(count - 1) / 2], .worst = evaluations[count - 1], .runs = count};
    return SAC_OK;
}

enum
{
    DIMENSION = 3667,
    POPULATION = 256
};

// the method that the row's name begins with after "search-"; "sep-cma-es" before "sep"
static const char *method_of(const char *row)
{
    const char *name, *found = NULL;
    row += strlen("search-");
    for (int i = 0; (name = sac_search_method_at(i, NULL, NULL)) != NULL; i++)
        if (strncmp(row, name, strlen(name)) == 0 && (!found || strlen(name) > strlen(found))) found = name;
    return found ? found : row;
}

// seconds of this process alone, as the peers count: what else runs on the core is not the method's
static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// seconds of asking and telling, the fitness left out
static sac_status run_generation(sac_search *search, double *seconds)
{
    static float x[POPULATION][DIMENSION];
    double fitness[POPULATION], begin = cpu_now();
    SAC_TRY(sac_search_prepare(search));
    for (int i = 0; i < POPULATION; i++) sac_search_ask(search, i, x[i]);
    *seconds += cpu_now() - begin;
    for (int i = 0; i < POPULATION; i++) fitness[i] = -sphere(x[i], DIMENSION);
    begin = cpu_now();
    sac_status status = sac_search_tell(search, fitness);
    *seconds += cpu_now() - begin;
    return status;
}

sac_status bench_search(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    sac_setting settings[] = {{"population", "256"}, {"sigma", "0.1"}};
    sac_search_def def = {
        .method = method_of(place->row->name), .settings = settings, .setting_count = 2, .dimension = DIMENSION};
    sac_search *search;
    SAC_TRY(sac_search_create(&search, &def));
    // 6 generations hold two of the eigendecompositions that the full form needs in every third one
    bool full = strstr(def.method, "cma-es") && !strstr(def.method, "sep");
    int generations = full ? 6 : 40;
    sac_status status = SAC_OK;
    double seconds = 0;
    for (int i = 0; status == SAC_OK && i < generations; i++) status = run_generation(search, &seconds);
    bench_keep(figure, seconds / generations * 1e3, false);
    sac_search_destroy(search);
    return status;
}
