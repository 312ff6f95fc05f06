#include <cblas.h>

#include "evolve/cma/cma_dense.h"
#include "evolve/cma/eigen.h"

/// cma-es: CMA-ES with the full covariance matrix C (Hansen 2016, arXiv:1604.00772), with the constants of pycma 4.5.
/// Its root is C = V^T diag(d^2) V, with V the axes and d the scale.
///
/// A generation costs two products of matrices and, every few generations, about 9 n^3 operations for the
/// decomposition.
/// Memory: 4 n^2 doubles (430 MB for n = 3667), of which C and V are state.

typedef struct full
{
    sac_cma_dense dense; // first: sac_cma_form
    sac_eigen eigen;
} full;

static sac_status create_own(sac_cma_dense *dense)
{
    return sac_eigen_create(&((full *)dense)->eigen, dense->cma.dimension);
}

static void destroy_own(sac_cma_dense *dense)
{
    sac_eigen_destroy(&((full *)dense)->eigen);
}

static sac_status decompose(sac_cma_dense *dense)
{
    return sac_eigen_decompose(&((full *)dense)->eigen, dense->covariance, dense->axes, dense->scale);
}

// rows <- samples V, or samples V^T
static void turn(sac_cma_dense *dense, CBLAS_TRANSPOSE transpose)
{
    int n = dense->cma.dimension;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, transpose, dense->cma.population, n, n, 1, dense->samples, n, dense->axes,
                n, 0, dense->rows, n);
}

static void multiply(sac_cma_dense *dense)
{
    turn(dense, CblasNoTrans);
    double *samples = dense->rows;
    dense->rows = dense->samples;
    dense->samples = samples;
}

static void divide(sac_cma_dense *dense)
{
    turn(dense, CblasTrans);
}

// white = C^(-1/2) step = V^T (V step / d)
static void whiten(sac_cma_dense *dense)
{
    int n = dense->cma.dimension;
    double *along = dense->rows;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, dense->axes, n, dense->cma.step, 1, 0, along, 1);
    for (int i = 0; i < n; i++) along[i] /= dense->scale[i];
    cblas_dgemv(CblasRowMajor, CblasTrans, n, n, 1, dense->axes, n, along, 1, 0, dense->cma.white, 1);
}

static double largest(const sac_cma_dense *dense)
{
    return dense->scale[dense->cma.dimension - 1]; // the roots rise
}

static const sac_cma_form form = {
    .size = sizeof(full),
    .max_dimension = 30000, // LAPACK counts its workspace, 2 n^2, in an int
    .axes_name = "vectors",
    .scale_name = "roots",
    .create = create_own,
    .destroy = destroy_own,
    .decompose = decompose,
    .multiply = multiply,
    .divide = divide,
    .whiten = whiten,
    .largest = largest,
};

static sac_status create(sac_search *search, const void *config)
{
    return sac_cma_dense_create(search, config, &form);
}

const sac_search_method sac_cma_es = {
    .name = "cma-es",
    .summary = "CMA-ES with the full covariance: learns rotated valleys; memory and cost grow with n^2 and more",
    .create = create,
    SAC_CMA_DENSE_METHOD,
};
