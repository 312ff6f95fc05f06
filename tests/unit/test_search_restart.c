#include "failing_memory.h"
#include "search_scene.h"

/// Restarts: every method begins anew with a reason in words, grows its population, and is restored to the bit.

enum
{
    N = 5
};

static const char *method_at(int index)
{
    return sac_search_method_at(index, NULL, NULL);
}

static double rastrigin(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)x[i] * (double)x[i] - 10 * cos(6.2831853071795865 * (double)x[i]) + 10;
    return -sum;
}

static double level(const float *x, int n)
{
    (void)x, (void)n;
    return 1;
}

// all candidates are alike: after a hundred generations there is a reason, and the population doubles
TEST(every_method_begins_anew_with_a_reason_in_words)
{
    float x0[N] = {1, 2, 3, 4, 5}, mean[N];
    for (int m = 0; method_at(m); m++)
    {
        sac_search *search =
            make_search(method_at(m), "population=8 sigma=0.5 restarts=2 restart_tolerance=0", N, x0, 3);
        for (int restart = 1; restart <= 2; restart++)
        {
            for (int g = 0; g < 99; g++) run_generation(search, level, false);
            assert_null(sac_search_note(search));
            run_generation(search, level, false);
            assert_non_null(strstr(sac_search_note(search), "equally fit"));
            assert_int_equal(sac_search_population(search), 8 << restart);
            assert_int_equal(sac_search_generation(search), 0);
            assert_true(sac_search_sigma(search) == 0.5);
            sac_search_mean(search, mean);
            assert_memory_equal(mean, x0, sizeof x0);
            assert_null(sac_search_stop(search));
        }
        // no restart is left: now it is a reason to stop
        for (int g = 0; g < 100; g++) run_generation(search, level, false);
        assert_null(sac_search_note(search));
        assert_non_null(strstr(sac_search_stop(search), "equally fit"));
        sac_search_destroy(search);
    }
}

// the candidates of a restart are not those of the first search
TEST(a_restart_draws_other_numbers_and_may_start_elsewhere)
{
    for (int spread = 0; spread < 2; spread++)
    {
        sac_search *search = make_search(
            "cma-es", spread ? "restarts=1 restart_spread=2 restart_growth=1" : "restarts=1 restart_growth=1", N, NULL,
            3);
        float first[N], second[N], mean[N] = {0}, zeros[N] = {0};
        assert_ok(sac_search_prepare(search));
        sac_search_ask(search, 0, first);
        while (!sac_search_note(search)) run_generation(search, level, false);
        assert_ok(sac_search_prepare(search));
        sac_search_ask(search, 0, second);
        assert_memory_not_equal(first, second, sizeof first);
        sac_search_mean(search, mean);
        assert_int_equal(memcmp(mean, zeros, sizeof mean) != 0, spread);
        sac_search_destroy(search);
    }
}

// evaluations until the mean is at the optimum; -1 when the search stops or the budget ends before
static int evaluations_to_optimum(const char *settings, uint64_t seed, int budget)
{
    float x0[N];
    for (int i = 0; i < N; i++) x0[i] = 3;
    sac_search *search = make_search("cma-es", settings, N, x0, seed);
    int done = 0;
    bool found = false;
    while (done < budget && !found && !sac_search_stop(search))
    {
        done += sac_search_population(search);
        run_generation(search, rastrigin, false);
        found = mean_value(search, rastrigin) > -1e-8;
    }
    sac_search_destroy(search);
    return found ? done : -1;
}

// one search with a small population ends in one of the 10^5 minima; restarts find the lowest
TEST(restarts_find_what_one_search_does_not)
{
    int alone = 0, ipop = 0, bipop = 0;
    for (uint64_t seed = 0; seed < 10; seed++)
    {
        alone += evaluations_to_optimum("sigma=2", seed, 200000) > 0;
        ipop += evaluations_to_optimum("sigma=2 restarts=9", seed, 200000) > 0;
        bipop += evaluations_to_optimum("sigma=2 restarts=30 restart_rule=bipop", seed, 200000) > 0;
    }
    print_message("Rastrigin, n = %d: %d of 10 without restarts, %d by ipop, %d by bipop\n", N, alone, ipop, bipop);
    assert_int_equal(ipop, 10);
    assert_int_equal(bipop, 10);
    assert_true(alone < 10);
}

// restores b, which has just been created, to where a stands
static void restore(sac_search *b, sac_search *a)
{
    size_t count;
    double *saved = copy_state(a, &count);
    sac_search_array from = state_array(a, "restarts"), to = state_array(b, "restarts");
    memcpy(to.data, from.data, from.count * sizeof *from.data);
    assert_ok(sac_search_reshape(b));
    paste_state(b, saved);
    assert_ok(sac_search_restored(b));
    free(saved);
}

