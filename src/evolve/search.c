#include "saccade/evolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evolve/restart.h"

static const sac_search_method *const methods[] = {
    &sac_sep_cma_es, &sac_cma_es, &sac_cholesky_cma_es, &sac_lm_ma_es, &sac_snes, &sac_openai_es, &sac_pgpe, &sac_ars,
    &sac_bgs,        &sac_ga,
};

enum
{
    METHOD_COUNT = sizeof methods / sizeof *methods,
    FLAT_LIMIT = 100
};

typedef struct sac_rank
{
    double fitness;
    int index;
} sac_rank;

const char *sac_search_method_at(int index, const char **summary, const sac_option **options)
{
    if (index < 0 || index >= METHOD_COUNT) return NULL;
    if (summary) *summary = methods[index]->summary;
    if (options) *options = methods[index]->options;
    return methods[index]->name;
}

static const char *name_at(const void *user, int index)
{
    (void)user;
    return index < METHOD_COUNT ? methods[index]->name : NULL;
}

static const sac_search_method *find(const char *name)
{
    for (int i = 0; i < METHOD_COUNT; i++)
        if (strcmp(methods[i]->name, name) == 0) return methods[i];
    return NULL;
}

static sac_status set_mean(sac_search *search, const float *x0)
{
    search->mean = SAC_NEW_ARRAY(double, (size_t)search->dimension);
    if (!search->mean) return sac_fail_memory("a search");
    for (int i = 0; x0 && i < search->dimension; i++)
    {
        if (!isfinite(x0[i]))
            return sac_fail(SAC_ERROR_ARGUMENT, "%s: x0[%d] is not a finite number", search->method->name, i);
        search->mean[i] = (double)x0[i];
    }
    return SAC_OK;
}

// Build the method and all arrays whose size depends on its population.
static sac_status build(sac_search *search)
{
    SAC_TRY(search->method->create(search, search->config));
    search->first_sigma = search->sigma;
    size_t population = (size_t)search->population;
    search->fitness = SAC_NEW_ARRAY(double, population);
    search->order = SAC_NEW_ARRAY(int, population);
    search->ranks = SAC_NEW_ARRAY(sac_rank, population);
    return search->fitness && search->order && search->ranks ? SAC_OK : sac_fail_memory("a search");
}

static void take_apart(sac_search *search)
{
    search->method->destroy(search->self);
    sac_free(search->fitness);
    sac_free(search->order);
    sac_free(search->ranks);
    search->self = NULL;
    search->fitness = NULL;
    search->order = NULL;
    search->ranks = NULL;
}

static sac_status create(sac_search *search, const sac_search_def *def)
{
    const sac_search_method *method = search->method;
    SAC_TRY(set_mean(search, def->x0));
    search->config = sac_alloc(method->config_size);
    search->candidate = SAC_NEW_ARRAY(float, (size_t)search->dimension);
    if (!search->config || !search->candidate) return sac_fail_memory("a search");
    SAC_TRY(sac_options_read(method->options, search->config, def->settings, def->setting_count, method->name));
    SAC_TRY(build(search));
    sac_common *common = search->config;
    return common->restarts > 0 ? sac_restart_create(&search->restart, search, common) : SAC_OK;
}

sac_status sac_search_create(sac_search **out, const sac_search_def *def)
{
    *out = NULL;
    const sac_search_method *method = find(def->method);
    if (!method)
        return sac_fail(SAC_ERROR_ARGUMENT, "unknown search method '%.80s'%s", def->method,
                        sac_expected(def->method, name_at, NULL));
    if (def->dimension < 1)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: dimension is %d, expected at least 1", method->name, def->dimension);

    sac_search *search = SAC_NEW(sac_search);
    if (!search) return sac_fail_memory("a search");
    search->method = method;
    search->dimension = def->dimension;
    search->seed = def->seed;
    sac_status status = create(search, def);
    if (status == SAC_OK)
        *out = search;
    else
        sac_search_destroy(search);
    return status;
}

void sac_search_destroy(sac_search *search)
{
    if (!search) return;
    take_apart(search);
    sac_restart_destroy(search->restart);
    sac_free(search->config);
    sac_free(search->mean);
    sac_free(search->candidate);
    sac_free(search);
}

