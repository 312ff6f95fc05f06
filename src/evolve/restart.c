#include "evolve/restart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"

enum
{
    MAX_POPULATION = 1000000,
    SEEDS = 0x7265, ///< names the random streams of a search's seed that restarts draw from
    DRAWS = 0x7266
};

sac_status sac_restart_create(sac_restart **out, const sac_search *search, sac_common *config)
{
    *out = NULL;
    sac_restart *r = SAC_NEW(sac_restart);
    if (!r) return sac_fail_memory("restarts");
    size_t n = (size_t)search->dimension;
    *r =
        (sac_restart){.config = config, .population = search->population, .sigma = config->sigma, .seed = search->seed};
    r->start = SAC_NEW_ARRAY(double, n);
    sac_status status = r->start ? sac_restart_begin(r, search) : sac_fail_memory("restarts");
    if (status != SAC_OK)
    {
        sac_restart_destroy(r);
        return status;
    }
    memcpy(r->start, search->mean, n * sizeof *r->start);
    *out = r;
    return SAC_OK;
}

void sac_restart_destroy(sac_restart *r)
{
    if (!r) return;
    sac_free(r->start);
    sac_free(r->history);
    sac_free(r);
}

static double power(double base, double exponent)
{
    return sac_series_exp(exponent * sac_series_log(base));
}

static double large_population(const sac_restart *r)
{
    return r->population * power(r->config->restart_growth, r->numbers[SAC_RESTART_LARGE]);
}

// Choose population and sigma of the restart. A small population lies at random between that of the first search and
// half of the large one.
static void size_of(const sac_restart *r, double *population, double *sigma)
{
    *population = large_population(r);
    *sigma = r->sigma;
    if (r->numbers[SAC_RESTART_IS_SMALL] == 0) return;
    sac_stream stream = sac_stream_create(r->seed, DRAWS, (uint64_t)r->numbers[SAC_RESTART_COUNT]);
    double u = sac_stream_uniform(&stream, 0, 1), v = sac_stream_uniform(&stream, 0, 1);
    *population = r->population * fmax(1, power(*population / r->population / 2, u * u));
    *sigma = r->sigma * power(10, -2 * v);
}

void sac_restart_choose(sac_restart *r, const sac_search *search, const char *reason)
{
    double *numbers = r->numbers, spent = search->generation * search->population;
    numbers[numbers[SAC_RESTART_IS_SMALL] != 0 ? SAC_RESTART_SPENT_SMALL : SAC_RESTART_SPENT] += spent;
    if (numbers[SAC_RESTART_IS_SMALL] == 0) numbers[SAC_RESTART_LAST_LARGE] = spent;
    numbers[SAC_RESTART_COUNT]++;
    // the first restart is always a large one
    bool both = strcmp(r->config->restart_rule, "bipop") == 0 && numbers[SAC_RESTART_LARGE] > 0;
    numbers[SAC_RESTART_IS_SMALL] = both && numbers[SAC_RESTART_SPENT_SMALL] < numbers[SAC_RESTART_SPENT];
    if (numbers[SAC_RESTART_IS_SMALL] == 0) numbers[SAC_RESTART_LARGE]++;
    snprintf(r->note, sizeof r->note, "restart %.0f after %.0f generations: %s", numbers[SAC_RESTART_COUNT],
             search->generation, reason);
}

void sac_restart_apply(const sac_restart *r, sac_search *search)
{
    double population, sigma, count = r->numbers[SAC_RESTART_COUNT];
    size_of(r, &population, &sigma);
    // The population is even, for methods whose candidates come in pairs; the first search keeps what it was given.
    int pairs = (int)(fmin(population, MAX_POPULATION) / 2 + 0.5);
    r->config->population = count > 0 ? 2 * pairs : r->population;
    r->config->sigma = sigma;
    search->seed = count > 0 ? sac_mix_seed(r->seed, SEEDS, (uint64_t)count) : r->seed;
    memcpy(search->mean, r->start, (size_t)search->dimension * sizeof *search->mean);
    if (count == 0 || r->config->restart_spread == 0) return;
    for (int i = 0; i < search->dimension; i += 2)
    {
        double luck[2];
        sac_normals_from(luck, (size_t)i, 2, search->seed, UINT64_MAX, 0);
        for (int j = 0; j < 2 && i + j < search->dimension; j++)
            search->mean[i + j] += r->config->restart_spread * luck[j];
    }
}