TEST(a_restored_search_goes_on_to_the_bit_across_restarts)
{
    static const char settings[] = "population=8 sigma=0.5 restarts=6 restart_rule=bipop restart_stagnation=7 "
                                   "restart_growth=1.7 restart_spread=0.5";
    for (int m = 0; method_at(m); m++)
    {
        sac_search *a = make_search(method_at(m), settings, N, NULL, 5);
        for (int g = 0; g < 60; g++)
        {
            run_generation(a, rastrigin, false);
            if (g % 11 != 0) continue;
            sac_search *b = make_search(method_at(m), settings, N, NULL, 5);
            restore(b, a);
            assert_int_equal(sac_search_population(b), sac_search_population(a));
            for (int more = 0; more < 15; more++) run_generation(b, rastrigin, true);
            sac_search *c = make_search(method_at(m), settings, N, NULL, 5);
            restore(c, a);
            for (int more = 0; more < 15; more++) run_generation(c, rastrigin, false);
            assert_same_state(b, c);
            sac_search_destroy(b);
            sac_search_destroy(c);
        }
        sac_search *whole = make_search(method_at(m), settings, N, NULL, 5);
        for (int g = 0; g < 60; g++) run_generation(whole, rastrigin, false);
        assert_same_state(a, whole);
        assert_true(state_array(a, "restarts").data[0] > 0);
        sac_search_destroy(a);
        sac_search_destroy(whole);
    }
}

// between larger and larger populations bipop has small ones, which spend no more than these
TEST(bipop_divides_the_evaluations)
{
    sac_search *search =
        make_search("cma-es", "population=8 sigma=2 restarts=12 restart_rule=bipop restart_spread=3", N, NULL, 7);
    int small = 0, large = 0, largest = 8;
    const double *numbers = state_array(search, "restarts").data;
    for (int g = 0; g < 100000 && numbers[0] < 12; g++)
    {
        run_generation(search, rastrigin, false);
        numbers = state_array(search, "restarts").data;
        if (!sac_search_note(search)) continue;
        int population = sac_search_population(search);
        if (numbers[2] != 0)
        {
            small++;
            assert_true(population >= 8 && population <= largest / 2 + 1);
            assert_true(sac_search_sigma(search) <= 2 && sac_search_sigma(search) >= 0.02);
        }
        else
        {
            large++;
            assert_int_equal(population, 2 * largest);
            largest = population;
        }
    }
    assert_int_equal(small + large, 12);
    assert_true(small >= 3 && large >= 3);
    sac_search_destroy(search);
}

TEST(stagnation_and_a_level_best_are_reasons)
{
    sac_search *search = make_search("ga", "population=8 sigma=1e-9 restarts=1", N, (float[N]){1, 1, 1, 1, 1}, 3);
    while (!sac_search_note(search)) run_generation(search, level, false);
    assert_non_null(strstr(sac_search_note(search), "the same"));
    sac_search_destroy(search);

    search =
        make_search("openai-es", "population=8 sigma=0.5 rate=0.5 restarts=1 restart_tolerance=0 restart_stagnation=20",
                    N, NULL, 3);
    int generations = 0;
    for (; !sac_search_note(search); generations++) run_generation(search, sphere, false);
    assert_non_null(strstr(sac_search_note(search), "not risen"));
    assert_true(generations >= 20);
    sac_search_destroy(search);
}

TEST(numbers_that_are_no_restart_are_refused)
{
    sac_search *search = make_search("sep-cma-es", "restarts=2", N, NULL, 3);
    double *numbers = state_array(search, "restarts").data;
    numbers[0] = 1;
    assert_fails(sac_search_restored(search), SAC_ERROR_FORMAT, "reshaped for 0");
    assert_ok(sac_search_reshape(search));
    assert_ok(sac_search_restored(search));
    state_array(search, "restarts").data[0] = 3;
    assert_fails(sac_search_reshape(search), SAC_ERROR_FORMAT, "at most 2");
    state_array(search, "restarts").data[0] = 0.5;
    assert_fails(sac_search_reshape(search), SAC_ERROR_FORMAT, "expected a count");
    sac_search_destroy(search);
}

static sac_status create_one(sac_search **search)
{
    const sac_setting settings[] = {{"restarts", "3"}, {"population", "8"}};
    return sac_search_create(
        search, &(sac_search_def){.method = "sep-cma-es", .settings = settings, .setting_count = 2, .dimension = N});
}

TEST(lack_of_memory_is_reported)
{
    sac_search *search;
    assert_survives_lack_of_memory(create_one(&search), sac_search_destroy(search));
}

TESTS(every_method_begins_anew_with_a_reason_in_words, a_restart_draws_other_numbers_and_may_start_elsewhere,
      restarts_find_what_one_search_does_not, a_restored_search_goes_on_to_the_bit_across_restarts,
      bipop_divides_the_evaluations, stagnation_and_a_level_best_are_reasons, numbers_that_are_no_restart_are_refused,
      lack_of_memory_is_reported)
