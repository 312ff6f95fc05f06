#include "base/threads.h"
#include "search_scene.h"

/// The options that both forms of CMA-ES share, each alone; and asking from several threads.

enum
{
    N = 11,
    POPULATION = 9
};

static const char *const methods[] = {"cma-es", "sep-cma-es"};

enum
{
    METHODS = sizeof methods / sizeof *methods
};

TEST(mirrored_candidates_lie_opposite_each_other)
{
    for (int m = 0; m < METHODS; m++)
    {
        sac_search *search = make_search(methods[m], "mirrored=true population=9", N, NULL, 8);
        assert_ok(sac_search_prepare(search));
        float x[POPULATION][N];
        for (int k = 0; k < POPULATION; k++) sac_search_ask(search, k, x[k]);
        for (int k = 0; k + 1 < POPULATION; k += 2)
            for (int i = 0; i < N; i++) assert_true(x[k][i] == -x[k + 1][i] && x[k][i] != 0); // the mean is zero
        assert_memory_not_equal(x[0], x[2], sizeof x[0]);
        assert_memory_not_equal(x[6], x[8], sizeof x[0]);
        sac_search_destroy(search);

        float x0[N];
        fill_uniform(x0, N, 3);
        search = make_search(methods[m], "mirrored=true sigma=0.5", N, x0, 8);
        assert_in_range(generations_to(search, sphere, -1e-9, 600), 20, 599);
        sac_search_destroy(search);
    }
}

TEST(a_fixed_step_follows_its_schedule)
{
    for (int m = 0; m < METHODS; m++)
    {
        sac_search *search =
            make_search(methods[m], "csa=false sigma=0.25 sigma_decay=0.75 sigma_floor=0.125", N, NULL, 8);
        double expected = 0.25;
        for (int g = 0; g < 10; g++)
        {
            assert_true(sac_search_sigma(search) == expected);
            run_generation(search, rosenbrock, false);
            expected = fmax(expected * 0.75, 0.125);
        }
        sac_search_destroy(search);

        search = make_search(methods[m], "csa=false sigma=0.25 sigma_decay=0.5 sigma_decay_from=3", N, NULL, 8);
        for (int g = 0; g < 5; g++)
        {
            assert_true(sac_search_sigma(search) == (g <= 3 ? 0.25 : 0.125));
            run_generation(search, rosenbrock, false);
        }
        sac_search_destroy(search);
    }
}

// d_sigma divides the change of ln sigma
TEST(damping_slows_the_step_size)
{
    for (int m = 0; m < METHODS; m++)
    {
        sac_search *fast = make_search(methods[m], "sigma=0.1", N, NULL, 8);
        sac_search *slow = make_search(methods[m], "sigma=0.1 csa_damping=4", N, NULL, 8);
        run_generation(fast, rosenbrock, false);
        run_generation(slow, rosenbrock, false);
        double change = log(sac_search_sigma(fast) / 0.1);
        assert_true(fabs(change) > 1e-3);
        assert_near(log(sac_search_sigma(slow) / 0.1), change / 4, 1e-12);
        sac_search_destroy(fast);
        sac_search_destroy(slow);
    }
}

TEST(no_covariance_rate_keeps_the_sphere)
{
    sac_search *search = make_search("sep-cma-es", "covariance_rate=0", N, NULL, 8);
    for (int g = 0; g < 30; g++) run_generation(search, ellipsoid, false);
    for (int i = 0; i < N; i++) assert_true(state_array(search, "variance").data[i] == 1);
    sac_search_destroy(search);
    search = make_search("cma-es", "covariance_rate=0 update_gap=1", N, NULL, 8);
    for (int g = 0; g < 30; g++) run_generation(search, ellipsoid, false);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) assert_true(state_array(search, "covariance").data[i * N + j] == (i == j ? 1 : 0));
    sac_search_destroy(search);
}

// m <- m + c_m sigma step: half the c_m, half the first move
TEST(c_mean_scales_the_move)
{
    for (int m = 0; m < METHODS; m++)
    {
        sac_search *whole = make_search(methods[m], "", N, NULL, 8);
        sac_search *half = make_search(methods[m], "c_mean=0.5", N, NULL, 8);
        run_generation(whole, rosenbrock, false);
        run_generation(half, rosenbrock, false);
        for (int i = 0; i < N; i++)
            assert_true(state_array(half, "mean").data[i] == state_array(whole, "mean").data[i] / 2);
        sac_search_destroy(whole);
        sac_search_destroy(half);
    }
}

// without any other fitness than 1, decay alone ranks by length
static double nearly_nothing(const float *x, int n)
{
    (void)n;
    return 1 + 1e-30 * (double)x[0];
}

TEST(weight_decay_draws_to_zero)
{
    float x0[N];
    fill_uniform(x0, N, 3);
    for (int m = 0; m < METHODS; m++)
    {
        sac_search *decayed = make_search(methods[m], "weight_decay=0.5 sigma=0.3", N, x0, 8);
        sac_search *sphered = make_search(methods[m], "sigma=0.3", N, x0, 8);
        for (int g = 0; g < 200; g++)
        {
            run_generation(decayed, nearly_nothing, false);
            run_generation(sphered, sphere, false);
        }
        assert_true(mean_value(decayed, sphere) > -1e-6 && mean_value(sphered, sphere) > -1e-6);
        sac_search_destroy(decayed);
        sac_search_destroy(sphered);
    }
}

