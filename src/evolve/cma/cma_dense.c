#include "evolve/cma/cma_dense.h"

#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

const sac_option sac_cma_dense_options[] = {
    SAC_CMA_OPTIONS("true"),
    {"update_gap", SAC_OPTION_INT, offsetof(sac_cma_dense_config, update_gap), "0", 0, 1000000, NULL,
     "generations between decompositions; 0: 1 / (10 n (c_1 + c_mu))"},
    {0},
};

static pthread_mutex_t blas = PTHREAD_MUTEX_INITIALIZER;

static sac_status allocate(sac_cma_dense *dense)
{
    size_t n = (size_t)dense->cma.dimension, population = (size_t)dense->cma.population;
    dense->covariance = SAC_NEW_MATRIX(double, n, n);
    if (dense->form->axes_name) dense->axes = SAC_NEW_MATRIX(double, n, n);
    dense->scale = SAC_NEW_ARRAY(double, n);
    dense->samples = SAC_NEW_ARRAY(double, (population + 1) * n);
    dense->rows = SAC_NEW_ARRAY(double, (population + 1) * n);
    dense->lengths = SAC_NEW_ARRAY(double, population);
    if (!dense->covariance || (dense->form->axes_name && !dense->axes) || !dense->scale || !dense->samples ||
        !dense->rows || !dense->lengths)
        return sac_fail_memory("a search with a full covariance matrix (sep-cma-es needs far less)");
    for (size_t i = 0; i < n; i++)
    {
        dense->covariance[i * n + i] = dense->scale[i] = 1;
        if (dense->axes) dense->axes[i * n + i] = 1;
    }
    return SAC_OK;
}

sac_status sac_cma_dense_create(sac_search *search, const void *config, const sac_cma_form *form)
{
    const sac_cma_dense_config *c = config;
    if (search->dimension > form->max_dimension)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: dimension is %d, expected at most %d; sep-cma-es has no limit",
                        search->method->name, search->dimension, form->max_dimension);
    sac_cma_dense *dense = sac_alloc(form->size);
    if (!dense) return sac_fail_memory("a search");
    search->self = dense;
    dense->form = form;
    sac_cma *cma = &dense->cma;
    SAC_TRY(sac_cma_create(cma, search, &c->cma, 1));
    SAC_TRY(form->create(dense));
    SAC_TRY(allocate(dense));
    dense->gap = c->update_gap > 0 ? c->update_gap : 1 / (10.0 * cma->dimension * (cma->c_1 + cma->c_mu) + 1e-23);
    openblas_set_num_threads(1);
    return SAC_OK;
}

void sac_cma_dense_destroy(void *self)
{
    sac_cma_dense *dense = self;
    if (!dense) return;
    sac_cma_destroy(&dense->cma);
    dense->form->destroy(dense);
    sac_free(dense->covariance);
    sac_free(dense->axes);
    sac_free(dense->scale);
    sac_free(dense->samples);
    sac_free(dense->rows);
    sac_free(dense->lengths);
    sac_free(dense);
}

// Place candidates 0 and 1 on the line of the last move, as far from the mean as candidate 0 was.
static void draw_line(sac_cma_dense *dense)
{
    int n = dense->cma.dimension;
    double *ahead = dense->samples, *behind = dense->samples + n;
    dense->form->whiten(dense);
    double reach = sac_cma_reach(&dense->cma, dense->lengths[0]);
    if (reach == 0) return;
    for (int i = 0; i < n; i++)
    {
        ahead[i] = reach * dense->cma.step[i];
        behind[i] = -ahead[i];
    }
    dense->lengths[1] = dense->lengths[0];
}

// Compute y = B s z for all candidates in one product, which is faster than one by one.
static void draw_samples(sac_cma_dense *dense, const sac_search *search)
{
    int n = search->dimension;
    for (int k = 0; k < search->population; k++)
    {
        double *z = dense->samples + (size_t)k * (size_t)n, squares = 0;
        sac_cma_noise(&dense->cma, search, k, z);
        for (int i = 0; i < n; i++)
        {
            squares += z[i] * z[i];
            z[i] *= dense->scale[i];
        }
        dense->lengths[k] = squares;
    }
    dense->form->multiply(dense);
    if (dense->cma.config.two_point) draw_line(dense);
}

static sac_status decompose_and_draw(sac_cma_dense *dense, const sac_search *search)
{
    if (search->generation >= dense->decomposed + dense->gap)
    {
        SAC_TRY(dense->form->decompose(dense));
        dense->decomposed = search->generation;
    }
    draw_samples(dense, search);
    return SAC_OK;
}

sac_status sac_cma_dense_prepare(sac_search *search)
{
    pthread_mutex_lock(&blas);
    sac_status status = decompose_and_draw(search->self, search);
    pthread_mutex_unlock(&blas);
    return status;
}

void sac_cma_dense_ask(const sac_search *search, int index, float *x)
{
    const sac_cma_dense *dense = search->self;
    const double *y = dense->samples + (size_t)index * (size_t)search->dimension;
    for (int i = 0; i < search->dimension; i++) x[i] = (float)(search->mean[i] + search->sigma * y[i]);
}

