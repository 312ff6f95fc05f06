#pragma once

#include "saccade/evolve.h"
#include "test.h"

/// Scenes for the search tests: objectives to maximise, and a run of some generations.

typedef double objective(const float *x, int n);

static inline double sphere(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return -sum;
}

/// Axes whose weights go from 1 to 10^4.
static inline double ellipsoid(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += pow(1e4, (double)i / (n - 1)) * (double)x[i] * (double)x[i];
    return -sum;
}

static inline double rosenbrock(const float *x, int n)
{
    double sum = 0;
    for (int i = 0; i + 1 < n; i++)
    {
        double a = (double)x[i], b = (double)x[i + 1];
        sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return -sum;
}

/// "key=value ..." as settings, at most 8.
static inline sac_search *make_search(const char *method, const char *text, int n, const float *x0, uint64_t seed)
{
    char words[512], *save = NULL;
    snprintf(words, sizeof words, "%s", text);
    sac_setting settings[8];
    int count = 0;
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
    {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = 0;
        assert_in_range(count, 0, 7);
        settings[count++] = (sac_setting){word, equals + 1};
    }
    sac_search *search;
    assert_ok(sac_search_create(
        &search,
        &(sac_search_def){
            .method = method, .settings = settings, .setting_count = count, .dimension = n, .x0 = x0, .seed = seed}));
    return search;
}

/// One generation; `backwards` asks in the other order, which must not matter.
static inline void run_generation(sac_search *search, objective *f, bool backwards)
{
    int population = sac_search_population(search), n = sac_search_dimension(search);
    double *fitness = malloc((size_t)population * sizeof *fitness);
    float *x = malloc((size_t)n * sizeof *x);
    assert_ok(sac_search_prepare(search));
    for (int i = 0; i < population; i++)
    {
        int index = backwards ? population - 1 - i : i;
        sac_search_ask(search, index, x);
        fitness[index] = f(x, n);
    }
    assert_ok(sac_search_tell(search, fitness));
    free(fitness);
    free(x);
}

static inline double mean_value(const sac_search *search, objective *f)
{
    int n = sac_search_dimension(search);
    float *x = malloc((size_t)n * sizeof *x);
    sac_search_mean(search, x);
    double value = f(x, n);
    free(x);
    return value;
}

/// Generations until the mean's value is above `target`; `limit` when it never is.
static inline int generations_to(sac_search *search, objective *f, double target, int limit)
{
    for (int i = 0; i < limit; i++)
    {
        if (mean_value(search, f) > target) return i;
        run_generation(search, f, false);
    }
    return limit;
}

/// The whole state as one copy; the caller frees it.
static inline double *copy_state(sac_search *search, size_t *count)
{
    sac_search_array arrays[SAC_MAX_SEARCH_ARRAYS];
    int used = sac_search_state(search, arrays, SAC_MAX_SEARCH_ARRAYS);
    assert_in_range(used, 1, 16);
    *count = 0;
    for (int i = 0; i < used; i++) *count += arrays[i].count;
    double *copy = malloc(*count * sizeof *copy), *at = copy;
    for (int i = 0; i < used; i++)
    {
        memcpy(at, arrays[i].data, arrays[i].count * sizeof *at);
        at += arrays[i].count;
    }
    return copy;
}

static inline void paste_state(sac_search *search, const double *copy)
{
    sac_search_array arrays[SAC_MAX_SEARCH_ARRAYS];
    int used = sac_search_state(search, arrays, SAC_MAX_SEARCH_ARRAYS);
    for (int i = 0; i < used; i++)
    {
        memcpy(arrays[i].data, copy, arrays[i].count * sizeof *copy);
        copy += arrays[i].count;
    }
}

static inline void assert_same_state(sac_search *a, sac_search *b)
{
    size_t count_a, count_b;
    double *state_a = copy_state(a, &count_a), *state_b = copy_state(b, &count_b);
    assert_int_equal(count_a, count_b);
    assert_memory_equal(state_a, state_b, count_a * sizeof *state_a);
    free(state_a);
    free(state_b);
}

/// A value of the state by name.
static inline sac_search_array state_array(sac_search *search, const char *name)
{
    sac_search_array arrays[SAC_MAX_SEARCH_ARRAYS];
    int used = sac_search_state(search, arrays, SAC_MAX_SEARCH_ARRAYS);
    for (int i = 0; i < used; i++)
        if (strcmp(arrays[i].name, name) == 0) return arrays[i];
    fail_msg("no array '%s' in the state", name);
    return arrays[0];
}

/// A covariance matrix that is singular, or has lost its definiteness, is raised by as little as it takes.
/// @param scale  the name of the standard deviations in the state
static inline void assert_guards_small_eigenvalues(const char *method, const char *scale)
{
    enum
    {
        DIMENSION = 9
    };
    static const double off_diagonal[] = {1, 1 - 1e-16, 1 + 1e-12, -0.2};
    for (int k = 0; k < 4; k++)
    {
        sac_search *search = make_search(method, "update_gap=1", DIMENSION, NULL, 2);
        double *covariance = state_array(search, "covariance").data;
        for (int i = 0; i < DIMENSION; i++)
            for (int j = 0; j < i; j++) covariance[i * DIMENSION + j] = off_diagonal[k];
        state_array(search, "generation").data[0] = 1;
        assert_ok(sac_search_restored(search));
        for (int g = 0; g < 20; g++) run_generation(search, sphere, false);
        const double *mean = state_array(search, "mean").data, *s = state_array(search, scale).data;
        for (int i = 0; i < DIMENSION; i++) assert_true(isfinite(mean[i]) && isfinite(s[i]) && s[i] > 0);
        sac_search_destroy(search);
    }
}
