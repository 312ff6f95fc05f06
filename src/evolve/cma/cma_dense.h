#pragma once

#include "evolve/cma/cma.h"

/// CMA-ES with a full covariance matrix C, except for the form in which its root A is kept. With B an orthogonal or
/// triangular matrix and s a vector,
///
///     C = A A^T    A = B diag(s)    y = A z    |C^(-1/2) y|^2 = |B^-1 y / s|^2
///
/// The root is computed anew every few generations, and a generation's candidates come from one product of matrices.
/// BLAS runs in one thread, and its last bits depend on the kind of machine. An OpenBLAS that is built without threads
/// does not protect its buffers, so there only one search at a time calls it.

typedef struct sac_cma_dense_config
{
    sac_cma_config cma; // first: SAC_CMA_OPTIONS counts on it
    int update_gap;
} sac_cma_dense_config;

extern const sac_option sac_cma_dense_options[];

typedef struct sac_cma_dense
{
    sac_cma cma; // first: sac_cma_constants counts on it
    const struct sac_cma_form *form;
    double gap;         ///< generations between decompositions
    double decomposed;  ///< generation of the last one
    double *covariance; ///< [n, n], C in the lower triangle; the form may use the upper one
    double *axes;       ///< [n, n], the form's own; NULL where it needs none
    double *scale;      ///< [n], s
    double *samples;    ///< [population + 1, n], y
    double *rows;       ///< [population + 1, n], scratch
    double *lengths;    ///< [population], |C^(-1/2) y|^2
} sac_cma_dense;

/// What a form supplies.
typedef struct sac_cma_form
{
    size_t size; ///< of its struct, which starts with a sac_cma_dense and is zero at first
    int max_dimension;
    const char *axes_name;  ///< as the state calls them; NULL: there are none
    const char *scale_name; ///< as the state calls s

    sac_status (*create)(sac_cma_dense *dense);    ///< takes the memory of its own
    void (*destroy)(sac_cma_dense *dense);         ///< also called after a failed create
    sac_status (*decompose)(sac_cma_dense *dense); ///< computes the root from C
    void (*multiply)(sac_cma_dense *dense);        ///< samples <- B samples; rows may be exchanged with them
    void (*divide)(sac_cma_dense *dense);          ///< rows <- B^-1 samples
    void (*whiten)(sac_cma_dense *dense);          ///< cma.white <- a rotation of A^-1 cma.step
    double (*largest)(const sac_cma_dense *dense); ///< the largest standard deviation along any axis
} sac_cma_form;

/// The functions of a method (method.h) with such a form; its own create calls sac_cma_dense_create.
#define SAC_CMA_DENSE_METHOD                                                                                         \
    .options = sac_cma_dense_options, .config_size = sizeof(sac_cma_dense_config), .destroy = sac_cma_dense_destroy, \
    .prepare = sac_cma_dense_prepare, .ask = sac_cma_dense_ask, .tell = sac_cma_dense_tell,                          \
    .stop = sac_cma_dense_stop, .state = sac_cma_dense_state, .constants = sac_cma_constants,                        \
    .restored = sac_cma_dense_restored

sac_status sac_cma_dense_create(sac_search *search, const void *config, const sac_cma_form *form);
void sac_cma_dense_destroy(void *self);
sac_status sac_cma_dense_prepare(sac_search *search);
void sac_cma_dense_ask(const sac_search *search, int index, float *x);
sac_status sac_cma_dense_tell(sac_search *search, const int *order, const double *x);
const char *sac_cma_dense_stop(const sac_search *search);
void sac_cma_dense_state(sac_search *search, sac_search_array *arrays, int capacity, int *count);
sac_status sac_cma_dense_restored(sac_search *search);