// Take the caller's candidates x [population, n] in place of the asked ones.
static void replace_samples(sac_cma_dense *dense, const sac_search *search, const double *x)
{
    int n = search->dimension;
    for (int k = 0; k < search->population; k++)
        for (int i = 0; i < n; i++)
        {
            size_t at = (size_t)k * (size_t)n + (size_t)i;
            dense->samples[at] = (x[at] - search->mean[i]) / search->sigma;
        }
    if (!dense->cma.config.active) return;
    dense->form->divide(dense);
    for (int k = 0; k < search->population; k++)
    {
        const double *v = dense->rows + (size_t)k * (size_t)n;
        dense->lengths[k] = 0;
        for (int i = 0; i < n; i++) dense->lengths[k] += v[i] / dense->scale[i] * (v[i] / dense->scale[i]);
    }
}

// Compute the weighted mean of the better half.
static void set_step(sac_cma_dense *dense, const int *order)
{
    sac_cma *cma = &dense->cma;
    int n = cma->dimension;
    memset(cma->step, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < cma->mu; k++)
        cblas_daxpy(n, cma->weights[k], dense->samples + (size_t)order[k] * (size_t)n, 1, cma->step, 1);
}

// Write one row sqrt(weight) y of a rank-many update, after the `count` rows that are there.
static void add_row(sac_cma_dense *dense, int count, double weight, const double *y)
{
    int n = dense->cma.dimension;
    double *row = dense->rows + (size_t)count * (size_t)n, root = sqrt(weight);
    for (int i = 0; i < n; i++) row[i] = root * y[i];
}

// C <- keep C + sign sum of row^T row
static void apply_rows(sac_cma_dense *dense, int count, double sign, double keep)
{
    int n = dense->cma.dimension;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, count, sign, dense->rows, n, keep, dense->covariance, n);
}

// C <- keep C + c_1 p_c p_c^T + c_mu sum_k w_k y_k y_k^T, where `keep` follows from the rate that sac_cma_move has
// returned
static void learn(sac_cma_dense *dense, const int *order, double c_1)
{
    const sac_cma *cma = &dense->cma;
    size_t n = (size_t)cma->dimension;
    int count = 0;
    for (int k = 0; k < cma->mu; k++)
        add_row(dense, count++, cma->c_mu * cma->weights[k], dense->samples + (size_t)order[k] * n);
    add_row(dense, count++, cma->c_1, cma->path_c);
    apply_rows(dense, count, 1, sac_cma_keep(cma, c_1));

    count = 0;
    for (int k = cma->mu; k < cma->population; k++)
    {
        double weight = -cma->weights[k] * sac_cma_negative_factor(cma, dense->lengths[order[k]]);
        if (weight > 0) add_row(dense, count++, cma->c_mu * weight, dense->samples + (size_t)order[k] * n);
    }
    if (count > 0) apply_rows(dense, count, -1, 1);
}

static void rescale(sac_cma_dense *dense, sac_search *search)
{
    size_t n = (size_t)search->dimension;
    double factor = sac_cma_rescale(&dense->cma, search, dense->form->largest(dense));
    if (factor == 1) return;
    for (size_t i = 0; i < n; i++)
    {
        for (size_t j = 0; j <= i; j++) dense->covariance[i * n + j] /= factor * factor;
        dense->scale[i] /= factor;
    }
}

sac_status sac_cma_dense_tell(sac_search *search, const int *order, const double *x)
{
    sac_cma_dense *dense = search->self;
    pthread_mutex_lock(&blas);
    if (x) replace_samples(dense, search, x);
    set_step(dense, order);
    dense->form->whiten(dense);
    learn(dense, order, sac_cma_move(&dense->cma, search));
    sac_cma_move_sigma(&dense->cma, search, order);
    rescale(dense, search);
    pthread_mutex_unlock(&blas);
    return SAC_OK;
}

// The shortest axis is no longer than the smallest number of s, whether B is orthogonal or has ones on its diagonal.
const char *sac_cma_dense_stop(const sac_search *search)
{
    const sac_cma_dense *dense = search->self;
    double smallest = dense->scale[0];
    for (int i = 1; i < search->dimension; i++) smallest = fmin(smallest, dense->scale[i]);
    return sac_cma_stop(search, dense->form->largest(dense), smallest);
}

void sac_cma_dense_state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    sac_cma_dense *dense = search->self;
    size_t n = (size_t)search->dimension;
    sac_cma_state(&dense->cma, arrays, capacity, count);
    sac_search_add_array(arrays, capacity, count, "decomposed", &dense->decomposed, 1);
    sac_search_add_array(arrays, capacity, count, "covariance", dense->covariance, n * n);
    if (dense->axes) sac_search_add_array(arrays, capacity, count, dense->form->axes_name, dense->axes, n * n);
    sac_search_add_array(arrays, capacity, count, dense->form->scale_name, dense->scale, n);
}

sac_status sac_cma_dense_restored(sac_search *search)
{
    sac_cma_dense *dense = search->self;
    const char *method = search->method->name;
    size_t n = (size_t)search->dimension;
    if (dense->decomposed < 0 || dense->decomposed > search->generation)
        return sac_fail(SAC_ERROR_FORMAT, "%s: the state's decomposed is %g, expected 0 to the generation, %g", method,
                        dense->decomposed, search->generation);
    for (size_t i = 0; i < n; i++)
        if (dense->covariance[i * (n + 1)] <= 0 || dense->scale[i] <= 0)
            return sac_fail(SAC_ERROR_FORMAT, "%s: the state's covariance or %s at %zu is not positive", method,
                            dense->form->scale_name, i);
    return SAC_OK;
}
