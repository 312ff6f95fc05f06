#include "search_scene.h"

/// What every search method promises, checked for each one in the table.

enum
{
    N = 13
};

static const char *method_at(int index)
{
    return sac_search_method_at(index, NULL, NULL);
}

/// What tells the methods apart.
typedef struct trait
{
    const char *method;
    bool ranks;        // only the order of the fitness counts
    bool pairs;        // candidates 2k and 2k + 1 lie opposite each other
    const char *climb; // settings that climb the sphere from a distance of 4...
    double target;     // ...to this
} trait;

static const trait traits[] = {
    {"sep-cma-es", true, false, "sigma=0.5", 1e-9},
    {"cma-es", true, false, "sigma=0.5", 1e-9},
    {"cholesky-cma-es", true, false, "sigma=0.5", 1e-9},
    {"lm-ma-es", true, false, "sigma=0.5", 1e-9},
    {"snes", true, false, "sigma=0.5", 1e-9},
    {"openai-es", true, true, "population=20 sigma=0.1 rate=0.1 rate_decay=0.98 l2=0", 1e-3},
    {"pgpe", true, true, "population=20 sigma=0.5", 1e-2},
    {"ars", false, true, "population=20 sigma=0.1 rate=0.1 rate_decay=0.99", 1e-3},
    {"bgs", false, true, "population=20 sigma=0.1 rate=0.1 rate_decay=0.99", 1e-3},
    {"ga", true, false, "population=50 sigma=0.5 sigma_decay=0.98", 1e-2},
};

static const trait *trait_of(const char *method)
{
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
        if (strcmp(traits[i].method, method) == 0) return &traits[i];
    fail_msg("the method '%s' has no row in this test's table", method);
    return NULL;
}

static void start_at(float *x0, int n)
{
    fill_uniform(x0, (size_t)n, 7);
    for (int i = 0; i < n; i++) x0[i] += 1;
}

TEST(every_method_climbs_the_sphere)
{
    float x0[N];
    start_at(x0, N);
    for (int m = 0; method_at(m); m++)
    {
        const trait *t = trait_of(method_at(m));
        sac_search *search = make_search(method_at(m), t->climb, N, x0, 3);
        int generations = generations_to(search, sphere, -t->target, 600);
        print_message("sphere, n = %d, %s: %d generations to %g\n", N, t->method, generations, t->target);
        assert_in_range(generations, 20, 599);
        assert_null(sac_search_stop(search));
        sac_search_destroy(search);
    }
}

TEST(asking_order_does_not_matter)
{
    float x0[N];
    start_at(x0, N);
    for (int m = 0; method_at(m); m++)
    {
        sac_search *a = make_search(method_at(m), "population=10", N, x0, 3);
        sac_search *b = make_search(method_at(m), "population=10", N, x0, 3);
        for (int g = 0; g < 20; g++)
        {
            run_generation(a, rosenbrock, false);
            run_generation(b, rosenbrock, true);
        }
        assert_same_state(a, b);
        sac_search_destroy(a);
        sac_search_destroy(b);
    }
}

TEST(seeds_give_different_candidates_and_zero_is_a_seed)
{
    for (int m = 0; method_at(m); m++)
    {
        float x[3][N];
        for (uint64_t seed = 0; seed < 3; seed++)
        {
            sac_search *search = make_search(method_at(m), "", N, NULL, seed);
            assert_ok(sac_search_prepare(search));
            sac_search_ask(search, 0, x[seed]);
            sac_search_destroy(search);
        }
        assert_memory_not_equal(x[0], x[1], sizeof x[0]);
        assert_memory_not_equal(x[0], x[2], sizeof x[0]);
        assert_memory_not_equal(x[1], x[2], sizeof x[0]);
    }
}

TEST(a_restored_search_goes_on_to_the_bit)
{
    float x0[N];
    start_at(x0, N);
    for (int m = 0; method_at(m); m++)
    {
        sac_search *a = make_search(method_at(m), "population=10 sigma=0.3", N, x0, 5);
        sac_search *b = make_search(method_at(m), "population=10 sigma=0.3", N, NULL, 5);
        for (int g = 0; g < 17; g++) run_generation(a, rosenbrock, false);
        size_t count;
        double *saved = copy_state(a, &count);
        paste_state(b, saved);
        assert_ok(sac_search_restored(b));
        assert_int_equal(sac_search_generation(b), 17);
        for (int g = 0; g < 17; g++)
        {
            run_generation(a, rosenbrock, false);
            run_generation(b, rosenbrock, false);
        }
        assert_same_state(a, b);
        free(saved);
        sac_search_destroy(a);
        sac_search_destroy(b);
    }
}

