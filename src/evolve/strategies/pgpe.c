#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "evolve/common.h"
#include "evolve/strategies/ascent.h"
#include "evolve/strategies/pairs.h"
#include "evolve/strategies/shape.h"
#include "evolve/vector.h"

/// pgpe: policy gradients with parameter-based exploration, symmetric (Sehnke et al. 2010), on centred ranks u and with
/// ClipUp (Toklu et al. 2020, arXiv:2008.02387). With P pairs at m +- y_k, y_k = d z_k by coordinate,
///
///     g = sum_k (u_2k - u_2k+1) / 2 y_k / P                              m moves along g (step.h)
///     d <- d + rate_d sum_k (u_2k + u_2k+1) / 2 (y_k^2 - d^2) / d / P    by at most a share of d
///
/// The search's sigma is the root of the mean square of the deviations d.

typedef struct pgpe_config
{
    sac_common common; // first: SAC_COMMON_OPTIONS counts on it
    sac_ascent_config step;
    double sigma_rate, sigma_change;
} pgpe_config;

static const sac_option options[] = {
    SAC_COMMON_OPTIONS("256", "candidates in a generation, even; 0: 4 + 3 ln n", "0.1",
                       "first standard deviation of the candidates"),
    SAC_ASCENT_OPTIONS(pgpe_config, "clipup", "0", "step of the optimizer; 0: sigma sqrt(n) / 30", "0.9"),
    {"sigma_rate", SAC_OPTION_REAL, offsetof(pgpe_config, sigma_rate), "0.1", 0, 1e6, NULL,
     "how fast the deviations learn"},
    {"sigma_change", SAC_OPTION_REAL, offsetof(pgpe_config, sigma_change), "0.2", 0, 0.9, NULL,
     "most that a deviation changes in a generation, as a share of it"},
    {0},
};

typedef struct pgpe
{
    sac_common common;
    double sigma_rate, sigma_change;
    sac_pairs pairs;
    sac_ascent step;
    double *deviation; // [n], d
    double *gradient;  // [n]
    double *spread;    // [n], the gradient of d
} pgpe;

static sac_status create(sac_search *search, const void *config)
{
    const pgpe_config *c = config;
    pgpe *s = SAC_NEW(pgpe);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    s->common = c->common;
    s->sigma_rate = c->sigma_rate;
    s->sigma_change = c->sigma_change;
    SAC_TRY(sac_common_create(search, &c->common, 2));
    SAC_TRY(sac_pairs_create(&s->pairs, search));
    size_t n = (size_t)search->dimension;
    // The fastest move, which is twice the rate, is a fifteenth of the distribution's radius.
    SAC_TRY(sac_ascent_create(&s->step, &c->step, c->common.sigma * sqrt((double)n) / 30, search->dimension));
    s->deviation = SAC_NEW_ARRAY(double, n);
    s->gradient = SAC_NEW_ARRAY(double, n);
    s->spread = SAC_NEW_ARRAY(double, n);
    if (!s->deviation || !s->gradient || !s->spread) return sac_fail_memory("a search");
    for (size_t i = 0; i < n; i++) s->deviation[i] = c->common.sigma;
    return SAC_OK;
}

static void destroy(void *self)
{
    pgpe *s = self;
    if (!s) return;
    sac_pairs_destroy(&s->pairs);
    sac_ascent_destroy(&s->step);
    sac_free(s->deviation);
    sac_free(s->gradient);
    sac_free(s->spread);
    sac_free(s);
}

// the pairs' noise is in units of sigma
static sac_status prepare(sac_search *search)
{
    pgpe *s = search->self;
    size_t n = (size_t)search->dimension;
    sac_pairs_draw(&s->pairs, search);
    for (size_t k = 0; k < (size_t)s->pairs.count; k++)
        for (size_t i = 0; i < n; i++) s->pairs.noise[k * n + i] *= s->deviation[i] / search->sigma;
    return SAC_OK;
}

static void ask(const sac_search *search, int index, float *x)
{
    const pgpe *s = search->self;
    sac_pairs_ask(&s->pairs, search, index, x);
}

static void move_deviations(pgpe *s, sac_search *search)
{
    double squares = 0, before = search->sigma;
    int n = search->dimension;
    sac_common_move_sigma(search, &s->common);
    for (int i = 0; i < n; i++)
    {
        double d = s->deviation[i], most = s->sigma_change * d;
        double change = s->sigma_rate * s->spread[i];
        d = (d + fmax(-most, fmin(most, change))) * (search->sigma / before);
        s->deviation[i] = fmax(d, fmax(s->common.sigma_floor, 1e-300));
        squares += s->deviation[i] * s->deviation[i];
    }
    search->sigma = sqrt(squares / n);
}

static sac_status tell(sac_search *search, const int *order, const double *x)
{
    pgpe *s = search->self;
    sac_pairs *pairs = &s->pairs;
    size_t n = (size_t)search->dimension;
    double unit = search->sigma;
    if (x) sac_pairs_replace(pairs, search, x);
    sac_shape_ranks(search, order, pairs->shaped);
    for (int k = 0; k < pairs->count; k++) pairs->weights[k] = unit * sac_pairs_half(pairs, k) / pairs->count;
    sac_vector_combine(s->gradient, pairs->weights, pairs->noise, pairs->count, n);

    for (size_t i = 0; i < n; i++) s->spread[i] = 0;
    for (int k = 0; k < pairs->count; k++)
    {
        const double *e = pairs->noise + (size_t)k * n;
        double weight = sac_pairs_mean(pairs, k) / pairs->count;
        for (size_t i = 0; i < n; i++)
        {
            double y = unit * e[i], d = s->deviation[i];
            s->spread[i] += weight * (y * y - d * d) / d;
        }
    }
    sac_ascent_move(&s->step, search, s->gradient);
    move_deviations(s, search);
    return SAC_OK;
}

static void state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    pgpe *s = search->self;
    sac_ascent_state(&s->step, search, arrays, capacity, count);
    sac_search_add_array(arrays, capacity, count, "deviation", s->deviation, (size_t)search->dimension);
}

static sac_status restored(sac_search *search)
{
    const pgpe *s = search->self;
    SAC_TRY(sac_search_check_positive(search, "deviation", s->deviation, (size_t)search->dimension));
    return sac_ascent_restored(&s->step, search);
}

const sac_search_method sac_pgpe = {
    .name = "pgpe",
    .summary = "symmetric policy gradients with a deviation for each parameter and ClipUp; on centred ranks",
    .options = options,
    .config_size = sizeof(pgpe_config),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .ask = ask,
    .tell = tell,
    .stop = sac_common_stop,
    .state = state,
    .restored = restored,
};
