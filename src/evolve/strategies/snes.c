#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"
#include "evolve/common.h"
#include "evolve/vector.h"

/// snes: separable natural evolution strategies (Schaul et al. 2011). With z_k = (x_k - m) / (sigma d), k-th best, and
/// utilities w_k = max(0, ln(lambda / 2 + 1) - ln k), scaled to sum 1, less 1 / lambda,
///
///     m <- m + sigma d sum_k w_k z_k        sigma d <- sigma d exp(rate / 2 sum_k w_k z_k^2)
///
/// sigma holds the geometric mean of the deviations. d holds the rest, so its geometric mean is 1.

typedef struct snes_config
{
    sac_common common; // first: SAC_COMMON_OPTIONS counts on it
    double sigma_rate;
} snes_config;

static const sac_option options[] = {
    SAC_COMMON_OPTIONS("0", "candidates in a generation; 0: 4 + 3 ln n", "0.1", "first standard deviation"),
    {"sigma_rate", SAC_OPTION_REAL, offsetof(snes_config, sigma_rate), "0", 0, 1e6, NULL,
     "how fast the deviations learn; 0: (3 + ln n) / (5 sqrt n)"},
    {0},
};

typedef struct snes
{
    sac_common common;
    double sigma_rate;
    double *weights;   // [population], best first
    double *deviation; // [n], d
    double *noise;     // [population, n], z of this generation
    double *row;       // [n], z of a candidate that the caller supplied
    double *move;      // [n], sum w z
    double *spread;    // [n], sum w z^2
} snes;

static void set_weights(snes *s, int population)
{
    double sum = 0;
    for (int k = 0; k < population; k++)
    {
        s->weights[k] = fmax(0, sac_series_log(population / 2.0 + 1) - sac_series_log(k + 1.0));
        sum += s->weights[k];
    }
    for (int k = 0; k < population; k++) s->weights[k] = s->weights[k] / sum - 1.0 / population;
}

static sac_status create(sac_search *search, const void *config)
{
    const snes_config *c = config;
    snes *s = SAC_NEW(snes);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    s->common = c->common;
    SAC_TRY(sac_common_create(search, &c->common, 1));
    size_t n = (size_t)search->dimension;
    double usual = (3 + sac_series_log((double)n)) / (5 * sqrt((double)n));
    s->sigma_rate = c->sigma_rate > 0 ? c->sigma_rate : usual;
    s->weights = SAC_NEW_ARRAY(double, (size_t)search->population);
    s->deviation = SAC_NEW_ARRAY(double, n);
    s->noise = SAC_NEW_MATRIX(double, (size_t)search->population, n);
    s->row = SAC_NEW_ARRAY(double, n);
    s->move = SAC_NEW_ARRAY(double, n);
    s->spread = SAC_NEW_ARRAY(double, n);
    if (!s->weights || !s->deviation || !s->noise || !s->row || !s->move || !s->spread)
        return sac_fail_memory("a search");
    set_weights(s, search->population);
    for (size_t i = 0; i < n; i++) s->deviation[i] = 1;
    return SAC_OK;
}

static void destroy(void *self)
{
    snes *s = self;
    if (!s) return;
    sac_free(s->weights);
    sac_free(s->deviation);
    sac_free(s->noise);
    sac_free(s->row);
    sac_free(s->move);
    sac_free(s->spread);
    sac_free(s);
}

static sac_status prepare(sac_search *search)
{
    snes *s = search->self;
    size_t n = (size_t)search->dimension;
    for (size_t k = 0; k < (size_t)search->population; k++)
        sac_normals(s->noise + k * n, n, search->seed, (uint64_t)search->generation, k);
    return SAC_OK;
}

static void ask(const sac_search *search, int index, float *x)
{
    const snes *s = search->self;
    size_t n = (size_t)search->dimension;
    sac_vector_sample(x, search->mean, search->sigma, s->deviation, s->noise + (size_t)index * n, n);
}

// Compute z of one candidate.
static const double *row_of(snes *s, const sac_search *search, int index, const double *x)
{
    size_t n = (size_t)search->dimension, row = (size_t)index * n;
    if (!x) return s->noise + row;
    for (size_t i = 0; i < n; i++) s->row[i] = (x[row + i] - search->mean[i]) / (search->sigma * s->deviation[i]);
    return s->row;
}

static void move_deviations(snes *s, sac_search *search)
{
    int n = search->dimension;
    double half = s->sigma_rate / 2, mean = 0;
    for (int i = 0; i < n; i++) mean += s->spread[i];
    mean /= n;
    for (int i = 0; i < n; i++)
    {
        // A larger change comes from far-away candidates of a caller, and never from chance.
        double change = fmax(-10, fmin(10, half * (s->spread[i] - mean)));
        s->deviation[i] = fmax(1e-150, fmin(1e150, s->deviation[i] * sac_series_exp(change)));
    }
    search->sigma *= sac_series_exp(fmax(-10, fmin(10, half * mean)));
    sac_common_move_sigma(search, &s->common);
}

static sac_status tell(sac_search *search, const int *order, const double *x)
{
    snes *s = search->self;
    size_t n = (size_t)search->dimension;
    memset(s->move, 0, n * sizeof *s->move);
    memset(s->spread, 0, n * sizeof *s->spread);
    for (int k = 0; k < search->population; k++)
    {
        // the weights sum to 0, so the 1 of z^2 - 1 cancels
        sac_vector_moments(s->move, s->spread, s->weights[k], s->weights[k], row_of(s, search, order[k], x), n);
    }
    for (size_t i = 0; i < n; i++) search->mean[i] += search->sigma * s->deviation[i] * s->move[i];
    move_deviations(s, search);
    return SAC_OK;
}

static void state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    snes *s = search->self;
    sac_search_add_array(arrays, capacity, count, "deviation", s->deviation, (size_t)search->dimension);
}

static void constants(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    snes *s = search->self;
    sac_search_add_array(arrays, capacity, count, "weights", s->weights, (size_t)search->population);
    sac_search_add_array(arrays, capacity, count, "sigma_rate", &s->sigma_rate, 1);
}

static sac_status restored(sac_search *search)
{
    const snes *s = search->self;
    SAC_TRY(sac_search_check_positive(search, "deviation", s->deviation, (size_t)search->dimension));
    return SAC_OK;
}

const sac_search_method sac_snes = {
    .name = "snes",
    .summary = "separable natural evolution strategies: a deviation for each parameter, nothing to tune",
    .options = options,
    .config_size = sizeof(snes_config),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .ask = ask,
    .tell = tell,
    .stop = sac_common_stop,
    .state = state,
    .constants = constants,
    .restored = restored,
};
