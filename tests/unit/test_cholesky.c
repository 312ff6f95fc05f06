#include <float.h>

#include "search_scene.h"

/// CMA-ES with a triangular root: the root is one, and the form learns as the one with eigenvectors does.

enum
{
    N = 20
};

// reflected at (1, ..., 1), so that no axis is a coordinate
static double turned_ellipsoid(const float *x, int n)
{
    double along = 0, sum = 0;
    for (int i = 0; i < n; i++) along += (double)x[i];
    for (int i = 0; i < n; i++)
    {
        double y = (double)x[i] - 2 * along / n;
        sum += pow(1e4, (double)i / (n - 1)) * y * y;
    }
    return -sum;
}

// C = L D^2 L^T, where C is the lower triangle and L^T what lies above
static void assert_root(sac_search *search, int n)
{
    const double *c = state_array(search, "covariance").data, *d = state_array(search, "scale").data;
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, c[i * n + i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
        {
            double sum = 0;
            for (int k = 0; k <= j; k++) sum += (k < i ? c[k * n + i] : 1) * (k < j ? c[k * n + j] : 1) * d[k] * d[k];
            // backward stable: n + 1 roundings of the diagonal's size, and three of each product here
            assert_near(sum, c[i * n + j], (n + 1 + 3 * n) * DBL_EPSILON * largest);
        }
}

TEST(the_root_is_the_covariances)
{
    float x0[N];
    for (int i = 0; i < N; i++) x0[i] = 1;
    sac_search *search = make_search("cholesky-cma-es", "sigma=0.3 update_gap=1", N, x0, 3);
    for (int g = 0; g < 200; g++)
    {
        assert_ok(sac_search_prepare(search));
        if (g % 20 == 0) assert_root(search, N);
        run_generation(search, turned_ellipsoid, false);
    }
    sac_search_destroy(search);
}

// the sample covariance of many candidates is C
TEST(candidates_have_the_covariance)
{
    enum
    {
        DIMENSION = 4,
        POPULATION = 20000
    };
    sac_search *search = make_search("cholesky-cma-es", "population=20000 sigma=0.5 update_gap=1", DIMENSION, NULL, 5);
    double *c = state_array(search, "covariance").data, sum[DIMENSION][DIMENSION] = {{0}};
    static const double given[DIMENSION][DIMENSION] = {{4}, {1, 2}, {-1, 0.5, 3}, {0.2, -0.7, 0.3, 1}};
    for (int i = 0; i < DIMENSION; i++)
        for (int j = 0; j <= i; j++) c[i * DIMENSION + j] = given[i][j];
    state_array(search, "generation").data[0] = 1; // so that the root is taken
    assert_ok(sac_search_restored(search));
    assert_ok(sac_search_prepare(search));
    for (int k = 0; k < POPULATION; k++)
    {
        float x[DIMENSION];
        sac_search_ask(search, k, x);
        for (int i = 0; i < DIMENSION; i++)
            for (int j = 0; j <= i; j++) sum[i][j] += (double)x[i] * (double)x[j] / 0.25 / POPULATION;
    }
    // the standard error of an entry is sqrt((c_ii c_jj + c_ij^2) / count), at most 4 sqrt(2 / count); five of them
    for (int i = 0; i < DIMENSION; i++)
        for (int j = 0; j <= i; j++) assert_near(sum[i][j], given[i][j], 5 * 4 * sqrt(2.0 / POPULATION));
    sac_search_destroy(search);
}

static int generations_of(const char *method, objective *f, uint64_t seed)
{
    float x0[N];
    for (int i = 0; i < N; i++) x0[i] = 1;
    sac_search *search = make_search(method, "sigma=0.3", N, x0, seed);
    int count = generations_to(search, f, -1e-8, 10000);
    sac_search_destroy(search);
    return count;
}

TEST(it_learns_as_fast_as_the_form_with_eigenvectors)
{
    static objective *const functions[] = {sphere, ellipsoid, turned_ellipsoid};
    for (int k = 0; k < 3; k++)
    {
        int full = 0, triangle = 0;
        for (uint64_t seed = 1; seed <= 5; seed++)
        {
            full += generations_of("cma-es", functions[k], seed);
            triangle += generations_of("cholesky-cma-es", functions[k], seed);
        }
        print_message("n = %d, five seeds: %d generations by eigenvectors, %d by a triangle\n", N, full, triangle);
        // the sum of five differs by some per cent from draw to draw
        assert_true(triangle < 1.2 * full && full < 1.2 * triangle);
    }
}

TEST(small_and_negative_eigenvalues_are_guarded)
{
    assert_guards_small_eigenvalues("cholesky-cma-es", "scale");
}

TEST(a_state_that_is_no_covariance_is_refused)
{
    sac_search *search = make_search("cholesky-cma-es", "", 3, NULL, 2);
    double *scale = state_array(search, "scale").data, *decomposed = state_array(search, "decomposed").data;
    scale[1] = 0;
    assert_fails(sac_search_restored(search), SAC_ERROR_FORMAT, "at 1 is not positive");
    scale[1] = 1;
    decomposed[0] = 5;
    assert_fails(sac_search_restored(search), SAC_ERROR_FORMAT, "decomposed is 5");
    sac_search_destroy(search);
}

TESTS(the_root_is_the_covariances, candidates_have_the_covariance, it_learns_as_fast_as_the_form_with_eigenvectors,
      small_and_negative_eigenvalues_are_guarded, a_state_that_is_no_covariance_is_refused)
