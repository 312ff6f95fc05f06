#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "evolve/cma_dense.h"

/// cholesky-cma-es: CMA-ES with the full covariance matrix, whose root is a triangle (after Krause, Arbones and Igel
/// 2016). In place of eigenvectors
///
///     C = A A^T    A = L D, L lower triangular with ones on its diagonal, D diagonal
///     y = A z      p_sigma <- (1 - c_sigma) p_sigma + sqrt(c_sigma (2 - c_sigma) mu_eff) A^-1 step
///
/// and the rest is cma-es. The root is taken anew, n^3 / 3 operations, as often as cma-es takes its own; rank-one
/// updates of the root itself, one for each of some hundred candidates, would cost more. One matrix holds both: C the
/// lower triangle, L^T what lies above, so that memory is n^2 numbers and two rows a candidate.

enum
{
    MAX_DIMENSION = 40000, // n^2 is counted in an int by BLAS
    MAX_LIFTS = 60
};

typedef struct cholesky_config
{
    sac_cma_config cma; // first: SAC_CMA_OPTIONS counts on it
    int update_gap;
} cholesky_config;

static const sac_option options[] = {
    SAC_CMA_OPTIONS("true"),
    {"update_gap", SAC_OPTION_INT, offsetof(cholesky_config, update_gap), "0", 0, 1000000, NULL,
     "generations between decompositions; 0: 1 / (10 n (c_1 + c_mu))"},
    {0},
};

typedef struct cholesky
{
    sac_cma cma;         // first: sac_cma_constants counts on it
    sac_cma_dense dense; // L^T lies above its covariance
    double gap;          // generations between decompositions
    double decomposed;   // generation of the last one
    double *scale;       // [n], D
    double *diagonal;    // [n], C's, while the root is taken
} cholesky;

static sac_status create(sac_search *search, const void *config)
{
    const cholesky_config *c = config;
    int n = search->dimension;
    if (n > MAX_DIMENSION)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "cholesky-cma-es: dimension is %d, expected at most %d; sep-cma-es has no limit", n,
                        MAX_DIMENSION);
    cholesky *s = SAC_NEW(cholesky);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    SAC_TRY(sac_cma_create(&s->cma, search, &c->cma, 1));
    SAC_TRY(sac_cma_dense_create(&s->dense, search));
    s->scale = SAC_NEW_ARRAY(double, (size_t)n);
    s->diagonal = SAC_NEW_ARRAY(double, (size_t)n);
    if (!s->scale || !s->diagonal) return sac_fail_memory("a search");
    for (int i = 0; i < n; i++) s->scale[i] = 1;
    s->gap = c->update_gap > 0 ? c->update_gap : 1 / (10.0 * n * (s->cma.c_1 + s->cma.c_mu) + 1e-23);
    return SAC_OK;
}

static void destroy(void *self)
{
    cholesky *s = self;
    if (!s) return;
    sac_cma_destroy(&s->cma);
    sac_cma_dense_destroy(&s->dense);
    sac_free(s->scale);
    sac_free(s->diagonal);
    sac_free(s);
}

// C's lower triangle as the upper one, a block at a time so that both stay in the cache
static void mirror(double *c, size_t n)
{
    const size_t block = 32;
    for (size_t row = 0; row < n; row += block)
        for (size_t column = 0; column <= row; column += block)
            for (size_t i = row; i < n && i < row + block; i++)
                for (size_t j = column; j < i && j < column + block; j++) c[j * n + i] = c[i * n + j];
}

// Take the root of C + lift I into the upper triangle and the diagonal; whether there is one.
static bool take_root(cholesky *s, int n, double lift)
{
    double *c = s->dense.covariance;
    size_t stride = (size_t)n + 1;
    mirror(c, (size_t)n);
    for (int i = 0; i < n; i++) c[(size_t)i * stride] = s->diagonal[i] + lift;
    // our upper triangle by rows is LAPACK's lower one by columns
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, c, n) == 0;
}

static sac_status decompose(cholesky *s, int n)
{
    double *c = s->dense.covariance, largest = 0, lift = 0;
    size_t stride = (size_t)n + 1;
    for (int i = 0; i < n; i++) s->diagonal[i] = c[(size_t)i * stride];
    for (int i = 0; i < n; i++) largest = fmax(largest, s->diagonal[i]);
    // eigenvalues that are numerical dirt: all are raised by as little as it takes
    int lifts = 0;
    while (lifts < MAX_LIFTS && !take_root(s, n, lift)) lift = ldexp(largest, lifts++ - 50);
    if (lifts == MAX_LIFTS || !isfinite(largest))
        return sac_fail(SAC_ERROR_FORMAT, "cholesky-cma-es: the covariance matrix has no root");
    for (int i = 0; i < n; i++)
    {
        double *row = c + (size_t)i * (size_t)n;
        s->scale[i] = row[i];
        for (int j = i + 1; j < n; j++) row[j] /= s->scale[i];
        row[i] = s->diagonal[i] + lift;
    }
    return SAC_OK;
}