TEST(a_state_that_cannot_be_is_refused)
{
    for (int m = 0; method_at(m); m++)
    {
        sac_search_array arrays[SAC_MAX_SEARCH_ARRAYS];
        sac_search *search = make_search(method_at(m), "", N, NULL, 5);
        int count = sac_search_state(search, arrays, SAC_MAX_SEARCH_ARRAYS);
        for (int i = 0; i < count; i++)
        {
            double good = arrays[i].data[0];
            arrays[i].data[0] = NAN;
            assert_fails(sac_search_restored(search), SAC_ERROR_FORMAT, arrays[i].name);
            arrays[i].data[0] = good;
            assert_ok(sac_search_restored(search));
        }
        sac_search_destroy(search);
    }
}

// tell_with(the asked candidates) is tell, but for the rounding of the candidates to float
TEST(telling_the_asked_candidates_is_telling)
{
    float x0[N], x[N];
    start_at(x0, N);
    for (int m = 0; method_at(m); m++)
    {
        sac_search *a = make_search(method_at(m), "population=12", N, x0, 5);
        sac_search *b = make_search(method_at(m), "population=12", N, x0, 5);
        double fitness[12], all[12 * N];
        assert_ok(sac_search_prepare(a));
        for (int i = 0; i < 12; i++)
        {
            sac_search_ask(a, i, x);
            fitness[i] = ellipsoid(x, N);
            for (int j = 0; j < N; j++) all[i * N + j] = (double)x[j];
        }
        assert_ok(sac_search_tell(a, fitness));
        assert_ok(sac_search_tell_with(b, fitness, all));
        // |x| < 4 is rounded by at most 2^-23; y = (x - m) / 0.1
        double *mean_a = state_array(a, "mean").data, *mean_b = state_array(b, "mean").data;
        for (int j = 0; j < N; j++) assert_near(mean_a[j], mean_b[j], 0x1p-22);
        sac_search_destroy(a);
        sac_search_destroy(b);
    }
}

// methods that rank have equal states to the bit; sums over pairs have their order of additions
static void assert_alike(sac_search *a, sac_search *b, bool exact)
{
    if (exact)
    {
        assert_same_state(a, b);
        return;
    }
    size_t count, count_b;
    double *left = copy_state(a, &count), *right = copy_state(b, &count_b);
    assert_int_equal(count, count_b);
    for (size_t i = 0; i < count; i++) assert_near(left[i], right[i], 1e-12 * fmax(1, fabs(right[i])));
    free(left);
    free(right);
}

// candidates in pairs stay in their pairs
TEST(candidates_may_come_in_any_order)
{
    enum
    {
        POPULATION = 12
    };
    for (int m = 0; method_at(m); m++)
    {
        bool pairs = trait_of(method_at(m))->pairs;
        sac_search *a = make_search(method_at(m), "population=12", N, NULL, 5);
        sac_search *b = make_search(method_at(m), "population=12", N, NULL, 5);
        double fitness[POPULATION], x[POPULATION * N], other_fitness[POPULATION], other[POPULATION * N];
        sac_stream stream = sac_stream_create(11, 0, 0);
        for (int g = 0; g < 5; g++)
        {
            for (int i = 0; i < POPULATION; i++)
            {
                int place = pairs ? (i / 2 * 5 + 3) % (POPULATION / 2) * 2 + i % 2 : (i * 5 + 3) % POPULATION;
                other_fitness[place] = fitness[i] = sac_stream_uniform(&stream, -1, 1);
                for (int j = 0; j < N; j++)
                    other[place * N + j] = x[i * N + j] = sac_stream_uniform(&stream, -0.2, 0.2);
            }
            assert_ok(sac_search_tell_with(a, fitness, x));
            assert_ok(sac_search_tell_with(b, other_fitness, other));
        }
        assert_alike(a, b, !pairs);
        sac_search_destroy(a);
        sac_search_destroy(b);
    }
}

TEST(a_constant_in_the_fitness_changes_nothing)
{
    for (int m = 0; method_at(m); m++)
    {
        sac_search *a = make_search(method_at(m), "population=8", N, NULL, 5);
        sac_search *b = make_search(method_at(m), "population=8", N, NULL, 5);
        double fitness[8], raised[8];
        sac_stream stream = sac_stream_create(13, 0, 0);
        for (int g = 0; g < 10; g++)
        {
            for (int i = 0; i < 8; i++)
            {
                fitness[i] = (double)sac_stream_below(&stream, 1000) / 8; // so that the sum is exact
                raised[i] = 1000 + fitness[i];
            }
            assert_ok(sac_search_tell(a, fitness));
            assert_ok(sac_search_tell(b, raised));
        }
        assert_alike(a, b, trait_of(method_at(m))->ranks);
        sac_search_destroy(a);
        sac_search_destroy(b);
    }
}

