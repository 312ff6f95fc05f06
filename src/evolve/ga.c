#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "evolve/common.h"

/// ga: the simple genetic algorithm of Such et al. 2017 (arXiv:1712.06567), a baseline. A candidate is one of the
/// parents, drawn at random, plus noise; the best candidates are the next parents. The last candidate is the best
/// parent unchanged, and the best parent is the search's mean.

enum
{
    CHUNK = 512
};

typedef struct ga_config
{
    sac_common common; // first: SAC_COMMON_OPTIONS counts on it
    double keep;
} ga_config;

static const sac_option options[] = {
    SAC_COMMON_OPTIONS("256", "candidates in a generation; 0: 4 + 3 ln n", "0.1", "standard deviation of a mutation"),
    {"keep", SAC_OPTION_REAL, offsetof(ga_config, keep), "0.1", 0, 1, NULL,
     "share of the candidates that become parents"},
    {0},
};

typedef struct ga
{
    sac_common common;
    int parent_count;
    double *parents; // [parent_count, n], best first
    double *next;    // [parent_count, n], the next parents while they are made
} ga;

static sac_status create(sac_search *search, const void *config)
{
    const ga_config *c = config;
    ga *s = SAC_NEW(ga);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    s->common = c->common;
    SAC_TRY(sac_common_create(search, &c->common, 1));
    s->parent_count = (int)(c->keep * search->population + 1e-9);
    if (s->parent_count < 1) s->parent_count = 1;
    size_t n = (size_t)search->dimension, count = (size_t)s->parent_count;
    s->parents = SAC_NEW_MATRIX(double, count, n);
    s->next = SAC_NEW_MATRIX(double, count, n);
    if (!s->parents || !s->next) return sac_fail_memory("a search");
    for (size_t k = 0; k < count; k++) memcpy(s->parents + k * n, search->mean, n * sizeof(double));
    return SAC_OK;
}

static void destroy(void *self)
{
    ga *s = self;
    if (!s) return;
    sac_free(s->parents);
    sac_free(s->next);
    sac_free(s);
}

static const double *parent_of(const sac_search *search, int index)
{
    const ga *s = search->self;
    uint64_t drawn = sac_mix_seed(search->seed, (uint64_t)search->generation, (uint64_t)index);
    // 32 bits are enough for at most a million parents: none is preferred by more than 1 in 4000.
    uint64_t parent = (drawn >> 32) * (uint64_t)s->parent_count >> 32;
    return s->parents + parent * (uint64_t)search->dimension;
}

static bool is_unchanged(const sac_search *search, int index)
{
    return index == search->population - 1;
}

// Compute the numbers first..first+count-1 of a candidate.
static void make(const sac_search *search, int index, size_t first, size_t count, double *x)
{
    if (is_unchanged(search, index))
    {
        memcpy(x, search->mean + first, count * sizeof *x);
        return;
    }
    const double *parent = parent_of(search, index) + first;
    sac_normals_from(x, first, count, search->seed, (uint64_t)search->generation, (uint64_t)index);
    for (size_t i = 0; i < count; i++) x[i] = parent[i] + search->sigma * x[i];
}

static void ask(const sac_search *search, int index, float *x)
{
    size_t n = (size_t)search->dimension;
    for (size_t first = 0; first < n; first += CHUNK)
    {
        double part[CHUNK];
        size_t count = n - first < CHUNK ? n - first : CHUNK;
        make(search, index, first, count, part);
        for (size_t i = 0; i < count; i++) x[first + i] = (float)part[i];
    }
}

static sac_status tell(sac_search *search, const int *order, const double *x)
{
    ga *s = search->self;
    size_t n = (size_t)search->dimension;
    for (int k = 0; k < s->parent_count; k++)
    {
        double *row = s->next + (size_t)k * n;
        if (x)
            memcpy(row, x + (size_t)order[k] * n, n * sizeof *row);
        else
            make(search, order[k], 0, n, row);
    }
    memcpy(s->parents, s->next, (size_t)s->parent_count * n * sizeof *s->parents);
    memcpy(search->mean, s->parents, n * sizeof *search->mean);
    sac_common_move_sigma(search, &s->common);
    return SAC_OK;
}

static void state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    ga *s = search->self;
    sac_search_add_array(arrays, capacity, count, "parents", s->parents,
                         (size_t)s->parent_count * (size_t)search->dimension);
}

const sac_search_method sac_ga = {
    .name = "ga",
    .summary = "a simple genetic algorithm: the best tenth, mutated; a baseline",
    .options = options,
    .config_size = sizeof(ga_config),
    .create = create,
    .destroy = destroy,
    .ask = ask,
    .tell = tell,
    .stop = sac_common_stop,
    .state = state,
};