int sac_search_population(const sac_search *search)
{
    return search->population;
}

int sac_search_dimension(const sac_search *search)
{
    return search->dimension;
}

uint64_t sac_search_generation(const sac_search *search)
{
    return (uint64_t)search->generation;
}

double sac_search_sigma(const sac_search *search)
{
    return search->sigma;
}

bool sac_search_is_mirrored(const sac_search *search)
{
    return search->mirrored;
}

void sac_search_scale_sigma(sac_search *search, double factor)
{
    search->sigma *= factor;
}

sac_status sac_search_prepare(sac_search *search)
{
    if (search->prepared) return SAC_OK;
    if (search->method->prepare) SAC_TRY(search->method->prepare(search));
    search->prepared = true;
    return SAC_OK;
}

void sac_search_ask(const sac_search *search, int index, float *x)
{
    SAC_ASSERT(index >= 0 && index < search->population);
    SAC_ASSERT(search->prepared);
    search->method->ask(search, index, x);
}

static double mean_square(const sac_search *search, int index, const double *x)
{
    double sum = 0;
    if (!x) search->method->ask(search, index, search->candidate);
    for (int i = 0; i < search->dimension; i++)
    {
        double value = x ? x[i] : (double)search->candidate[i];
        sum += value * value;
    }
    return sum / search->dimension;
}

// A larger fitness comes first and NaN last; equal ones are ordered by index.
static int compare_ranks(const void *a, const void *b)
{
    const sac_rank *left = a, *right = b;
    bool left_nan = isnan(left->fitness), right_nan = isnan(right->fitness);
    if (left_nan != right_nan) return left_nan - right_nan;
    if (left->fitness > right->fitness) return -1;
    if (left->fitness < right->fitness) return 1;
    return (left->index > right->index) - (left->index < right->index);
}

// Fill `order`. @return whether all candidates are equally fit, or none has a number
static bool sort(sac_search *search)
{
    int count = search->population;
    sac_rank *ranks = search->ranks;
    for (int i = 0; i < count; i++) ranks[i] = (sac_rank){search->fitness[i], i};
    qsort(ranks, (size_t)count, sizeof *ranks, compare_ranks);
    for (int i = 0; i < count; i++) search->order[i] = ranks[i].index;
    return isnan(ranks[0].fitness) || ranks[0].fitness == ranks[count - 1].fitness;
}

// Build the search of the restart that the numbers name, before its first generation.
static sac_status begin_again(sac_search *search)
{
    take_apart(search);
    sac_restart_apply(search->restart, search);
    search->generation = search->flat = 0;
    search->prepared = false;
    SAC_TRY(build(search));
    return sac_restart_begin(search->restart, search);
}

static sac_status restart_if_stopped(sac_search *search)
{
    sac_restart *restart = search->restart;
    if (!restart) return SAC_OK;
    sac_restart_record(restart, search);
    const char *reason = sac_search_stop(search);
    if (!reason || restart->numbers[SAC_RESTART_COUNT] >= restart->config->restarts) return SAC_OK;
    sac_restart_choose(restart, search, reason);
    return begin_again(search);
}

static sac_status tell(sac_search *search, const double *fitness, const double *x)
{
    SAC_TRY(sac_search_prepare(search));
    for (int i = 0; i < search->population; i++)
    {
        const double *row = x ? x + (size_t)i * (size_t)search->dimension : NULL;
        double loss = search->weight_decay > 0 ? search->weight_decay * mean_square(search, i, row) : 0;
        search->fitness[i] = fitness[i] - loss;
    }
    bool flat = sort(search);
    // a generation whose candidates are equally fit teaches nothing, because its order is that of the indices
    if (!flat) SAC_TRY(search->method->tell(search, search->order, x));
    search->flat = flat ? search->flat + 1 : 0;
    search->generation++;
    search->prepared = false;
    return restart_if_stopped(search);
}

sac_status sac_search_tell(sac_search *search, const double *fitness)
{
    return tell(search, fitness, NULL);
}