// only the ranking counts: any rising function of the fitness gives the same search
TEST(rising_functions_of_fitness_change_nothing_where_ranks_count)
{
    for (int m = 0; method_at(m); m++)
    {
        if (!trait_of(method_at(m))->ranks) continue;
        sac_search *a = make_search(method_at(m), "population=8", N, NULL, 5);
        sac_search *b = make_search(method_at(m), "population=8", N, NULL, 5);
        double fitness[8], risen[8];
        sac_stream stream = sac_stream_create(12, 0, 0);
        for (int g = 0; g < 10; g++)
        {
            for (int i = 0; i < 8; i++)
            {
                fitness[i] = sac_stream_uniform(&stream, -3, 3);
                risen[i] = 1000 + fitness[i] * fitness[i] * fitness[i];
            }
            assert_ok(sac_search_tell(a, fitness));
            assert_ok(sac_search_tell(b, risen));
        }
        assert_same_state(a, b);
        sac_search_destroy(a);
        sac_search_destroy(b);
    }
}

TEST(nan_ranks_last_and_never_spreads)
{
    for (int m = 0; method_at(m); m++)
    {
        sac_search *a = make_search(method_at(m), "population=8", N, NULL, 5);
        sac_search *b = make_search(method_at(m), "population=8", N, NULL, 5);
        double with_nan[8] = {3, NAN, 5, 1, -INFINITY, 2, NAN, 4};
        double same_ranking[8] = {3, -4, 5, 1, -2, 2, -4, 4};
        double worst_number[8] = {3, 1, 5, 1, 1, 2, 1, 4};
        assert_ok(sac_search_tell(a, with_nan));
        assert_ok(sac_search_tell(b, trait_of(method_at(m))->ranks ? same_ranking : worst_number));
        assert_same_state(a, b);

        // a generation of nothing but NaN teaches nothing
        for (int i = 0; i < 8; i++) with_nan[i] = NAN;
        double sigma = sac_search_sigma(a);
        assert_ok(sac_search_tell(a, with_nan));
        assert_true(sac_search_sigma(a) == sigma);
        assert_null(sac_search_stop(a));
        sac_search_destroy(a);
        sac_search_destroy(b);
    }
}

TEST(a_hundred_flat_generations_are_a_reason_to_stop)
{
    for (int m = 0; method_at(m); m++)
    {
        sac_search *search = make_search(method_at(m), "population=8", N, NULL, 5);
        double fitness[8] = {0};
        for (int g = 0; g < 99; g++) assert_ok(sac_search_tell(search, fitness));
        assert_null(sac_search_stop(search));
        assert_ok(sac_search_tell(search, fitness));
        assert_non_null(strstr(sac_search_stop(search), "equally fit"));
        fitness[3] = 1;
        assert_ok(sac_search_tell(search, fitness));
        assert_null(sac_search_stop(search));
        sac_search_destroy(search);
    }
}

// to the rounding of each candidate to float
TEST(pairs_lie_opposite_each_other)
{
    float x0[N];
    start_at(x0, N);
    for (int m = 0; method_at(m); m++)
    {
        if (!trait_of(method_at(m))->pairs) continue;
        sac_search *search = make_search(method_at(m), "population=8", N, x0, 5);
        for (int g = 0; g < 5; g++)
        {
            float plus[N], minus[N];
            const double *mean = state_array(search, "mean").data;
            assert_ok(sac_search_prepare(search));
            for (int k = 0; k < 8; k += 2)
            {
                sac_search_ask(search, k, plus);
                sac_search_ask(search, k + 1, minus);
                for (int i = 0; i < N; i++)
                {
                    double sum = (double)plus[i] + (double)minus[i];
                    assert_near(sum, 2 * mean[i], (fabs((double)plus[i]) + fabs((double)minus[i])) * 0x1p-24);
                    assert_true(plus[i] != minus[i]);
                }
            }
            run_generation(search, rosenbrock, false);
        }
        sac_search_destroy(search);
    }
}

static double flat_but_noisy(const float *x, int n)
{
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    (void)n;
    return (double)(bits * UINT32_C(2654435761) >> 8);
}

TEST(noise_alone_does_not_stop_a_search)
{
    for (int m = 0; method_at(m); m++)
    {
        sac_search *search = make_search(method_at(m), "population=10", N, NULL, 5);
        for (int g = 0; g < 500; g++)
        {
            run_generation(search, flat_but_noisy, false);
            assert_null(sac_search_stop(search));
        }
        sac_search_destroy(search);
    }
}

