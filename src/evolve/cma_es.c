#include <cblas.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "evolve/cma_dense.h"
#include "evolve/eigen.h"

/// cma-es: CMA-ES with the full covariance matrix C (Hansen 2016, arXiv:1604.00772), as pycma 4.5 has it.
///
/// C is decomposed into V^T diag(d^2) V only every few generations, and a generation's candidates come from one product
/// of matrices, so its cost is that of two such products and, now and then, about 9 n^3 for the decomposition. Memory:
/// 4 n^2 doubles (430 MB for n = 3667), of which C and V are state. BLAS runs in one thread, and its last bits depend
/// on the kind of machine. Where OpenBLAS is built without threads its buffers belong to nobody: one search at a time
/// calls it.

enum
{
    MAX_DIMENSION = 30000
}; // LAPACK counts its workspace, 2 n^2, in an int

typedef struct full_config
{
    sac_cma_config cma; // first: SAC_CMA_OPTIONS counts on it
    int update_gap;
} full_config;

static const sac_option options[] = {
    SAC_CMA_OPTIONS("true"),
    {"update_gap", SAC_OPTION_INT, offsetof(full_config, update_gap), "0", 0, 1000000, NULL,
     "generations between eigendecompositions; 0: 1 / (10 n (c_1 + c_mu))"},
    {0},
};

typedef struct full
{
    sac_cma cma; // first: sac_cma_constants counts on it
    sac_cma_dense dense;
    sac_eigen eigen;
    double gap;        // generations between decompositions
    double decomposed; // generation of the last one
    double *vectors;   // [n, n], V
    double *roots;     // [n], d
} full;

static sac_status allocate(full *s, size_t n)
{
    s->vectors = SAC_NEW_ARRAY(double, n *n);
    s->roots = SAC_NEW_ARRAY(double, n);
    if (!s->vectors || !s->roots) return sac_fail_memory("the axes of a covariance matrix");
    for (size_t i = 0; i < n; i++) s->vectors[i * n + i] = s->roots[i] = 1;
    return SAC_OK;
}

static sac_status create(sac_search *search, const void *config)
{
    const full_config *c = config;
    int n = search->dimension;
    if (n > MAX_DIMENSION)
        return sac_fail(SAC_ERROR_ARGUMENT, "cma-es: dimension is %d, expected at most %d; sep-cma-es has no limit", n,
                        MAX_DIMENSION);
    full *s = SAC_NEW(full);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    SAC_TRY(sac_cma_create(&s->cma, search, &c->cma, 1));
    SAC_TRY(sac_eigen_create(&s->eigen, n));
    SAC_TRY(sac_cma_dense_create(&s->dense, search));
    SAC_TRY(allocate(s, (size_t)n));
    s->gap = c->update_gap > 0 ? c->update_gap : 1 / (10.0 * n * (s->cma.c_1 + s->cma.c_mu) + 1e-23);
    return SAC_OK;
}

static void destroy(void *self)
{
    full *s = self;
    if (!s) return;
    sac_cma_destroy(&s->cma);
    sac_eigen_destroy(&s->eigen);
    sac_cma_dense_destroy(&s->dense);
    sac_free(s->vectors);
    sac_free(s->roots);
    sac_free(s);
}

// y = V^T d z for all candidates at once
static void draw_samples(full *s, const sac_search *search)
{
    int n = search->dimension;
    for (int k = 0; k < search->population; k++)
    {
        double *z = s->dense.rows + (size_t)k * (size_t)n, squares = 0;
        sac_cma_noise(&s->cma, search, k, z);
        for (int i = 0; i < n; i++)
        {
            squares += z[i] * z[i];
            z[i] *= s->roots[i];
        }
        s->dense.lengths[k] = squares;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, search->population, n, n, 1, s->dense.rows, n, s->vectors, n,
                0, s->dense.samples, n);
}

static sac_status decompose_and_draw(full *s, const sac_search *search)
{
    if (search->generation >= s->decomposed + s->gap)
    {
        SAC_TRY(sac_eigen_decompose(&s->eigen, s->dense.covariance, s->vectors, s->roots));
        s->decomposed = search->generation;
    }
    draw_samples(s, search);
    return SAC_OK;
}

