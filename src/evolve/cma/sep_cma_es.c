#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "evolve/cma/cma.h"
#include "evolve/vector.h"

/// sep-cma-es: CMA-ES with a diagonal covariance matrix, which learns (n + 2) / 3 times faster (Ros and Hansen 2008).
/// Its whole state is a few vectors of numbers. A generation costs little more than its normal numbers, which are drawn
/// once, before the first ask.

static const sac_option options[] = {
    SAC_CMA_OPTIONS("true"),
    {0},
};

typedef struct sep
{
    sac_cma cma;            // first: sac_cma_constants counts on it
    double *variance;       // [n], the diagonal of C
    double *deviation;      // [n], its roots
    double *noise;          // [population, n], z of this generation
    double *gain;           // [n], sum of w y^2
    sac_weighted_row *rows; // [population], the candidates with their weights
} sep;

static void derive(sep *s)
{
    for (int i = 0; i < s->cma.dimension; i++) s->deviation[i] = sqrt(s->variance[i]);
}

// c_c of pycma's diagonal form: the path remembers sqrt(n) generations, so that C changes little where the axes are
// alike.
static double short_memory(double n, double mu)
{
    return (1 + 1 / n + mu / n) / (sqrt(n) + 1 / n + 2 * mu / n);
}

static sac_status create(sac_search *search, const void *config)
{
    sep *s = SAC_NEW(sep);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    SAC_TRY(sac_cma_create(&s->cma, search, config, (search->dimension + 2) / 3.0));
    if (s->cma.config.two_point) s->cma.c_c = short_memory(search->dimension, s->cma.mu_eff);
    size_t n = (size_t)search->dimension;
    s->variance = SAC_NEW_ARRAY(double, n);
    s->deviation = SAC_NEW_ARRAY(double, n);
    s->noise = SAC_NEW_MATRIX(double, (size_t)search->population, n);
    s->gain = SAC_NEW_ARRAY(double, n);
    s->rows = SAC_NEW_ARRAY(sac_weighted_row, (size_t)search->population);
    if (!s->variance || !s->deviation || !s->noise || !s->gain || !s->rows) return sac_fail_memory("a search");
    for (size_t i = 0; i < n; i++) s->variance[i] = 1;
    derive(s);
    return SAC_OK;
}

static void destroy(void *self)
{
    sep *s = self;
    if (!s) return;
    sac_cma_destroy(&s->cma);
    sac_free(s->variance);
    sac_free(s->deviation);
    sac_free(s->noise);
    sac_free(s->gain);
    sac_free(s->rows);
    sac_free(s);
}

// Place candidates 0 and 1 on the line of the last move, as far from the mean as candidate 0 was.
static void draw_line(sep *s)
{
    int n = s->cma.dimension;
    double *ahead = s->noise, *behind = s->noise + n;
    for (int i = 0; i < n; i++) s->cma.white[i] = s->cma.step[i] / s->deviation[i];
    double reach = sac_cma_reach(&s->cma, sac_vector_dot(ahead, ahead, (size_t)n));
    for (int i = 0; reach > 0 && i < n; i++)
    {
        ahead[i] = reach * s->cma.white[i];
        behind[i] = -ahead[i];
    }
}

static sac_status prepare(sac_search *search)
{
    sep *s = search->self;
    for (int k = 0; k < search->population; k++)
        sac_cma_noise(&s->cma, search, k, s->noise + (size_t)k * (size_t)search->dimension);
    if (s->cma.config.two_point) draw_line(s);
    return SAC_OK;
}

static void ask(const sac_search *search, int index, float *x)
{
    const sep *s = search->self;
    size_t n = (size_t)search->dimension;
    sac_vector_sample(x, search->mean, search->sigma, s->deviation, s->noise + (size_t)index * n, n);
}

// Compute z of the caller's candidates x [population, n] in place of the drawn ones.
static void replace_noise(sep *s, const sac_search *search, const double *x)
{
    size_t n = (size_t)search->dimension;
    for (size_t k = 0; k < (size_t)search->population; k++)
        for (size_t i = 0; i < n; i++)
            s->noise[k * n + i] = (x[k * n + i] - search->mean[i]) / (search->sigma * s->deviation[i]);
}

// Sum the candidates' y for step and their y^2 for gain. Only the better half moves the mean.
static void set_sums(sep *s, const sac_search *search, const int *order)
{
    sac_cma *cma = &s->cma;
    size_t n = (size_t)search->dimension;
    int count = 0;
    for (int k = 0; k < search->population; k++)
    {
        const double *z = s->noise + (size_t)order[k] * n;
        double weight = cma->weights[k];
        if (weight == 0) continue;
        double spread = weight > 0 ? weight : weight * sac_cma_negative_factor(cma, sac_vector_dot(z, z, n));
        s->rows[count++] = (sac_weighted_row){z, fmax(0, weight), spread};
    }
    memset(cma->step, 0, n * sizeof(double));
    memset(s->gain, 0, n * sizeof(double));
    sac_vector_scaled_moments(cma->step, s->gain, s->deviation, s->rows, count, n);
}

static void rescale(sep *s, sac_search *search)
{
    int n = search->dimension;
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, s->deviation[i]);
    double factor = sac_cma_rescale(&s->cma, search, largest);
    if (factor == 1) return;
    for (int i = 0; i < n; i++) s->variance[i] /= factor * factor;
    derive(s);
}

static sac_status tell(sac_search *search, const int *order, const double *x)
{
    sep *s = search->self;
    sac_cma *cma = &s->cma;
    int n = search->dimension;
    if (x) replace_noise(s, search, x);
    set_sums(s, search, order);
    for (int i = 0; i < n; i++) cma->white[i] = cma->step[i] / s->deviation[i];

    double c_1 = sac_cma_move(cma, search), keep = sac_cma_keep(cma, c_1);
    for (int i = 0; i < n; i++)
        s->variance[i] =
            fmax(1e-300, keep * s->variance[i] + cma->c_1 * cma->path_c[i] * cma->path_c[i] + cma->c_mu * s->gain[i]);
    derive(s);
    sac_cma_move_sigma(cma, search, order);
    rescale(s, search);
    return SAC_OK;
}

static const char *stop(const sac_search *search)
{
    const sep *s = search->self;
    double largest = s->deviation[0], smallest = s->deviation[0];
    for (int i = 1; i < search->dimension; i++)
    {
        largest = fmax(largest, s->deviation[i]);
        smallest = fmin(smallest, s->deviation[i]);
    }
    return sac_cma_stop(search, largest, smallest);
}

static void state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    sep *s = search->self;
    sac_cma_state(&s->cma, arrays, capacity, count);
    sac_search_add_array(arrays, capacity, count, "variance", s->variance, (size_t)search->dimension);
}

static sac_status restored(sac_search *search)
{
    sep *s = search->self;
    SAC_TRY(sac_search_check_positive(search, "variance", s->variance, (size_t)search->dimension));
    derive(s);
    return SAC_OK;
}

const sac_search_method sac_sep_cma_es = {
    .name = "sep-cma-es",
    .summary = "CMA-ES with a diagonal covariance: state and cost linear in n; the choice for policies",
    .options = options,
    .config_size = sizeof(sac_cma_config),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .ask = ask,
    .tell = tell,
    .stop = stop,
    .state = state,
    .constants = sac_cma_constants,
    .restored = restored,
};
