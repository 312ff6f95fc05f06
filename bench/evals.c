#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "bench.h"
#include "saccade/evolve.h"

/// Evaluations that a search needs until its mean reaches a target: the median over --seeds with the 95 % interval of
/// its bootstrap. The row's name says which search and target. evals-FUNCTION-N-METHOD, optionally with -PEER, goes to
/// 1e-8 (cart-pole: to the cost of a good controller). coarse-FUNCTION-N-METHOD goes to a hundredth of the first value,
/// which methods with a fixed step size can reach too. bench/peers/evals.py has the same functions.

typedef double objective(const float *x, int n);

double bench_sphere(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

// An ellipsoid with axes 1 : 1000.
static double ellipsoid(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += pow(1e6, i / (n - 1.0)) * (double)x[i] * (double)x[i];
    return sum;
}

// An ellipsoid with axes 1 : 10.
static double gentle(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += pow(1e2, i / (n - 1.0)) * (double)x[i] * (double)x[i];
    return sum;
}

// The ellipsoid, reflected so that no axis is a coordinate; the reflection exchanges (1, ..., 1) with its opposite.
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

// One step of 0.02 s of a pole of half a metre and 0.1 kg on a cart of 1 kg. The state is position, speed, angle and
// angular speed.
static void step_cart(double s[4], double force)
{
    const double total = 1.1, moment = 0.05, gravity = 9.8, half = 0.5, dt = 0.02;
    double sine = sin(s[2]), cosine = cos(s[2]);
    double push = (force + moment * s[3] * s[3] * sine) / total;
    double turn = (gravity * sine - cosine * push) / (half * (4.0 / 3 - 0.1 * cosine * cosine / total));
    double slide = push - moment * turn * cosine / total;
    s[0] += dt * s[1];
    s[1] += dt * slide;
    s[2] += dt * s[3];
    s[3] += dt * turn;
}

// The cost of a controller that should bring a leaning pole upright and the cart to the middle. x holds n / 5 hidden
// units, each with four input weights and one output weight for the force. It is the mean over 150 steps from four
// starts.
static double cart_pole(const float *x, int n)
{
    static const double starts[4][4] = {{0.2, 0, 0.05, 0}, {-0.2, 0, -0.1, 0.1}, {0, 0.1, 0.1, -0.1}, {0.3, 0, 0, 0.1}};
    double cost = 0;
    for (int k = 0; k < 4; k++)
    {
        double s[4];
        memcpy(s, starts[k], sizeof s);
        for (int t = 0; t < 150; t++)
        {
            double sum = 0;
            for (const float *w = x; w + 5 <= x + n; w += 5)
                sum += (double)w[4] *
                       tanh((double)w[0] * s[0] + (double)w[1] * s[1] + (double)w[2] * s[2] + (double)w[3] * s[3]);
            double force = tanh(sum);
            step_cart(s, 10 * force);
            cost += 1 - cos(s[2]) + 0.05 * fmin(s[0] * s[0], 25) + 0.001 * force * force;
        }
    }
    return cost / 600;
}

/// The start of a search: all coordinates are `start`.
typedef struct problem
{
    const char *name;
    objective *f;
    float start;
    const char *sigma;
    int population; // 0: the method's default
    bool each;      // population is a coordinate's
    double noise;   // standard deviation of the noise that is added, as a share of the first value
    double target;
    int budget; // evaluations a coordinate, after which the target counts as not reached
} problem;

// clang-format off
static const problem problems[] = {
    {"sphere",     bench_sphere,     1, "0.3", 0,   false, 0,   1e-8, 50000},
    {"ellipsoid",  ellipsoid,  1, "0.3", 0,   false, 0,   1e-8, 50000},
    {"gentle",     gentle,     1, "0.3", 0,   false, 0,   1e-8, 50000},
    {"turned",     turned,     1, "0.3", 0,   false, 0,   1e-8, 50000},
    {"rosenbrock", rosenbrock, 0, "0.1", 0,   false, 0,   1e-8, 50000},
    {"rastrigin",  rastrigin,  3, "2",   20,  true,  0,   1e-8, 50000},
    {"cartpole",   cart_pole,  0.3f, "0.3", 0,   false, 0,   0.0013, 1000},
    {"noisy",      bench_sphere,     1, "0.3", 256, false, 0.1, 1e-8, 50000},
};
// clang-format on

enum
{
    MAX_DIMENSION = 4096,
    MAX_SEEDS = 64,
    COARSE_BUDGET = 500000
};

typedef struct question
{
    const problem *problem;
    int n;
    char method[48];
    bool fine;
} question;

// "evals-bench_sphere-40-cma-es"
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
        if (q->n < 2 || q->n > MAX_DIMENSION || *end != '-') break;
        snprintf(q->method, sizeof q->method, "%s", end + 1);
        // the peer's name may follow that of the method
        static const char *const peers[] = {"-evosax", "-evojax"};
        for (size_t p = 0, size = strlen(q->method), end_size; p < sizeof peers / sizeof *peers; p++)
        {
            end_size = strlen(peers[p]);
            if (size > end_size && strcmp(q->method + size - end_size, peers[p]) == 0) q->method[size - end_size] = 0;
        }
        return SAC_OK;
    }
    return sac_fail(SAC_ERROR_ARGUMENT, "bench: '%s' is not a function, a dimension and a method", name);
}

