#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "evolve/cma.h"
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

static pthread_mutex_t blas = PTHREAD_MUTEX_INITIALIZER;

typedef struct full
{
    sac_cma cma; // first: sac_cma_constants counts on it
    sac_eigen eigen;
    double gap;         // generations between decompositions
    double decomposed;  // generation of the last one
    double *covariance; // [n, n], the lower triangle
    double *vectors;    // [n, n], V
    double *roots;      // [n], d
    double *noise;      // [population, n], z d; scratch of tell
    double *samples;    // [population, n], y
    double *lengths;    // [population], |C^(-1/2) y|^2
} full;

static sac_status allocate(full *s, size_t n, size_t population)
{
    s->covariance = SAC_NEW_ARRAY(double, n *n);
    s->vectors = SAC_NEW_ARRAY(double, n *n);
    s->roots = SAC_NEW_ARRAY(double, n);
    s->noise = SAC_NEW_ARRAY(double, (population + 1) * n);
    s->samples = SAC_NEW_ARRAY(double, population *n);
    s->lengths = SAC_NEW_ARRAY(double, population);
    if (!s->covariance || !s->vectors || !s->roots || !s->noise || !s->samples || !s->lengths)
        return sac_fail_memory("a search with a full covariance matrix (sep-cma-es needs far less)");
    for (size_t i = 0; i < n; i++) s->covariance[i * n + i] = s->vectors[i * n + i] = s->roots[i] = 1;
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
    SAC_TRY(allocate(s, (size_t)n, (size_t)search->population));
    s->gap = c->update_gap > 0 ? c->update_gap : 1 / (10.0 * n * (s->cma.c_1 + s->cma.c_mu) + 1e-23);
    openblas_set_num_threads(1);
    return SAC_OK;
}

static void destroy(void *self)
{
    full *s = self;
    if (!s) return;
    sac_cma_destroy(&s->cma);
    sac_eigen_destroy(&s->eigen);
    sac_free(s->covariance);
    sac_free(s->vectors);
    sac_free(s->roots);
    sac_free(s->noise);
    sac_free(s->samples);
    sac_free(s->lengths);
    sac_free(s);
}

// y = V^T d z for all candidates at once
static void draw_samples(full *s, const sac_search *search)
{
    int n = search->dimension;
    for (int k = 0; k < search->population; k++)
    {
        double *z = s->noise + (size_t)k * (size_t)n, squares = 0;
        sac_cma_noise(&s->cma, search, k, z);
        for (int i = 0; i < n; i++)
        {
            squares += z[i] * z[i];
            z[i] *= s->roots[i];
        }
        s->lengths[k] = squares;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, search->population, n, n, 1, s->noise, n, s->vectors, n, 0,
                s->samples, n);
}

static sac_status decompose_and_draw(full *s, const sac_search *search)
{
    if (search->generation >= s->decomposed + s->gap)
    {
        SAC_TRY(sac_eigen_decompose(&s->eigen, s->covariance, s->vectors, s->roots));
        s->decomposed = search->generation;
    }
    draw_samples(s, search);
    return SAC_OK;
}

static sac_status prepare(sac_search *search)
{
    pthread_mutex_lock(&blas);
    sac_status status = decompose_and_draw(search->self, search);
    pthread_mutex_unlock(&blas);
    return status;
}

static void ask(const sac_search *search, int index, float *x)
{
    const full *s = search->self;
    const double *y = s->samples + (size_t)index * (size_t)search->dimension;
    for (int i = 0; i < search->dimension; i++) x[i] = (float)(search->mean[i] + search->sigma * y[i]);
}

// The caller's candidates in place of the asked ones: y = (x - m) / sigma and its length in units of C.
static void replace_samples(full *s, const sac_search *search, const double *x)
{
    int n = search->dimension;
    for (int k = 0; k < search->population; k++)
        for (int i = 0; i < n; i++)
        {
            size_t at = (size_t)k * (size_t)n + (size_t)i;
            s->samples[at] = (x[at] - search->mean[i]) / search->sigma;
        }
    if (!s->cma.config.active) return;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, search->population, n, n, 1, s->samples, n, s->vectors, n, 0,
                s->noise, n);
    for (int k = 0; k < search->population; k++)
    {
        const double *v = s->noise + (size_t)k * (size_t)n;
        s->lengths[k] = 0;
        for (int i = 0; i < n; i++) s->lengths[k] += v[i] / s->roots[i] * (v[i] / s->roots[i]);
    }
}

// white = C^(-1/2) step = V^T (V step / d)
static void whiten(full *s, int n)
{
    double *along = s->noise;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, s->vectors, n, s->cma.step, 1, 0, along, 1);
    for (int i = 0; i < n; i++) along[i] /= s->roots[i];
    cblas_dgemv(CblasRowMajor, CblasTrans, n, n, 1, s->vectors, n, along, 1, 0, s->cma.white, 1);
}

// one row sqrt(weight) y of a rank-many update, after the `count` that are there
static void add_row(full *s, int n, int count, double weight, const double *y)
{
    double *row = s->noise + (size_t)count * (size_t)n, root = sqrt(weight);
    for (int i = 0; i < n; i++) row[i] = root * y[i];
}

// C <- keep C + sign sum of row^T row
static void apply_rows(full *s, int n, int count, double sign, double keep)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, count, sign, s->noise, n, keep, s->covariance, n);
}

static void move_covariance(full *s, const int *order, double c_1)
{
    sac_cma *cma = &s->cma;
    int n = cma->dimension, count = 0;
    for (int k = 0; k < cma->mu; k++)
        add_row(s, n, count++, cma->c_mu * cma->weights[k], s->samples + (size_t)order[k] * (size_t)n);
    add_row(s, n, count++, cma->c_1, cma->path_c);
    apply_rows(s, n, count, 1, sac_cma_keep(cma, c_1));

    count = 0;
    for (int k = cma->mu; k < cma->population; k++)
    {
        double weight = -cma->weights[k] * sac_cma_negative_factor(cma, s->lengths[order[k]]);
        if (weight > 0) add_row(s, n, count++, cma->c_mu * weight, s->samples + (size_t)order[k] * (size_t)n);
    }
    if (count > 0) apply_rows(s, n, count, -1, 1);
}

static void rescale(full *s, sac_search *search)
{
    size_t n = (size_t)search->dimension;
    double factor = sac_cma_rescale(&s->cma, search, s->roots[n - 1]);
    if (factor == 1) return;
    for (size_t i = 0; i < n * n; i++) s->covariance[i] /= factor * factor;
    for (size_t i = 0; i < n; i++) s->roots[i] /= factor;
}

static void move(full *s, sac_search *search, const int *order, const double *x)
{
    sac_cma *cma = &s->cma;
    int n = search->dimension;
    if (x) replace_samples(s, search, x);
    memset(cma->step, 0, (size_t)n * sizeof(double));
    for (int k = 0; k < cma->mu; k++)
        cblas_daxpy(n, cma->weights[k], s->samples + (size_t)order[k] * (size_t)n, 1, cma->step, 1);
    whiten(s, n);
    move_covariance(s, order, sac_cma_move(cma, search));
    sac_cma_move_sigma(cma, search);
    rescale(s, search);
}

static sac_status tell(sac_search *search, const int *order, const double *x)
{
    pthread_mutex_lock(&blas);
    move(search->self, search, order, x);
    pthread_mutex_unlock(&blas);
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
    sac_search_add_array(arrays, capacity, count, "covariance", s->covariance, n * n);
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
        if (s->covariance[i * n + i] <= 0 || s->roots[i] <= 0)
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
