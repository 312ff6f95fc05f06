#include "search_scene.h"

/// How many evaluations the methods need on test functions. The budgets are what the papers' figures and bounds lead
/// one to expect, so that a change that costs learning shows. The mean must reach the target from (1, ..., 1),
/// Rosenbrock's from 0.

typedef struct climb
{
    const char *method, *settings;
    objective *f;
    int n;
    double target;
    int budget; // evaluations
} climb;

static const climb climbs[] = {
    // CMA-ES (Hansen and Ostermeier 2001): in time linear in n on the sphere, about 150 n to 1e-8, and in time n^2 on
    // valleys, where the covariance has n^2 / 2 numbers to learn: 30 n^2 on the ellipsoid, twice that on Rosenbrock
    {"cma-es", "sigma=0.3", sphere, 20, 1e-8, 150 * 20},
    {"cma-es", "sigma=0.3", ellipsoid, 20, 1e-8, 30 * 20 * 20},
    {"cma-es", "sigma=0.1", rosenbrock, 20, 1e-8, 60 * 20 * 20},
    // sep-CMA-ES (Ros and Hansen 2008): linear in n on separable functions, the ellipsoid included
    {"sep-cma-es", "sigma=0.3", sphere, 100, 1e-8, 150 * 100},
    {"sep-cma-es", "sigma=0.3", ellipsoid, 100, 1e-8, 300 * 100},
    // LM-MA-ES (Loshchilov et al. 2017): like CMA-ES on the sphere, and on Rosenbrock
    {"lm-ma-es", "sigma=0.3", sphere, 100, 1e-8, 150 * 100},
    {"lm-ma-es", "sigma=0.1", rosenbrock, 20, 1e-8, 75 * 20 * 20},
    {"lm-ma-es", "sigma=0.1", rosenbrock, 50, 1e-8, 60 * 50 * 50},
    // SNES (Schaul et al. 2011): linear in n on separable functions, at about half the speed
    {"snes", "sigma=0.3", sphere, 100, 1e-8, 300 * 100},
    {"snes", "sigma=0.3", ellipsoid, 100, 1e-8, 400 * 100},
    // Adam moves each coordinate by at most its rate: 1 / 0.05 = 20 generations at least. Three times that
    {"openai-es", "population=40 sigma=0.05 rate=0.05 l2=0", sphere, 20, 0.2, 60 * 40},
    {"openai-es", "population=40 sigma=0.05 rate=0.05 l2=0", ellipsoid, 20, 400, 60 * 40},
    // ClipUp's speed is at most twice its rate, sigma sqrt(n) / 15: 150 generations at least. Twice that
    {"pgpe", "population=40 sigma=0.1", sphere, 20, 0.2, 300 * 40},
    {"pgpe", "population=40 sigma=0.1", rosenbrock, 20, 17, 300 * 40},
    // differences over their deviation: the move is about rate / sqrt(b) by coordinate from noise and up to rate
    // sqrt(2)
    // along the gradient, 63 generations at least. Twice that
    {"ars", "population=40 sigma=0.05 rate=0.05", sphere, 20, 0.2, 126 * 40},
    {"bgs", "population=40 sigma=0.05 rate=0.05", sphere, 20, 0.2, 126 * 40},
    // over 2 sigma it is the gradient itself, 2 x: a tenth of the way in each of ln 10 / 0.1 generations. Twice that
    {"bgs", "population=40 sigma=0.05 rate=0.05 normalise=sigma", sphere, 20, 0.2, 46 * 40},
    // mutation alone: a baseline, with no bound but that it gets there
    {"ga", "population=200 sigma=0.1", sphere, 20, 0.5, 200 * 100},
};

TEST(every_method_climbs_within_its_budget)
{
    for (size_t i = 0; i < sizeof climbs / sizeof *climbs; i++)
    {
        const climb *c = &climbs[i];
        float x0[128];
        for (int j = 0; j < c->n; j++) x0[j] = c->f == rosenbrock ? 0 : 1;
        sac_search *search = make_search(c->method, c->settings, c->n, x0, 2);
        int population = sac_search_population(search), limit = c->budget / population + 1;
        int generations = generations_to(search, c->f, -c->target, limit);
        const char *name = c->f == sphere ? "sphere" : c->f == ellipsoid ? "ellipsoid" : "rosenbrock";
        print_message("%-10s n = %3d %-10s to %-6g %6d evaluations, at most %d\n", name, c->n, c->method, c->target,
                      generations * population, c->budget);
        if (generations >= limit) fail_msg("not reached");
        sac_search_destroy(search);
    }
}

// on a rotated valley the diagonal is lost and a few dozen vectors are not
static double cigar(const float *x, int n)
{
    double along = 0, sum = 0;
    for (int i = 0; i < n; i++) along += (double)x[i] / sqrt(n);
    for (int i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return -(1e4 * (sum - along * along) + along * along);
}

TEST(limited_memory_follows_a_rotated_valley)
{
    enum
    {
        SIZE = 100
    };
    static const char *const methods[] = {"lm-ma-es", "sep-cma-es"};
    int generations[2];
    for (int m = 0; m < 2; m++)
    {
        float x0[SIZE];
        for (int i = 0; i < SIZE; i++) x0[i] = 1;
        sac_search *search = make_search(methods[m], "sigma=0.1", SIZE, x0, 2);
        generations[m] = generations_to(search, cigar, -1e-6, 10000);
        print_message("turned cigar, n = %d, %s: %d generations\n", SIZE, methods[m], generations[m]);
        sac_search_destroy(search);
    }
    assert_true(generations[0] < 10000);
    assert_true(generations[1] > 2 * generations[0]);
}

TESTS(every_method_climbs_within_its_budget, limited_memory_follows_a_rotated_valley)