// y = L D z for all candidates at once
static void draw_samples(cholesky *s, const sac_search *search)
{
    int n = search->dimension;
    for (int k = 0; k < search->population; k++)
    {
        double *z = s->dense.samples + (size_t)k * (size_t)n, squares = 0;
        sac_cma_noise(&s->cma, search, k, z);
        for (int i = 0; i < n; i++)
        {
            squares += z[i] * z[i];
            z[i] *= s->scale[i];
        }
        s->dense.lengths[k] = squares;
    }
    cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasUnit, search->population, n, 1,
                s->dense.covariance, n, s->dense.samples, n);
}

static sac_status decompose_and_draw(cholesky *s, const sac_search *search)
{
    if (search->generation >= s->decomposed + s->gap)
    {
        SAC_TRY(decompose(s, search->dimension));
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
    const cholesky *s = search->self;
    sac_cma_dense_ask(&s->dense, search, index, x);
}

// |A^-1 y|^2 of candidates that the caller supplied
static void measure_samples(cholesky *s, const sac_search *search)
{
    int n = search->dimension;
    size_t size = (size_t)n * (size_t)search->population;
    memcpy(s->dense.rows, s->dense.samples, size * sizeof(double));
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasUnit, search->population, n, 1,
                s->dense.covariance, n, s->dense.rows, n);
    for (int k = 0; k < search->population; k++)
    {
        const double *v = s->dense.rows + (size_t)k * (size_t)n;
        s->dense.lengths[k] = 0;
        for (int i = 0; i < n; i++) s->dense.lengths[k] += v[i] / s->scale[i] * (v[i] / s->scale[i]);
    }
}

// white = A^-1 step
static void whiten(cholesky *s, int n)
{
    double *white = s->cma.white;
    memcpy(white, s->cma.step, (size_t)n * sizeof(double));
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasTrans, CblasUnit, n, s->dense.covariance, n, white, 1);
    for (int i = 0; i < n; i++) white[i] /= s->scale[i];
}

// the largest standard deviation along any coordinate
static double largest_deviation(const cholesky *s, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, s->dense.covariance[i * (n + 1)]);
    return sqrt(largest);
}

static void rescale(cholesky *s, sac_search *search)
{
    size_t n = (size_t)search->dimension;
    double factor = sac_cma_rescale(&s->cma, search, largest_deviation(s, n));
    if (factor == 1) return;
    for (size_t i = 0; i < n; i++)
    {
        for (size_t j = 0; j <= i; j++) s->dense.covariance[i * n + j] /= factor * factor;
        s->scale[i] /= factor;
    }
}

static void move(cholesky *s, sac_search *search, const int *order, const double *x)
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

// D is what each coordinate has left once those before it are known: no axis is longer than its smallest
static const char *stop(const sac_search *search)
{
    const cholesky *s = search->self;
    double smallest = s->scale[0];
    for (int i = 1; i < search->dimension; i++) smallest = fmin(smallest, s->scale[i]);
    return sac_cma_stop(search, largest_deviation(s, (size_t)search->dimension), smallest);
}

static void state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    cholesky *s = search->self;
    size_t n = (size_t)search->dimension;
    sac_cma_state(&s->cma, arrays, capacity, count);
    sac_search_add_array(arrays, capacity, count, "decomposed", &s->decomposed, 1);
    sac_search_add_array(arrays, capacity, count, "covariance", s->dense.covariance, n * n);
    sac_search_add_array(arrays, capacity, count, "scale", s->scale, n);
}

static sac_status restored(sac_search *search)
{
    cholesky *s = search->self;
    size_t n = (size_t)search->dimension;
    if (s->decomposed < 0 || s->decomposed > search->generation)
        return sac_fail(SAC_ERROR_FORMAT,
                        "cholesky-cma-es: the state's decomposed is %g, expected 0 to the generation, %g",
                        s->decomposed, search->generation);
    for (size_t i = 0; i < n; i++)
        if (s->dense.covariance[i * (n + 1)] <= 0 || s->scale[i] <= 0)
            return sac_fail(SAC_ERROR_FORMAT, "cholesky-cma-es: the state's covariance or scale at %zu is not positive",
                            i);
    return SAC_OK;
}

const sac_search_method sac_cholesky_cma_es = {
    .name = "cholesky-cma-es",
    .summary = "cma-es with a triangular root: learns the same, several times faster in thousands of dimensions",
    .options = options,
    .config_size = sizeof(cholesky_config),
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