TEST(the_default_population_is_hansens)
{
    static const int dimensions[] = {1, 2, 10, 3667}, populations[] = {4, 6, 10, 28};
    for (int i = 0; i < 4; i++)
    {
        sac_search *search = make_search("sep-cma-es", "", dimensions[i], NULL, 8);
        assert_int_equal(sac_search_population(search), populations[i]);
        sac_search_destroy(search);
    }
}

// one dimension, two candidates: the smallest search there is
TEST(the_smallest_search_works)
{
    for (int m = 0; m < METHODS; m++)
    {
        float x0 = 3;
        sac_search *search = make_search(methods[m], "population=2 sigma=0.5", 1, &x0, 8);
        assert_in_range(generations_to(search, sphere, -1e-4, 400), 3, 399);
        sac_search_destroy(search);
    }
}

static double bowl(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum -= (i + 1) * ((double)x[i] - 1) * ((double)x[i] - 1);
    return sum;
}

// cma-es leaves its products to BLAS, which has levels of its own
TEST(every_cpu_level_gives_the_same_bits)
{
    enum
    {
        SIZE = 301
    };
    const char *name;
    sac_cpu_level best = sac_get_cpu_level();
    for (int m = 0; (name = sac_search_method_at(m, NULL, NULL)) != NULL; m++)
    {
        if (strcmp(name, "cma-es") == 0) continue;
        sac_set_cpu_level(SAC_CPU_SCALAR);
        sac_search *expected = make_search(name, "population=12", SIZE, NULL, 8);
        for (int g = 0; g < 20; g++) run_generation(expected, bowl, false);
        for (int level = SAC_CPU_SCALAR + 1; level <= (int)best; level++)
        {
            sac_set_cpu_level((sac_cpu_level)level);
            sac_search *search = make_search(name, "population=12", SIZE, NULL, 8);
            for (int g = 0; g < 20; g++) run_generation(search, bowl, false);
            assert_same_state(search, expected);
            sac_search_destroy(search);
        }
        sac_search_destroy(expected);
    }
    sac_set_cpu_level(best);
}

static void scale_array(sac_search *search, const char *name, double factor)
{
    sac_search_array array = state_array(search, name);
    for (size_t i = 0; i < array.count; i++) array.data[i] *= factor;
}

// sigma 2^-30 and C 2^60 times as large are the same search, to the bit of every mean, and the next tell says so
TEST(sigma_and_covariance_may_share_their_size_in_any_way)
{
    for (int m = 0; m < METHODS; m++)
    {
        bool full = strcmp(methods[m], "cma-es") == 0;
        sac_search *plain = make_search(methods[m], "sigma=0.1", N, NULL, 8);
        sac_search *drifted = make_search(methods[m], "sigma=0.1", N, NULL, 8);
        scale_array(drifted, "sigma", 0x1p-30);
        scale_array(drifted, full ? "covariance" : "variance", 0x1p60);
        if (full) scale_array(drifted, "roots", 0x1p30);
        assert_ok(sac_search_restored(drifted));
        for (int g = 0; g < 50; g++)
        {
            run_generation(plain, rosenbrock, false);
            run_generation(drifted, rosenbrock, false);
            assert_memory_equal(state_array(plain, "mean").data, state_array(drifted, "mean").data, N * sizeof(double));
            double ratio = sac_search_sigma(plain) / sac_search_sigma(drifted);
            assert_true(ratio >= 0.5 && ratio <= 2);
        }
        sac_search_destroy(plain);
        sac_search_destroy(drifted);
    }
}

// along Rosenbrock's valley the diagonal shrinks as sigma grows, by ten orders of magnitude in ten thousand evaluations
TEST(a_long_valley_is_no_reason_to_stop)
{
    float x0[10] = {0};
    sac_search *search = make_search("sep-cma-es", "sigma=0.1", 10, x0, 8);
    assert_in_range(generations_to(search, rosenbrock, -1e-8, 12000), 4000, 11999);
    assert_null(sac_search_stop(search));
    sac_search_destroy(search);
}

enum
{
    CROWD = 64
};

typedef struct asking
{
    const sac_search *search;
    float x[CROWD][N];
} asking;

static void ask_every_third(void *user, int index)
{
    asking *a = user;
    for (int i = index; i < CROWD; i += 3) sac_search_ask(a->search, i, a->x[i]);
}

TEST(threads_ask_at_once)
{
    sac_threads *threads;
    assert_ok(sac_threads_create(&threads, 3));
    for (int m = 0; sac_search_method_at(m, NULL, NULL); m++)
    {
        sac_search *search = make_search(sac_search_method_at(m, NULL, NULL), "population=64", N, NULL, 8);
        assert_ok(sac_search_prepare(search));
        static asking a;
        a.search = search;
        sac_threads_run(threads, ask_every_third, &a);
        for (int i = 0; i < CROWD; i++)
        {
            float x[N];
            sac_search_ask(search, i, x);
            assert_memory_equal(x, a.x[i], sizeof x);
        }
        sac_search_destroy(search);
    }
    sac_threads_destroy(threads);
}

TESTS(mirrored_candidates_lie_opposite_each_other, a_fixed_step_follows_its_schedule, damping_slows_the_step_size,
      no_covariance_rate_keeps_the_sphere, c_mean_scales_the_move, weight_decay_draws_to_zero,
      the_default_population_is_hansens, the_smallest_search_works,
      sigma_and_covariance_may_share_their_size_in_any_way, a_long_valley_is_no_reason_to_stop,
      every_cpu_level_gives_the_same_bits, threads_ask_at_once)
