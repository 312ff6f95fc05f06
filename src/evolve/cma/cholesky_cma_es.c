#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "evolve/cma/cma_dense.h"

/// cholesky-cma-es: CMA-ES with the full covariance matrix, whose root is a triangle (after Krause, Arbones and Igel
/// 2016). In place of eigenvectors
///
///     C = A A^T    A = L D, L lower triangular with ones on its diagonal, D diagonal
///     y = A z      p_sigma <- (1 - c_sigma) p_sigma + sqrt(c_sigma (2 - c_sigma) mu_eff) A^-1 step
///
/// The rest is cma-es. The root is computed anew as often as cma-es decomposes its matrix, and takes n^3 / 3
/// operations. Rank-one updates of the root, one for each of some hundred candidates, would cost more. One matrix holds
/// both: C is its lower triangle and L^T its upper one, so that memory is n^2 numbers and two rows for each candidate.

enum
{
    MAX_LIFTS = 60
};

typedef struct cholesky
{
    sac_cma_dense dense; // first: sac_cma_form
    double *diagonal;    // [n], C's diagonal, while the root is computed
} cholesky;

static sac_status create_own(sac_cma_dense *dense)
{
    cholesky *s = (cholesky *)dense;
    s->diagonal = SAC_NEW_ARRAY(double, (size_t)dense->cma.dimension);
    return s->diagonal ? SAC_OK : sac_fail_memory("a search");
}

static void destroy_own(sac_cma_dense *dense)
{
    sac_free(((cholesky *)dense)->diagonal);
}

// Copy C's lower triangle into the upper one, a block at a time so that both blocks stay in the cache.
static void mirror(double *c, size_t n)
{
    const size_t block = 32;
    for (size_t row = 0; row < n; row += block)
        for (size_t column = 0; column <= row; column += block)
            for (size_t i = row; i < n && i < row + block; i++)
                for (size_t j = column; j < i && j < column + block; j++) c[j * n + i] = c[i * n + j];
}

// Compute the root of C + lift I in the upper triangle and the diagonal. @return whether there is one
static bool take_root(cholesky *s, int n, double lift)
{
    double *c = s->dense.covariance;
    size_t stride = (size_t)n + 1;
    mirror(c, (size_t)n);
    for (int i = 0; i < n; i++) c[(size_t)i * stride] = s->diagonal[i] + lift;
    // our upper triangle by rows is LAPACK's lower triangle by columns
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, c, n) == 0;
}

static sac_status decompose(sac_cma_dense *dense)
{
    cholesky *s = (cholesky *)dense;
    int n = dense->cma.dimension, lifts = 0;
    double *c = dense->covariance, largest = 0, lift = 0;
    size_t stride = (size_t)n + 1;
    for (int i = 0; i < n; i++) s->diagonal[i] = c[(size_t)i * stride];
    for (int i = 0; i < n; i++) largest = fmax(largest, s->diagonal[i]);
    // Rounding can make small eigenvalues negative. Then all are raised by as little as is needed.
    while (lifts < MAX_LIFTS && !take_root(s, n, lift)) lift = ldexp(largest, lifts++ - 50);
    if (lifts == MAX_LIFTS || !isfinite(largest))
        return sac_fail(SAC_ERROR_FORMAT, "cholesky-cma-es: the covariance matrix has no root");
    for (int i = 0; i < n; i++)
    {
        double *row = c + (size_t)i * (size_t)n;
        dense->scale[i] = row[i];
        for (int j = i + 1; j < n; j++) row[j] /= dense->scale[i];
        row[i] = s->diagonal[i] + lift;
    }
    return SAC_OK;
}

static void multiply(sac_cma_dense *dense)
{
    int n = dense->cma.dimension;
    cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasUnit, dense->cma.population, n, 1,
                dense->covariance, n, dense->samples, n);
}

static void divide(sac_cma_dense *dense)
{
    int n = dense->cma.dimension;
    memcpy(dense->rows, dense->samples, (size_t)n * (size_t)dense->cma.population * sizeof(double));
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasUnit, dense->cma.population, n, 1,
                dense->covariance, n, dense->rows, n);
}

// Compute white = A^-1 step.
static void whiten(sac_cma_dense *dense)
{
    int n = dense->cma.dimension;
    double *white = dense->cma.white;
    memcpy(white, dense->cma.step, (size_t)n * sizeof(double));
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasTrans, CblasUnit, n, dense->covariance, n, white, 1);
    for (int i = 0; i < n; i++) white[i] /= dense->scale[i];
}

// Find the largest standard deviation along any coordinate.
static double largest(const sac_cma_dense *dense)
{
    size_t n = (size_t)dense->cma.dimension;
    double variance = 0;
    for (size_t i = 0; i < n; i++) variance = fmax(variance, dense->covariance[i * (n + 1)]);
    return sqrt(variance);
}

static const sac_cma_form form = {
    .size = sizeof(cholesky),
    .max_dimension = 40000, // BLAS counts n^2 in an int
    .scale_name = "scale",
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

const sac_search_method sac_cholesky_cma_es = {
    .name = "cholesky-cma-es",
    .summary = "cma-es with a triangular root: learns the same, several times faster in thousands of dimensions",
    .create = create,
    SAC_CMA_DENSE_METHOD,
};
