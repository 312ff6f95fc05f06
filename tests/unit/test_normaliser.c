#include <float.h>

#include "policy_scene.h"

#include "rollout/normaliser.h"

/// The normaliser of what a controller is told: it normalises, its measurements are those of all steps together in any
/// division into episodes, and a normaliser of zeros is none.

enum
{
    F = 20 // ten patches, row and column
};

static uint8_t image[SCENE_SIZE];

static void act(const sac_policy *policy, float action[3])
{
    sac_policy_state *state = scene_state(policy);
    sac_policy_act(state, image, action);
    sac_policy_state_destroy(state);
}

static sac_policy *with_parameters(const sac_policy *policy, const float *parameters)
{
    sac_policy *copy;
    assert_ok(sac_policy_create_with(&copy, policy, parameters));
    return copy;
}

static float *copy_parameters(const sac_policy *policy)
{
    size_t size = (size_t)sac_policy_parameter_count(policy) * sizeof(float);
    float *copy = malloc(size);
    memcpy(copy, sac_policy_parameters(policy), size);
    return copy;
}

TEST(a_normaliser_of_zeros_changes_nothing)
{
    static const char *const settings[] = {"controller=lstm", "controller=mlp", "kind=iap-trans",
                                           "patch_features=positions+histogram,masking=true,controller=linear"};
    scene_image(image, 3);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    {
        char text[256];
        snprintf(text, sizeof text, "%s,normaliser=true", settings[i]);
        sac_policy *plain = scene_policy(settings[i], 5), *normalised = scene_policy(text, 5);
        assert_int_equal(sac_policy_normaliser_size(plain), 0);
        assert_int_equal(sac_policy_parameter_count(normalised),
                         sac_policy_parameter_count(plain) + 2 * sac_policy_normaliser_size(normalised));
        float a[3], b[3];
        act(plain, a);
        act(normalised, b);
        assert_memory_equal(a, b, sizeof a);
        sac_policy_destroy(plain);
        sac_policy_destroy(normalised);
    }
}

// W ((f - m) / d) + b is the layer W / d, b - W m / d without a normaliser
TEST(a_normaliser_is_a_layer_whose_weights_are_divided)
{
    sac_policy *plain = scene_policy("controller=linear,activation=clip", 7);
    sac_policy *normalised = scene_policy("controller=linear,activation=clip,normaliser=true", 7);
    float *whole = copy_parameters(normalised), *folded = copy_parameters(plain);
    int count = sac_policy_parameter_count(plain);
    assert_int_equal(sac_policy_normaliser_size(normalised), F);
    float *mean = whole + count, *deviation = mean + F;
    // powers of two, so that the folded layer differs by the rounding of its sums alone
    for (int i = 0; i < F; i++) mean[i] = (float)(i % 4) / 8, deviation[i] = i % 5 == 4 ? 0 : i % 2 ? 0.5f : 4;
    const sac_policy_tensor *bias = sac_policy_tensor_at(plain, 4), *weight = sac_policy_tensor_at(plain, 5);
    assert_string_equal(weight->name, "output.weight");
    for (int o = 0; o < 3; o++)
        for (int i = 0; i < F; i++)
        {
            float *w = folded + weight->offset + o * F + i;
            *w /= deviation[i] > 0 ? deviation[i] : 1;
            folded[bias->offset + (size_t)o] -= *w * mean[i];
        }
    sac_policy *left = with_parameters(normalised, whole), *right = with_parameters(plain, folded);
    scene_image(image, 4);
    float a[3], b[3];
    act(left, a);
    act(right, b);
    // 2 F + 1 terms of at most 1/4, each rounded once
    for (int i = 0; i < 3; i++) assert_near(a[i], b[i], (2 * F + 1) * 0.25 * FLT_EPSILON);
    sac_policy *const all[] = {plain, normalised, left, right};
    for (int i = 0; i < 4; i++) sac_policy_destroy(all[i]);
    free(whole);
    free(folded);
}

// what is normalised is cut at the limit, and what the normaliser is told is not
TEST(normalised_numbers_are_cut_at_the_limit)
{
    sac_policy *normalised = scene_policy("controller=linear,normaliser=true", 7);
    sac_policy *limited = scene_policy("controller=linear,normaliser=true,normaliser_limit=0.75", 7);
    float *whole = copy_parameters(normalised), action[3];
    const int count = sac_policy_parameter_count(normalised) - 2 * F;
    for (int i = 0; i < F; i++) whole[count + i] = 0.25f, whole[count + F + i] = i % 2 ? 0.125f : 4;
    sac_policy *plain = with_parameters(normalised, whole), *cut = with_parameters(limited, whole);
    sac_policy_state *a = scene_state(plain), *b = scene_state(cut);
    sac_gaze all, some;
    int beyond = 0;
    scene_image(image, 5);
    sac_policy_act(a, image, action);
    sac_policy_act(b, image, action);
    sac_policy_gaze(a, &all);
    sac_policy_gaze(b, &some);
    for (int i = 0; i < F; i++)
    {
        beyond += fabsf(all.told[i]) > 0.75f;
        assert_float_equal(some.told[i], fminf(fmaxf(all.told[i], -0.75f), 0.75f), 0);
    }
    assert_true(beyond > 0 && beyond < F);
    assert_memory_equal(sac_policy_normaliser_input(a), sac_policy_normaliser_input(b), F * sizeof(float));
    sac_policy_state_destroy(a);
    sac_policy_state_destroy(b);
    sac_policy *const policies[] = {normalised, limited, plain, cut};
    for (int i = 0; i < 4; i++) sac_policy_destroy(policies[i]);
    free(whole);
}