// the separable form uses no function whose last bit differs between systems: these are its bits everywhere
TEST(the_separable_form_has_the_same_bits_on_every_machine)
{
    enum
    {
        SIZE = 101,
        POPULATION = 10
    };
    sac_search *search = make_search("sep-cma-es", "population=10 active=true", SIZE, NULL, 0);
    for (int g = 0; g < 50; g++)
    {
        float x[SIZE];
        double fitness[POPULATION];
        assert_ok(sac_search_prepare(search));
        for (int i = 0; i < POPULATION; i++)
        {
            sac_search_ask(search, i, x);
            fitness[i] = 0;
            for (int j = 0; j < SIZE; j++) fitness[i] -= (j + 1) * ((double)x[j] - 1) * ((double)x[j] - 1);
        }
        assert_ok(sac_search_tell(search, fitness));
    }
    assert_true(sac_search_sigma(search) == 0x1.181ac60b9e351p-3);
    assert_true(state_array(search, "mean").data[SIZE / 2] == 0x1.98c773c07899cp-2);
    assert_true(state_array(search, "path_sigma").data[SIZE / 2] == 0x1.c1260eee79ecp-1);
    assert_true(state_array(search, "path_c").data[SIZE / 2] == 0x1.b3763710ec52cp-1);
    assert_true(state_array(search, "variance").data[SIZE / 2] == 0x1.b7e9004323726p-1);
    sac_search_destroy(search);
}

TEST(mistakes_are_named)
{
    sac_search *search = NULL;
    sac_search_def def = {.method = "sep-cma", .dimension = N};
    assert_fails(sac_search_create(&search, &def), SAC_ERROR_ARGUMENT, "sep-cma-es");
    def.method = "sep-cma-es";
    def.settings = &(sac_setting){"populaton", "4"};
    def.setting_count = 1;
    assert_fails(sac_search_create(&search, &def), SAC_ERROR_ARGUMENT, "did you mean 'population'");
    def.settings = &(sac_setting){"population", "1"};
    assert_fails(sac_search_create(&search, &def), SAC_ERROR_ARGUMENT, "at least 2");
    def.setting_count = 0;
    def.dimension = 0;
    assert_fails(sac_search_create(&search, &def), SAC_ERROR_ARGUMENT, "dimension is 0");
    def.dimension = N;
    float x0[N] = {0, NAN};
    def.x0 = x0;
    assert_fails(sac_search_create(&search, &def), SAC_ERROR_ARGUMENT, "x0[1]");
    assert_null(search);
    sac_search_destroy(NULL);
}

static int allocations_left;

static void *scarce(void *user, size_t size, size_t alignment)
{
    (void)user;
    return allocations_left-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

TEST(lack_of_memory_is_reported_at_every_allocation)
{
    for (int m = 0; method_at(m); m++)
    {
        sac_search *search = NULL;
        sac_setting setting = {"population", "8"};
        sac_search_def def = {.method = method_at(m), .settings = &setting, .setting_count = 1, .dimension = N};
        sac_set_allocator(&(sac_allocator){scarce, release, NULL});
        int count = 0;
        for (;; count++)
        {
            allocations_left = count;
            sac_status status = sac_search_create(&search, &def);
            if (status == SAC_OK) break;
            assert_int_equal(status, SAC_ERROR_MEMORY);
            assert_null(search);
        }
        assert_true(count > 5);
        // a generation needs nothing more
        allocations_left = 0;
        for (int g = 0; g < 3; g++)
        {
            double fitness[8];
            for (int i = 0; i < 8; i++) fitness[i] = (i * 7) % 11;
            assert_ok(sac_search_tell(search, fitness));
        }
        sac_search_destroy(search);
        sac_set_allocator(NULL);
    }
}

TESTS(every_method_climbs_the_sphere, asking_order_does_not_matter, seeds_give_different_candidates_and_zero_is_a_seed,
      a_restored_search_goes_on_to_the_bit, a_state_that_cannot_be_is_refused, telling_the_asked_candidates_is_telling,
      candidates_may_come_in_any_order, a_constant_in_the_fitness_changes_nothing,
      rising_functions_of_fitness_change_nothing_where_ranks_count, pairs_lie_opposite_each_other,
      nan_ranks_last_and_never_spreads, a_hundred_flat_generations_are_a_reason_to_stop,
      noise_alone_does_not_stop_a_search, the_separable_form_has_the_same_bits_on_every_machine, mistakes_are_named,
      lack_of_memory_is_reported_at_every_allocation)
