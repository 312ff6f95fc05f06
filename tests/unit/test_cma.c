#include <float.h>
#include <unistd.h>

#include "files/arrays/safetensors.h"
#include "search_scene.h"

/// The two forms of CMA-ES: parity with the golden case and with pycma, and what each must be able to do.

enum
{
    LIMIT = 1 << 20
};

static const double *tensor(const sac_tensors *file, const char *prefix, const char *name, size_t *count)
{
    char full_name[64];
    snprintf(full_name, sizeof full_name, "%s_%s", prefix, name);
    const sac_tensor *found = sac_tensors_find(file, full_name);
    if (!found || found->dtype != SAC_F64) fail_msg("no float64 array '%s'", full_name);
    if (count) *count = sac_tensor_count(found);
    return found->data;
}

// both within 1e-10 of the reference's largest magnitude, the golden files' tolerance for float64
static void assert_close(const char *what, int generation, const double *ours, const double *reference, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(reference[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(ours[i] - reference[i]) <= 1e-10 * largest))
            fail_msg("%s[%zu] of generation %d is %.17g, expected %.17g", what, i, generation, ours[i], reference[i]);
}

// C is kept as its lower triangle
static void assert_covariance(const double *ours, const double *reference, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, reference[i * n + i]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) assert_near(ours[i * n + j], reference[i * n + j], 1e-10 * largest);
}

// Tell the stored points of one case, and compare the state after each generation.
static void follow(sac_search *search, const sac_tensors *file, const char *prefix)
{
    size_t n = (size_t)sac_search_dimension(search), population = (size_t)sac_search_population(search), values;
    const double *x = tensor(file, prefix, "X", NULL), *f = tensor(file, prefix, "f", &values);
    const double *mean = tensor(file, prefix, "m", NULL), *sigma = tensor(file, prefix, "sigma", NULL);
    const double *path_c = tensor(file, prefix, "pc", NULL), *path_sigma = tensor(file, prefix, "ps", NULL);
    size_t entries;
    const double *covariance = tensor(file, prefix, "C", &entries);
    size_t generations = values / population;
    assert_int_equal(values % population, 0);
    for (size_t g = 0; g < generations; g++)
    {
        double fitness[64];
        assert_true(population <= 64);
        for (size_t i = 0; i < population; i++) fitness[i] = -f[g * population + i];
        assert_ok(sac_search_tell_with(search, fitness, x + g * population * n));
        assert_close("mean", (int)g, state_array(search, "mean").data, mean + g * n, n);
        assert_close("sigma", (int)g, state_array(search, "sigma").data, sigma + g, 1);
        assert_close("path_c", (int)g, state_array(search, "path_c").data, path_c + g * n, n);
        assert_close("path_sigma", (int)g, state_array(search, "path_sigma").data, path_sigma + g * n, n);
        if (entries == generations * n)
            assert_close("variance", (int)g, state_array(search, "variance").data, covariance + g * n, n);
        else
            assert_covariance(state_array(search, "covariance").data, covariance + g * n * n, n);
    }
}

TEST(golden_case)
{
    sac_tensors *file;
    assert_ok(sac_tensors_load(&file, SAC_SOURCE_DIR "/tests/golden/data/es_a.safetensors", LIMIT));
    sac_search *search = make_search("cma-es", "population=16 sigma=0.3", 12, NULL, 0);

    sac_search_array constants[8];
    assert_int_equal(sac_search_constants(search, constants, 8), 8);
    assert_close("weights", 0, constants[0].data, tensor(file, "cma", "w", NULL), 16);
    const double *expected = tensor(file, "cma", "const", NULL);
    for (int i = 0; i < 7; i++) assert_close(constants[1 + i].name, 0, constants[1 + i].data, expected + i, 1);
    assert_near(0.3, *tensor(file, "cma", "sigma0", NULL), 0);

    const sac_tensor *theta = sac_tensors_find(file, "theta");
    memcpy(state_array(search, "mean").data, theta->data, 12 * sizeof(double));
    assert_ok(sac_search_restored(search));
    follow(search, file, "cma");
    sac_search_destroy(search);
    sac_tensors_destroy(file);
}

// the peer's Python: SACCADE_PEERS or .venv
static bool run_peer(const char *script, const char *out)
{
    const char *python = getenv("SACCADE_PEERS");
    char command[1024];
    snprintf(command, sizeof command, "'%s' '" SAC_SOURCE_DIR "/tests/peers/%s' '%s' 2>/dev/null",
             python ? python : SAC_SOURCE_DIR "/.venv/bin/python", script, out);
    int status = system(command);
    if (status != 0 && status != 77 << 8 && status != 127 << 8) fail_msg("%s failed with %d", command, status);
    return status == 0;
}

