#include "evolve/cma/eigen.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static int call(sac_eigen *eigen, double *vectors, double *roots, int work_size, int iwork_size)
{
    // Our lower triangle by rows is LAPACK's upper triangle by columns, and its column k of V is our row k.
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', eigen->n, vectors, eigen->n, roots, eigen->work, work_size,
                               eigen->iwork, iwork_size);
}

sac_status sac_eigen_create(sac_eigen *eigen, int n)
{
    double work_size, none;
    int iwork_size;
    // a call with sizes of -1 only asks how much workspace LAPACK needs
    *eigen = (sac_eigen){.n = n, .work = &work_size, .iwork = &iwork_size};
    int info = call(eigen, &none, &none, -1, -1);
    eigen->work = NULL;
    eigen->iwork = NULL;
    if (info != 0) return sac_fail(SAC_ERROR_ARGUMENT, "LAPACK has no eigendecomposition for n = %d", n);
    eigen->work_size = (int)work_size;
    eigen->iwork_size = iwork_size;
    eigen->work = SAC_NEW_ARRAY(double, (size_t)eigen->work_size);
    eigen->iwork = SAC_NEW_ARRAY(int, (size_t)eigen->iwork_size);
    return eigen->work && eigen->iwork ? SAC_OK : sac_fail_memory("an eigendecomposition");
}

void sac_eigen_destroy(sac_eigen *eigen)
{
    sac_free(eigen->work);
    sac_free(eigen->iwork);
}

sac_status sac_eigen_decompose(sac_eigen *eigen, double *covariance, double *vectors, double *roots)
{
    size_t n = (size_t)eigen->n;
    memcpy(vectors, covariance, n * n * sizeof *vectors);
    int info = call(eigen, vectors, roots, eigen->work_size, eigen->iwork_size);
    if (info != 0 || !(roots[n - 1] > 0) || !isfinite(roots[n - 1]))
        return sac_fail(SAC_ERROR_FORMAT, "cma-es: the covariance matrix has no eigendecomposition (LAPACK says %d)",
                        info);
    // the roots rise, so the first and the last are the extremes
    double lack = roots[n - 1] * 1e-15 - roots[0];
    if (lack > 0)
        for (size_t i = 0; i < n; i++)
        {
            covariance[i * n + i] += lack;
            roots[i] += lack;
        }
    for (size_t i = 0; i < n; i++) roots[i] = sqrt(roots[i]);
    return SAC_OK;
}
