#pragma once

#include "evolve/cma.h"

/// What the forms of CMA-ES with a full covariance matrix share: the candidates of a generation as rows, and what C
/// learns from them. BLAS runs in one thread, and its last bits depend on the kind of machine. Where OpenBLAS is built
/// without threads its buffers belong to nobody: one search at a time calls it.

typedef struct sac_cma_dense
{
    double *covariance; ///< [n, n], C in the lower triangle; what lies above it is the form's own
    double *samples;    ///< [population, n], y
    double *rows;       ///< [population + 1, n], scratch
    double *lengths;    ///< [population], |C^(-1/2) y|^2
} sac_cma_dense;

/// Take the memory and set C to the identity.
sac_status sac_cma_dense_create(sac_cma_dense *dense, const sac_search *search);
void sac_cma_dense_destroy(sac_cma_dense *dense);

/// As sac_search_ask, from the samples.
void sac_cma_dense_ask(const sac_cma_dense *dense, const sac_search *search, int index, float *x);

/// The caller's candidates x [population, n] in place of the asked ones. Their lengths are left to the form.
void sac_cma_dense_replace(sac_cma_dense *dense, const sac_search *search, const double *x);

/// cma->step, the weighted mean of the better half.
void sac_cma_dense_step(sac_cma_dense *dense, sac_cma *cma, const int *order);

/// C <- keep C + c_1 p_c p_c^T + c_mu sum_k w_k y_k y_k^T, given what sac_cma_move has returned.
void sac_cma_dense_learn(sac_cma_dense *dense, const sac_cma *cma, const int *order, double c_1);

/// Wait until no other search calls BLAS; and let others.
void sac_cma_dense_enter(void);
void sac_cma_dense_leave(void);
