#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"
#include "evolve/common.h"
#include "evolve/vector.h"

/// lm-ma-es: matrix adaptation with limited memory (Loshchilov, Glasmachers and Beyer 2017, arXiv:1705.06693), for
/// thousands of parameters whose axes are not separable. In place of C^(1/2) it holds k vectors v_j. These are paths
/// that remember ever longer, with c_d,j = 1 / (1.5^j n) and c_c,j = lambda / (4^j n) from j = 0:
///
///     A = A_k-1 ... A_0    A_j = (1 - c_d,j) I + c_d,j v_j v_j^T      candidates x = m + sigma A z
///     m <- m + sigma A zw    zw = sum_i w_i z_i over the better half
///     p <- (1 - c_s) p + sqrt(mu_w c_s (2 - c_s)) zw                  c_s = 2 lambda / n
///     v_j <- (1 - c_c,j) v_j + sqrt(mu_w c_c,j (2 - c_c,j)) zw
///     sigma <- sigma exp(c_s / 2 (|p|^2 / n - 1))
///
/// The paper assumes that n is far above lambda; where it is not, these rates are limited to 1/2. All candidates of a
/// generation are computed before the first ask, with k n operations each.

static const double largest_rate = 0.5;

typedef struct lm_config
{
    sac_common common; // first: SAC_COMMON_OPTIONS counts on it
    int memory;
} lm_config;

static const sac_option options[] = {
    SAC_COMMON_OPTIONS("0", "candidates in a generation; 0: 4 + 3 ln n", "0.1", "first step size"),
    {"memory", SAC_OPTION_INT, offsetof(lm_config, memory), "0", 0, 100000, NULL,
     "vectors that stand for the covariance; 0: 4 + 3 ln n"},
    {0},
};

typedef struct lm
{
    sac_common common;
    int memory, mu;
    double mu_w, c_s;
    double *weights; // [mu]
    double *c_d;     // [memory]
    double *c_c;     // [memory]
    double *path;    // [n], p
    double *vectors; // [memory, n], v
    double *samples; // [population, n], A z
    double *move;    // [n], zw
    double *step;    // [n], A zw
} lm;

static void set_constants(lm *s, const sac_search *search)
{
    double n = search->dimension, lambda = search->population, sum = 0, squares = 0;
    for (int i = 0; i < s->mu; i++)
    {
        s->weights[i] = sac_series_log(s->mu + 0.5) - sac_series_log(i + 1.0);
        sum += s->weights[i];
    }
    for (int i = 0; i < s->mu; i++)
    {
        s->weights[i] /= sum;
        squares += s->weights[i] * s->weights[i];
    }
    s->mu_w = 1 / squares;
    s->c_s = fmin(largest_rate, 2 * lambda / n);
    double slow = 1, slower = 1;
    for (int j = 0; j < s->memory; j++, slow *= 1.5, slower *= 4)
    {
        s->c_d[j] = fmin(largest_rate, 1 / (slow * n));
        s->c_c[j] = fmin(largest_rate, lambda / (slower * n));
    }
}

static sac_status create(sac_search *search, const void *config)
{
    const lm_config *c = config;
    lm *s = SAC_NEW(lm);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    s->common = c->common;
    SAC_TRY(sac_common_create(search, &c->common, 1));
    s->memory = c->memory > 0 ? c->memory : 4 + (int)(3 * sac_series_log(search->dimension));
    s->mu = search->population / 2;
    size_t n = (size_t)search->dimension, memory = (size_t)s->memory;
    s->weights = SAC_NEW_ARRAY(double, (size_t)s->mu);
    s->c_d = SAC_NEW_ARRAY(double, memory);
    s->c_c = SAC_NEW_ARRAY(double, memory);
    s->path = SAC_NEW_ARRAY(double, n);
    s->vectors = SAC_NEW_MATRIX(double, memory, n);
    s->samples = SAC_NEW_MATRIX(double, (size_t)search->population, n);
    s->move = SAC_NEW_ARRAY(double, n);
    s->step = SAC_NEW_ARRAY(double, n);
    if (!s->weights || !s->c_d || !s->c_c || !s->path || !s->vectors || !s->samples || !s->move || !s->step)
        return sac_fail_memory("a search");
    set_constants(s, search);
    return SAC_OK;
}

static void destroy(void *self)
{
    lm *s = self;
    if (!s) return;
    sac_free(s->weights);
    sac_free(s->c_d);
    sac_free(s->c_c);
    sac_free(s->path);
    sac_free(s->vectors);
    sac_free(s->samples);
    sac_free(s->move);
    sac_free(s->step);
    sac_free(s);
}