TEST(pycma_learns_the_same)
{
    char out[] = "/tmp/saccade_pycma_XXXXXX";
    int descriptor = mkstemp(out);
    assert_true(descriptor >= 0);
    close(descriptor);
    if (!run_peer("pycma_tells.py", out))
    {
        unlink(out);
        skip_without("a peer: pycma 4.5.0");
    }
    sac_tensors *file;
    assert_ok(sac_tensors_load(&file, out, LIMIT));
    unlink(out);

    static const struct
    {
        const char *name, *method, *settings;
    } cases[] = {
        {"full", "cma-es", "population=10 update_gap=1"},
        {"full_lazy", "cma-es", "population=10 update_gap=3"},
        {"full_large", "cma-es", "population=60 update_gap=1"},
        {"full_positive", "cma-es", "population=11 update_gap=1 active=false"},
        {"full_slow", "cma-es", "population=10 update_gap=1 c_mean=0.5"},
        {"full_two_point", "cma-es", "population=10 update_gap=1 two_point=true"},
        // pycma's diagonal sampler keeps the full form's learning rates: take our (n + 2) / 3 back
        {"diagonal", "sep-cma-es", "population=10 active=true covariance_rate=0.25"},
        {"diagonal_positive", "sep-cma-es", "population=10 covariance_rate=0.25 active=false"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char settings[128];
        snprintf(settings, sizeof settings, "sigma=0.4 %s", cases[i].settings);
        sac_search *search = make_search(cases[i].method, settings, 10, NULL, 0);
        double *mean = state_array(search, "mean").data;
        for (int j = 0; j < 10; j++) mean[j] = -1 + j * 2 / 9.0;
        assert_ok(sac_search_restored(search));
        follow(search, file, cases[i].name);
        sac_search_destroy(search);
    }
    sac_tensors_destroy(file);
}

// the ellipsoid turned by a fixed rotation: Householder's reflection at (1, ..., 1)
static double turned_ellipsoid(const float *x, int n)
{
    float turned[64];
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    for (int i = 0; i < n; i++) turned[i] = x[i] - 2 * sum / (float)n;
    return ellipsoid(turned, n);
}

static int generations_on(const char *method, objective *f, const char *settings, double target)
{
    float x0[20];
    for (int i = 0; i < 20; i++) x0[i] = 0.7f;
    sac_search *search = make_search(method, settings, 20, x0, 2);
    int count = generations_to(search, f, target, 3000);
    sac_search_destroy(search);
    return count;
}

static const char *const two_point_methods[] = {"sep-cma-es", "cma-es", "cholesky-cma-es"};

// the first two candidates lie opposite each other on the line of the last move
TEST(two_points_lie_on_the_line_of_the_last_move)
{
    enum
    {
        N = 12
    };
    float x0[N], before[N], after[N], ahead[N], behind[N];
    for (int i = 0; i < N; i++) x0[i] = 1;
    for (int m = 0; m < 3; m++)
    {
        sac_search *search = make_search(two_point_methods[m], "two_point=true", N, x0, 4);
        for (int g = 0; g < 20; g++) run_generation(search, ellipsoid, false);
        sac_search_mean(search, before);
        run_generation(search, ellipsoid, false);
        sac_search_mean(search, after);
        assert_ok(sac_search_prepare(search));
        sac_search_ask(search, 0, ahead);
        sac_search_ask(search, 1, behind);
        double dot = 0, moved = 0, led = 0;
        for (int i = 0; i < N; i++)
        {
            double move = (double)after[i] - (double)before[i], lead = (double)ahead[i] - (double)after[i];
            assert_near((double)behind[i] - (double)after[i], -lead, 4 * FLT_EPSILON * (1 + fabs(lead)));
            dot += move * lead;
            moved += move * move;
            led += lead * lead;
        }
        // coordinates of about 1 are rounded to floats, where a move is some hundredths
        assert_near(dot / sqrt(moved * led), 1, 1e-4);
        sac_search_destroy(search);
    }
}

TEST(two_points_find_a_sphere_faster_and_are_part_of_the_state)
{
    enum
    {
        N = 40
    };
    float x0[N];
    for (int i = 0; i < N; i++) x0[i] = 1;
    for (int m = 0; m < 3; m++)
    {
        int paths = 0, points = 0;
        for (uint64_t seed = 1; seed <= 3; seed++)
        {
            sac_search *search = make_search(two_point_methods[m], "sigma=0.3", N, x0, seed);
            paths += generations_to(search, sphere, -1e-8, 1000);
            sac_search_destroy(search);
            search = make_search(two_point_methods[m], "sigma=0.3 two_point=true", N, x0, seed);
            points += generations_to(search, sphere, -1e-8, 1000);
            sac_search_destroy(search);
        }
        print_message("%s, sphere, n = %d: %d generations by the path, %d by two points\n", two_point_methods[m], N,
                      paths, points);
        assert_true(points < 0.9 * paths);

        sac_search *search = make_search(two_point_methods[m], "two_point=true", N, x0, 2), *other;
        other = make_search(two_point_methods[m], "two_point=true", N, x0, 2);
        for (int g = 0; g < 7; g++) run_generation(search, ellipsoid, false);
        size_t count;
        double *state = copy_state(search, &count);
        paste_state(other, state);
        free(state);
        assert_ok(sac_search_restored(other));
        for (int g = 0; g < 7; g++) run_generation(search, ellipsoid, false);
        for (int g = 0; g < 7; g++) run_generation(other, ellipsoid, true);
        assert_same_state(search, other);
        sac_search_destroy(search);
        sac_search_destroy(other);
    }
}

// Ros and Hansen 2008: on separable functions the diagonal learns about (n + 2) / 3 times faster
TEST(the_separable_form_is_faster_where_axes_are_separable)
{
    int separable = generations_on("sep-cma-es", ellipsoid, "sigma=0.3", -1e-8);
    int full = generations_on("cma-es", ellipsoid, "sigma=0.3 active=false", -1e-8);
    int active = generations_on("cma-es", ellipsoid, "sigma=0.3", -1e-8);
    print_message("ellipsoid, n = 20: %d generations separable, %d full, %d active\n", separable, full, active);
    assert_true(separable < 400);
    assert_true(full < 1500 && active < full);
    assert_true(separable < full);
}

TEST(the_full_form_does_not_mind_a_rotation)
{
    int straight = generations_on("cma-es", ellipsoid, "sigma=0.3", -1e-8);
    int turned = generations_on("cma-es", turned_ellipsoid, "sigma=0.3", -1e-8);
    int separable = generations_on("sep-cma-es", turned_ellipsoid, "sigma=0.3", -1e-8);
    print_message("turned ellipsoid, n = 20: %d generations full (%d straight), %d separable\n", turned, straight,
                  separable);
    assert_true(turned < 1.3 * straight && straight < 1.3 * turned);
    assert_true(separable > 2 * turned);
}

TEST(both_forms_follow_rosenbrocks_valley)
{
    static const char *const methods[] = {"cma-es", "sep-cma-es"};
    for (int m = 0; m < 2; m++)
    {
        float x0[8] = {0};
        sac_search *search = make_search(methods[m], "sigma=0.1", 8, x0, 4);
        // float candidates around 1 allow no better than about n 1e-14 times the curvature
        int count = generations_to(search, rosenbrock, -1e-8, 20000);
        print_message("rosenbrock, n = 8, %s: %d generations\n", methods[m], count);
        assert_true(count < (m == 0 ? 1500 : 20000));
        sac_search_destroy(search);
    }
}

// a covariance that is singular, or has lost its definiteness to rounding, gives numbers all the same
TEST(small_and_negative_eigenvalues_are_guarded)
{
    assert_guards_small_eigenvalues("cma-es", "roots");
}

TEST(candidates_out_of_reach_are_refused)
{
    for (int m = 0; m < 2; m++)
    {
        sac_search *search = make_search(m ? "cma-es" : "sep-cma-es", "population=4", 2, NULL, 2), *same;
        same = make_search(m ? "cma-es" : "sep-cma-es", "population=4", 2, NULL, 2);
        double fitness[4] = {1, 2, 3, 4}, x[8] = {0, 0, 0, 0, 0, NAN, 0, 0};
        assert_fails(sac_search_tell_with(search, fitness, x), SAC_ERROR_ARGUMENT, "candidate 2");
        x[5] = 1e300;
        assert_fails(sac_search_tell_with(search, fitness, x), SAC_ERROR_ARGUMENT, "candidate 2");
        assert_same_state(search, same);
        sac_search_destroy(search);
        sac_search_destroy(same);
    }
}

// a wide flat direction: active weights must never take a variance below zero
TEST(active_weights_keep_the_variance_positive)
{
    enum
    {
        N = 6,
        POPULATION = 40
    };
    for (int m = 0; m < 2; m++)
    {
        sac_search *search = make_search(m ? "cma-es" : "sep-cma-es",
                                         "population=40 active=true covariance_rate=50 sigma=1", N, NULL, 2);
        sac_stream stream = sac_stream_create(1, 2, 3);
        for (int g = 0; g < 50; g++)
        {
            double fitness[POPULATION], x[POPULATION * N], *mean = state_array(search, "mean").data;
            double sigma = sac_search_sigma(search);
            for (int i = 0; i < POPULATION; i++)
            {
                // the worse half lies far out along one axis, the better half close by
                double reach = i % 2 ? 1e3 : 1e-3;
                fitness[i] = i % 2 ? -1 - i : i;
                for (int j = 0; j < N; j++)
                    x[i * N + j] = mean[j] + sigma * (j == 0 ? reach : 1) * sac_stream_uniform(&stream, -1, 1);
            }
            assert_ok(sac_search_tell_with(search, fitness, x));
            assert_ok(sac_search_restored(search)); // checks the variances
            float candidate[N];
            assert_ok(sac_search_prepare(search));
            sac_search_ask(search, 0, candidate);
            for (int j = 0; j < N; j++) assert_true(isfinite(candidate[j]));
            if (sac_search_sigma(search) < 1e-100) break;
        }
        sac_search_destroy(search);
    }
}

TESTS(golden_case, pycma_learns_the_same, the_separable_form_is_faster_where_axes_are_separable,
      the_full_form_does_not_mind_a_rotation, both_forms_follow_rosenbrocks_valley,
      two_points_lie_on_the_line_of_the_last_move, two_points_find_a_sphere_faster_and_are_part_of_the_state,
      small_and_negative_eigenvalues_are_guarded, candidates_out_of_reach_are_refused,
      active_weights_keep_the_variance_positive)
