// Ask and tell: CMA-ES climbs down Rosenbrock's valley in eight dimensions.

#include <stdio.h>
#include <stdlib.h>

#include "saccade/evolve.h"

enum
{
    N = 8
};

static void check(sac_status status)
{
    if (status == SAC_OK) return;
    fprintf(stderr, "%s\n", sac_last_error());
    exit(1);
}

static double fitness_of(const float *x) // larger is better
{
    double loss = 0;
    for (int i = 0; i + 1 < N; i++)
    {
        double valley = (double)x[i + 1] - (double)x[i] * (double)x[i], ahead = 1 - (double)x[i];
        loss += 100 * valley * valley + ahead * ahead;
    }
    return -loss;
}

int main(void)
{
    const sac_setting settings[] = {{"sigma", "0.2"}, {"population", "12"}};
    sac_search *search;
    check(sac_search_create(
        &search,
        &(sac_search_def){.method = "cma-es", .settings = settings, .setting_count = 2, .dimension = N, .seed = 1}));

    float x[N];
    double fitness[12];
    do
    {
        check(sac_search_prepare(search));
        for (int i = 0; i < sac_search_population(search); i++)
        {
            sac_search_ask(search, i, x);
            fitness[i] = fitness_of(x);
        }
        check(sac_search_tell(search, fitness));
        sac_search_mean(search, x);
    } while (!sac_search_stop(search) && fitness_of(x) < -1e-6 && sac_search_generation(search) < 2000);

    printf("loss %.1e after %d generations\n", -fitness_of(x), (int)sac_search_generation(search));
    sac_search_destroy(search);
    return fitness_of(x) < -1e-6;
}