sac_status sac_search_tell_with(sac_search *search, const double *fitness, const double *x)
{
    // squares of these numbers and their sums must stay finite as well
    double reach = 1e100 * search->sigma;
    for (int k = 0; k < search->population; k++)
        for (int i = 0; i < search->dimension; i++)
            if (!(fabs(x[(size_t)k * (size_t)search->dimension + (size_t)i] - search->mean[i]) < reach))
                return sac_fail(SAC_ERROR_ARGUMENT, "%s: candidate %d has a number that is not finite or too far away",
                                search->method->name, k);
    return tell(search, fitness, x);
}

const char *sac_search_stop(const sac_search *search)
{
    if (!isfinite(search->sigma) || search->sigma > 1e20 * search->first_sigma)
        return "numerical trouble: the step size grew beyond bounds";
    for (int i = 0; i < search->dimension; i++)
        if (!isfinite(search->mean[i])) return "numerical trouble: the mean is not finite";
    if (search->flat >= FLAT_LIMIT) return "all candidates have been equally fit for 100 generations";
    const char *reason = search->method->stop ? search->method->stop(search) : NULL;
    return reason || !search->restart ? reason : sac_restart_reason(search->restart, search);
}

const char *sac_search_note(const sac_search *search)
{
    return search->restart && search->restart->note[0] ? search->restart->note : NULL;
}

void sac_search_mean(const sac_search *search, float *x)
{
    for (int i = 0; i < search->dimension; i++) x[i] = (float)search->mean[i];
}

int sac_search_state(sac_search *search, sac_search_array *arrays, int capacity)
{
    int count = 0;
    sac_search_add_array(arrays, capacity, &count, "generation", &search->generation, 1);
    sac_search_add_array(arrays, capacity, &count, "sigma", &search->sigma, 1);
    sac_search_add_array(arrays, capacity, &count, "flat", &search->flat, 1);
    sac_search_add_array(arrays, capacity, &count, "mean", search->mean, (size_t)search->dimension);
    if (search->restart) sac_restart_state(search->restart, arrays, capacity, &count);
    search->method->state(search, arrays, capacity, &count);
    SAC_ASSERT(count <= SAC_MAX_SEARCH_ARRAYS);
    return count;
}

int sac_search_constants(sac_search *search, sac_search_array *arrays, int capacity)
{
    int count = 0;
    if (search->method->constants) search->method->constants(search, arrays, capacity, &count);
    return count;
}

static bool is_count(double x)
{
    return x >= 0 && x <= 0x1p53 && x == floor(x);
}

static sac_status check_finite(const sac_search *search, const sac_search_array *array)
{
    for (size_t i = 0; i < array->count; i++)
        if (!isfinite(array->data[i]))
            return sac_fail(SAC_ERROR_FORMAT, "%s: the state's %s[%zu] is not a finite number", search->method->name,
                            array->name, i);
    return SAC_OK;
}

sac_status sac_search_reshape(sac_search *search)
{
    if (!search->restart) return SAC_OK;
    SAC_TRY(sac_restart_check(search->restart));
    return begin_again(search);
}

sac_status sac_search_restored(sac_search *search)
{
    sac_search_array arrays[SAC_MAX_SEARCH_ARRAYS];
    int count = sac_search_state(search, arrays, SAC_MAX_SEARCH_ARRAYS);
    for (int i = 0; i < count; i++) SAC_TRY(check_finite(search, &arrays[i]));
    if (!is_count(search->generation) || !is_count(search->flat))
        return sac_fail(SAC_ERROR_FORMAT, "%s: the state's generation or flat is not a count", search->method->name);
    if (search->sigma <= 0)
        return sac_fail(SAC_ERROR_FORMAT, "%s: the state's sigma is %g, expected a positive number",
                        search->method->name, search->sigma);
    if (search->restart) SAC_TRY(sac_restart_check(search->restart));
    if (search->restart && search->restart->built != search->restart->numbers[SAC_RESTART_COUNT])
        return sac_fail(SAC_ERROR_FORMAT, "%s: the state's restarts are %g, the search has been reshaped for %g",
                        search->method->name, search->restart->numbers[SAC_RESTART_COUNT], search->restart->built);
    search->prepared = false;
    return search->method->restored ? search->method->restored(search) : SAC_OK;
}