static sac_status open_search(sac_search **search, const question *q, uint64_t seed)
{
    float start[MAX_DIMENSION];
    char population[16];
    for (int i = 0; i < q->n; i++) start[i] = q->problem->start;
    snprintf(population, sizeof population, "%d", q->problem->population * (q->problem->each ? q->n : 1));
    sac_setting settings[4] = {{"sigma", q->problem->sigma}};
    int count = 1;
    if (q->problem->population) settings[count++] = (sac_setting){"population", population};
    // pycma does this by itself
    if (q->fine && q->n >= 300 && strstr(q->method, "cma-es")) settings[count++] = (sac_setting){"two_point", "true"};
    // The pull towards zero is meant for policies; here it would move the optimum.
    if (strcmp(q->method, "openai-es") == 0) settings[count++] = (sac_setting){"l2", "0"};
    return sac_search_create(search, &(sac_search_def){.method = q->method,
                                                       .settings = settings,
                                                       .setting_count = count,
                                                       .dimension = q->n,
                                                       .x0 = start,
                                                       .seed = seed});
}

// Count evaluations until the mean reaches the target; infinite when the budget ends or the search stops before that.
static sac_status count_evaluations(const question *q, uint64_t seed, double *evaluations)
{
    sac_search *search;
    SAC_TRY(open_search(&search, q, seed));
    int population = sac_search_population(search);
    double *fitness = SAC_NEW_ARRAY(double, (size_t)population);
    sac_status status = fitness ? SAC_OK : sac_fail_memory("a generation");
    float x[MAX_DIMENSION];
    sac_search_mean(search, x);
    double first = q->problem->f(x, q->n), target = q->fine ? q->problem->target : first / 100,
           noise = q->problem->noise * first;
    double budget = q->fine ? (double)q->problem->budget * q->n : COARSE_BUDGET;
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

// Compute the 95 % interval of the median of so many sorted numbers, by drawing them again with replacement.
static void bootstrap(const double *sorted, int count, double *low, double *high)
{
    enum
    {
        DRAWS = 4000
    };
    static double medians[DRAWS];
    sac_stream stream = sac_stream_create(95, 0, 0);
    for (int i = 0; i < DRAWS; i++)
    {
        double again[MAX_SEEDS];
        for (int k = 0; k < count; k++) again[k] = sorted[sac_stream_below(&stream, (uint32_t)count)];
        sac_sort_numbers(again, (size_t)count);
        medians[i] = again[(count - 1) / 2];
    }
    sac_sort_numbers(medians, DRAWS);
    *low = medians[DRAWS / 40];
    *high = medians[DRAWS - 1 - DRAWS / 40];
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
    sac_sort_numbers(evaluations, (size_t)count);
    *figure = (bench_figure){.value = evaluations[(count - 1) / 2], .worst = evaluations[count - 1], .runs = count};
    if (count > 2) bootstrap(evaluations, count, &figure->low, &figure->high);
    return SAC_OK;
}