// How many generations' best fitness must differ for the search to go on.
static int tolerance_length(const sac_restart *r, const sac_search *search)
{
    return r->config->restart_tolerance > 0 ? 10 + (int)ceil(30.0 * search->dimension / search->population) : 0;
}

sac_status sac_restart_begin(sac_restart *r, const sac_search *search)
{
    int length = tolerance_length(r, search), stagnation = r->config->restart_stagnation;
    sac_free(r->history);
    r->length = length > stagnation ? length : stagnation;
    r->history = SAC_NEW_ARRAY(double, (size_t)(r->length + 1));
    r->built = r->numbers[SAC_RESTART_COUNT];
    return r->history ? SAC_OK : sac_fail_memory("restarts");
}

void sac_restart_record(sac_restart *r, const sac_search *search)
{
    double best = search->fitness[search->order[0]];
    r->note[0] = 0;
    if (r->length == 0) return;
    memmove(r->history + 1, r->history, (size_t)(r->length - 1) * sizeof *r->history);
    // a state may hold only finite numbers
    r->history[0] = isnan(best) ? -1e300 : fmax(-1e300, fmin(1e300, best));
}

static bool is_level(const sac_restart *r, int length)
{
    double low = r->history[0], high = r->history[0];
    for (int i = 1; i < length; i++)
    {
        low = fmin(low, r->history[i]);
        high = fmax(high, r->history[i]);
    }
    return high - low <= r->config->restart_tolerance;
}

// Tell whether the newer half of the last generations is no better than the older half.
static bool is_stagnant(const sac_restart *r, int length)
{
    double newer = 0, older = 0;
    for (int i = 0; i < length / 2; i++)
    {
        newer += r->history[i];
        older += r->history[length - 1 - i];
    }
    return newer <= older;
}

const char *sac_restart_reason(const sac_restart *r, const sac_search *search)
{
    int length = tolerance_length(r, search), stagnation = r->config->restart_stagnation;
    double spent = search->generation * search->population;
    if (length > 0 && search->generation >= length && is_level(r, length))
        return "the best fitness has been the same for many generations";
    if (stagnation > 1 && search->generation >= stagnation && is_stagnant(r, stagnation))
        return "the best fitness has not risen for many generations";
    if (r->numbers[SAC_RESTART_IS_SMALL] != 0 && spent >= r->numbers[SAC_RESTART_LAST_LARGE] / 2)
        return "a small population has had half of the last large one's evaluations";
    return NULL;
}

void sac_restart_state(sac_restart *r, sac_search_array *arrays, int capacity, int *count)
{
    sac_search_add_array(arrays, capacity, count, "restarts", r->numbers, SAC_RESTART_NUMBERS);
    if (r->length > 0) sac_search_add_array(arrays, capacity, count, "history", r->history, (size_t)r->length);
}

sac_status sac_restart_check(const sac_restart *r)
{
    for (int i = 0; i < SAC_RESTART_NUMBERS; i++)
        if (!(r->numbers[i] >= 0 && r->numbers[i] <= 0x1p53 && r->numbers[i] == floor(r->numbers[i])))
            return sac_fail(SAC_ERROR_FORMAT, "the state's restarts[%d] is %g, expected a count", i, r->numbers[i]);
    if (r->numbers[SAC_RESTART_COUNT] > r->config->restarts ||
        r->numbers[SAC_RESTART_LARGE] > r->numbers[SAC_RESTART_COUNT])
        return sac_fail(SAC_ERROR_FORMAT, "the state's restarts are %g, %g of them large, expected at most %d",
                        r->numbers[SAC_RESTART_COUNT], r->numbers[SAC_RESTART_LARGE], r->config->restarts);
    return SAC_OK;
}