// How many vectors have been written to so far.
static int used_memory(const lm *s, const sac_search *search)
{
    return search->generation < s->memory ? (int)search->generation : s->memory;
}

// z <- A z
static void apply(const lm *s, const sac_search *search, double *z)
{
    size_t n = (size_t)search->dimension;
    for (int j = 0; j < used_memory(s, search); j++)
    {
        const double *v = s->vectors + (size_t)j * n;
        double keep = 1 - s->c_d[j], along = s->c_d[j] * sac_vector_dot(v, z, n);
        sac_vector_mix(z, keep, along, v, n);
    }
}

// d <- A^-1 d: each A_j is inverted by the formula of Sherman and Morrison, the last one first.
static void unapply(const lm *s, const sac_search *search, double *d)
{
    size_t n = (size_t)search->dimension;
    for (int j = used_memory(s, search) - 1; j >= 0; j--)
    {
        const double *v = s->vectors + (size_t)j * n;
        double keep = 1 - s->c_d[j];
        double along = s->c_d[j] * sac_vector_dot(v, d, n) / (keep + s->c_d[j] * sac_vector_dot(v, v, n));
        sac_vector_mix(d, 1 / keep, -along / keep, v, n);
    }
}

static sac_status prepare(sac_search *search)
{
    lm *s = search->self;
    size_t n = (size_t)search->dimension;
    for (int k = 0; k < search->population; k++)
    {
        double *z = s->samples + (size_t)k * n;
        sac_normals(z, n, search->seed, (uint64_t)search->generation, (uint64_t)k);
        apply(s, search, z);
    }
    return SAC_OK;
}

static void ask(const sac_search *search, int index, float *x)
{
    const lm *s = search->self;
    const double *y = s->samples + (size_t)index * (size_t)search->dimension;
    for (int i = 0; i < search->dimension; i++) x[i] = (float)(search->mean[i] + search->sigma * y[i]);
}

// A is linear, so the step A zw is a sum of samples, just as zw is a sum of the z.
static void make_step(lm *s, const sac_search *search, const int *order, const double *x)
{
    size_t n = (size_t)search->dimension;
    memset(s->step, 0, n * sizeof *s->step);
    for (int k = 0; k < s->mu; k++)
    {
        size_t row = (size_t)order[k] * n;
        if (!x) sac_vector_add(s->step, s->weights[k], s->samples + row, n);
        for (size_t i = 0; x && i < n; i++)
            s->step[i] += s->weights[k] * (x[row + i] - search->mean[i]) / search->sigma;
    }
    memcpy(s->move, s->step, n * sizeof *s->move);
    unapply(s, search, s->move);
}

// path <- (1 - c) path + sqrt(mu_w c (2 - c)) zw
static void follow(const lm *s, double *path, double c, size_t n)
{
    sac_vector_mix(path, 1 - c, sqrt(s->mu_w * c * (2 - c)), s->move, n);
}

static sac_status tell(sac_search *search, const int *order, const double *x)
{
    lm *s = search->self;
    size_t n = (size_t)search->dimension;
    make_step(s, search, order, x);
    sac_vector_add(search->mean, search->sigma, s->step, n);
    follow(s, s->path, s->c_s, n);
    for (int j = 0; j < s->memory; j++) follow(s, s->vectors + (size_t)j * n, s->c_c[j], n);
    double change = s->c_s / 2 * (sac_vector_dot(s->path, s->path, n) / (double)n - 1);
    search->sigma *= sac_series_exp(fmax(-1, fmin(1, change)));
    sac_common_move_sigma(search, &s->common);
    return SAC_OK;
}

static void state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    lm *s = search->self;
    size_t n = (size_t)search->dimension;
    sac_search_add_array(arrays, capacity, count, "path", s->path, n);
    sac_search_add_array(arrays, capacity, count, "vectors", s->vectors, (size_t)s->memory * n);
}

static void constants(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    lm *s = search->self;
    sac_search_add_array(arrays, capacity, count, "weights", s->weights, (size_t)s->mu);
    sac_search_add_array(arrays, capacity, count, "mu_w", &s->mu_w, 1);
    sac_search_add_array(arrays, capacity, count, "c_s", &s->c_s, 1);
    sac_search_add_array(arrays, capacity, count, "c_d", s->c_d, (size_t)s->memory);
    sac_search_add_array(arrays, capacity, count, "c_c", s->c_c, (size_t)s->memory);
}

const sac_search_method sac_lm_ma_es = {
    .name = "lm-ma-es",
    .summary = "matrix adaptation by a few dozen vectors: rotated valleys in thousands of dimensions",
    .options = options,
    .config_size = sizeof(lm_config),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .ask = ask,
    .tell = tell,
    .stop = sac_common_stop,
    .state = state,
    .constants = constants,
};
