#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "bench.h"
#include "saccade/evolve.h"

/// The time of a generation of a search method. The row's name says which method: search-METHOD, optionally with -PEER.

enum
{
    DIMENSION = 3667,
    POPULATION = 256
};

// Find the method that the row's name begins with after "search-". The longest name counts.
static const char *method_of(const char *row)
{
    const char *name, *found = NULL;
    row += strlen("search-");
    for (int i = 0; (name = sac_search_method_at(i, NULL, NULL)) != NULL; i++)
        if (strncmp(row, name, strlen(name)) == 0 && (!found || strlen(name) > strlen(found))) found = name;
    return found ? found : row;
}

// The processor time of this process, as the peers count it, because other work on the core is not the method's.
// Measure the seconds of asking and telling, without the fitness.
static sac_status run_generation(sac_search *search, double *seconds)
{
    static float x[POPULATION][DIMENSION];
    double fitness[POPULATION], begin = sac_clock_of_processor();
    SAC_TRY(sac_search_prepare(search));
    for (int i = 0; i < POPULATION; i++) sac_search_ask(search, i, x[i]);
    *seconds += sac_clock_of_processor() - begin;
    for (int i = 0; i < POPULATION; i++) fitness[i] = -bench_sphere(x[i], DIMENSION);
    begin = sac_clock_of_processor();
    sac_status status = sac_search_tell(search, fitness);
    *seconds += sac_clock_of_processor() - begin;
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
    // Six generations hold two of the eigendecompositions that the full form needs in every third generation.
    bool full = strstr(def.method, "cma-es") && !strstr(def.method, "sep");
    int generations = full ? 6 : 40;
    sac_status status = SAC_OK;
    double seconds = 0;
    for (int i = 0; status == SAC_OK && i < generations; i++) status = run_generation(search, &seconds);
    bench_keep(figure, seconds / generations * 1e3, false);
    sac_search_destroy(search);
    return status;
}