TEST(the_normaliser_is_told_what_the_controller_is_told_without_it)
{
    sac_policy *plain = scene_policy("top=10", 7), *normalised = scene_policy("top=10,normaliser=true", 7);
    sac_policy_state *a = scene_state(plain), *b = scene_state(normalised);
    float action[3];
    sac_gaze gaze;
    scene_image(image, 5);
    sac_policy_act(a, image, action);
    sac_policy_act(b, image, action);
    sac_policy_gaze(a, &gaze);
    assert_null(sac_policy_normaliser_input(a));
    assert_memory_equal(sac_policy_normaliser_input(b), gaze.told, F * sizeof(float));
    sac_policy_state_destroy(a);
    sac_policy_state_destroy(b);
    sac_policy_destroy(plain);
    sac_policy_destroy(normalised);
}

// steps of two numbers, in episodes of `length` steps
static void measure(sac_normaliser *normaliser, int steps, int length, double offset)
{
    sac_stream stream = sac_stream_create(9, 0, 0);
    sac_normaliser_begin(normaliser);
    for (int done = 0; done < steps;)
    {
        double seen[2 * F] = {0};
        int taken = 0;
        for (; taken < length && done < steps; taken++, done++)
            for (int i = 0; i < F; i++)
            {
                double x = i == 3 ? 7 : offset + (i + 1) * sac_stream_uniform(&stream, -1, 1);
                seen[i] += x;
                seen[F + i] += x * x;
            }
        sac_normaliser_add(normaliser, taken, seen);
    }
    sac_normaliser_commit(normaliser);
}

TEST(the_measure_is_that_of_all_steps_however_they_are_divided)
{
    static const int lengths[] = {1, 7, 500};
    sac_policy *policy = scene_policy("normaliser=true", 1);
    double first[1 + 2 * F];
    for (int l = 0; l < 3; l++)
    {
        sac_normaliser normaliser;
        assert_ok(sac_normaliser_create(&normaliser, policy));
        assert_int_equal(sac_normaliser_count(&normaliser), 1 + 2 * F);
        measure(&normaliser, 500, lengths[l], 3);
        if (l == 0) memcpy(first, normaliser.numbers, sizeof first);
        assert_true(normaliser.numbers[0] == 500);
        // sums of 500 terms below (3 + F)^2, rounded once each
        for (int i = 0; i < 1 + 2 * F; i++) assert_near(normaliser.numbers[i], first[i], 500 * 500 * 529 * DBL_EPSILON);
        float *parameters = copy_parameters(policy);
        sac_normaliser_write(&normaliser, policy, parameters);
        const float *mean = parameters + sac_policy_parameter_count(policy) - 2 * F, *deviation = mean + F;
        for (int i = 0; i < F; i++)
        {
            // the mean and deviation of a uniform draw, within four standard errors of 500 of them
            double width = i == 3 ? 0 : i + 1, spread = width / sqrt(3);
            assert_near(mean[i], i == 3 ? 7 : 3, 4 * spread / sqrt(500) + 1e-6);
            assert_near(deviation[i], spread, 4 * spread / sqrt(1000) + 1e-6);
        }
        assert_true(deviation[3] == 0); // a number that never changes is centred and no more
        free(parameters);
        sac_normaliser_clear(&normaliser);
    }
    sac_policy_destroy(policy);
}

TEST(a_generation_counts_when_it_is_over_and_what_is_no_number_never_does)
{
    sac_policy *policy = scene_policy("normaliser=true", 1);
    sac_normaliser normaliser;
    assert_ok(sac_normaliser_create(&normaliser, policy));
    measure(&normaliser, 50, 10, 0);
    double before[1 + 2 * F];
    memcpy(before, normaliser.numbers, sizeof before);
    double seen[2 * F] = {0};
    sac_normaliser_begin(&normaliser);
    sac_normaliser_add(&normaliser, 5, seen);
    assert_memory_equal(normaliser.numbers, before, sizeof before);
    // begun anew, as after an interrupt
    sac_normaliser_begin(&normaliser);
    seen[2] = NAN;
    sac_normaliser_add(&normaliser, 5, seen);
    sac_normaliser_commit(&normaliser);
    assert_memory_equal(normaliser.numbers, before, sizeof before);
    sac_normaliser_clear(&normaliser);
    sac_policy_destroy(policy);
}

TESTS(a_normaliser_of_zeros_changes_nothing, a_normaliser_is_a_layer_whose_weights_are_divided,
      normalised_numbers_are_cut_at_the_limit, the_normaliser_is_told_what_the_controller_is_told_without_it,
      the_measure_is_that_of_all_steps_however_they_are_divided,
      a_generation_counts_when_it_is_over_and_what_is_no_number_never_does)