static sac_status prepare(sac_search *search)
{
    sac_cma_dense_enter();
    sac_status status = decompose_and_draw(search->self, search);
    sac_cma_dense_leave();
    return status;
}

static void ask(const sac_search *search, int index, float *x)
{
    const full *s = search->self;
    sac_cma_dense_ask(&s->dense, search, index, x);
}

// |C^(-1/2) y|^2 of candidates that the caller supplied
static void measure_samples(full *s, const sac_search *search)
{
    int n = search->dimension;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, search->population, n, n, 1, s->dense.samples, n, s->vectors,
                n, 0, s->dense.rows, n);
    for (int k = 0; k < search->population; k++)
    {
        const double *v = s->dense.rows + (size_t)k * (size_t)n;
        s->dense.lengths[k] = 0;
        for (int i = 0; i < n; i++) s->dense.lengths[k] += v[i] / s->roots[i] * (v[i] / s->roots[i]);
    }
}

// white = C^(-1/2) step = V^T (V step / d)
static void whiten(full *s, int n)
{
    double *along = s->dense.rows;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, s->vectors, n, s->cma.step, 1, 0, along, 1);
    for (int i = 0; i < n; i++) along[i] /= s->roots[i];
    cblas_dgemv(CblasRowMajor, CblasTrans, n, n, 1, s->vectors, n, along, 1, 0, s->cma.white, 1);
}

static void rescale(full *s, sac_search *search)
{
    size_t n = (size_t)search->dimension;
    double factor = sac_cma_rescale(&s->cma, search, s->roots[n - 1]);
    if (factor == 1) return;
    for (size_t i = 0; i < n * n; i++) s->dense.covariance[i] /= factor * factor;
    for (size_t i = 0; i < n; i++) s->roots[i] /= factor;
}

static void move(full *s, sac_search *search, const int *order, const double *x)
{
    sac_cma *cma = &s->cma;
    if (x) sac_cma_dense_replace(&s->dense, search, x);
    if (x && cma->config.active) measure_samples(s, search);
    sac_cma_dense_step(&s->dense, cma, order);
    whiten(s, search->dimension);
    sac_cma_dense_learn(&s->dense, cma, order, sac_cma_move(cma, search));
    sac_cma_move_sigma(cma, search);
    rescale(s, search);
}

static sac_status tell(sac_search *search, const int *order, const double *x)
{
    sac_cma_dense_enter();
    move(search->self, search, order, x);
    sac_cma_dense_leave();
    return SAC_OK;
}

static const char *stop(const sac_search *search)
{
    const full *s = search->self;
    return sac_cma_stop(search, s->roots[search->dimension - 1], s->roots[0]);
}

static void state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    full *s = search->self;
    size_t n = (size_t)search->dimension;
    sac_cma_state(&s->cma, arrays, capacity, count);
    sac_search_add_array(arrays, capacity, count, "decomposed", &s->decomposed, 1);
    sac_search_add_array(arrays, capacity, count, "covariance", s->dense.covariance, n * n);
    sac_search_add_array(arrays, capacity, count, "vectors", s->vectors, n * n);
    sac_search_add_array(arrays, capacity, count, "roots", s->roots, n);
}

static sac_status restored(sac_search *search)
{
    full *s = search->self;
    size_t n = (size_t)search->dimension;
    if (s->decomposed < 0 || s->decomposed > search->generation)
        return sac_fail(SAC_ERROR_FORMAT, "cma-es: the state's decomposed is %g, expected 0 to the generation, %g",
                        s->decomposed, search->generation);
    for (size_t i = 0; i < n; i++)
        if (s->dense.covariance[i * n + i] <= 0 || s->roots[i] <= 0)
            return sac_fail(SAC_ERROR_FORMAT, "cma-es: the state's covariance or roots at %zu are not positive", i);
    return SAC_OK;
}

const sac_search_method sac_cma_es = {
    .name = "cma-es",
    .summary = "CMA-ES with the full covariance: learns rotated valleys; memory and cost grow with n^2 and more",
    .options = options,
    .config_size = sizeof(full_config),
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
