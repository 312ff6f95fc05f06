#include "evolve/cma_dense.h"

#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static pthread_mutex_t blas = PTHREAD_MUTEX_INITIALIZER;

void sac_cma_dense_enter(void)
{
    pthread_mutex_lock(&blas);
}

void sac_cma_dense_leave(void)
{
    pthread_mutex_unlock(&blas);
}

sac_status sac_cma_dense_create(sac_cma_dense *dense, const sac_search *search)
{
    size_t n = (size_t)search->dimension, population = (size_t)search->population;
    dense->covariance = SAC_NEW_ARRAY(double, n *n);
    dense->samples = SAC_NEW_ARRAY(double, population *n);
    dense->rows = SAC_NEW_ARRAY(double, (population + 1) * n);
    dense->lengths = SAC_NEW_ARRAY(double, population);
    if (!dense->covariance || !dense->samples || !dense->rows || !dense->lengths)
        return sac_fail_memory("a search with a full covariance matrix (sep-cma-es needs far less)");
    for (size_t i = 0; i < n; i++) dense->covariance[i * n + i] = 1;
    openblas_set_num_threads(1);
    return SAC_OK;
}

void sac_cma_dense_destroy(sac_cma_dense *dense)
{
    sac_free(dense->covariance);
    sac_free(dense->samples);
    sac_free(dense->rows);
    sac_free(dense->lengths);
}

void sac_cma_dense_ask(const sac_cma_dense *dense, const sac_search *search, int index, float *x)
{
    const double *y = dense->samples + (size_t)index * (size_t)search->dimension;
    for (int i = 0; i < search->dimension; i++) x[i] = (float)(search->mean[i] + search->sigma * y[i]);
}

void sac_cma_dense_replace(sac_cma_dense *dense, const sac_search *search, const double *x)
{
    int n = search->dimension;
    for (int k = 0; k < search->population; k++)
        for (int i = 0; i < n; i++)
        {
            size_t at = (size_t)k * (size_t)n + (size_t)i;
            dense->samples[at] = (x[at] - search->mean[i]) / search->sigma;
        }
}

void sac_cma_dense_step(sac_cma_dense *dense, sac_cma *cma, const int *order)
{
    int n = cma->dimension;
    memset(cma->step, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < cma->mu; k++)
        cblas_daxpy(n, cma->weights[k], dense->samples + (size_t)order[k] * (size_t)n, 1, cma->step, 1);
}

// one row sqrt(weight) y of a rank-many update, after the `count` that are there
static void add_row(sac_cma_dense *dense, int n, int count, double weight, const double *y)
{
    double *row = dense->rows + (size_t)count * (size_t)n, root = sqrt(weight);
    for (int i = 0; i < n; i++) row[i] = root * y[i];
}

// C <- keep C + sign sum of row^T row
static void apply_rows(sac_cma_dense *dense, int n, int count, double sign, double keep)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, count, sign, dense->rows, n, keep, dense->covariance, n);
}

void sac_cma_dense_learn(sac_cma_dense *dense, const sac_cma *cma, const int *order, double c_1)
{
    int n = cma->dimension, count = 0;
    for (int k = 0; k < cma->mu; k++)
        add_row(dense, n, count++, cma->c_mu * cma->weights[k], dense->samples + (size_t)order[k] * (size_t)n);
    add_row(dense, n, count++, cma->c_1, cma->path_c);
    apply_rows(dense, n, count, 1, sac_cma_keep(cma, c_1));

    count = 0;
    for (int k = cma->mu; k < cma->population; k++)
    {
        double weight = -cma->weights[k] * sac_cma_negative_factor(cma, dense->lengths[order[k]]);
        if (weight > 0) add_row(dense, n, count++, cma->c_mu * weight, dense->samples + (size_t)order[k] * (size_t)n);
    }
    if (count > 0) apply_rows(dense, n, count, -1, 1);
}
