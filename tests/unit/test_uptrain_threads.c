#include "base/memory.h"
#include "failing_memory.h"
#include "gradient/gradient.h"
#include "policy_scene.h"
#include "saccade/play.h"
#include "saccade/uptrain.h"

// up-training in the toy world: losses fall, the policy acts as before, the bits depend on neither threads nor level,
// bad input is named, and lack of memory is a status

static const sac_env_def toy = {.id = "toy"};

// a policy for the toy world, whose parameters are drawn; queries and keys are large enough that softmax has peaks
static sac_policy *teacher(const char *kind, const char *attention, float sharpness)
{
    const sac_setting settings[] = {{"attention", attention},
                                    {"patch", "6"},
                                    {"stride", "0"},
                                    {"controller", "linear"},
                                    {"position_encoding", "none"}};
    sac_env *env;
    sac_policy *shape, *policy;
    assert_ok(sac_env_create(&env, &toy));
    assert_ok(sac_policy_create_for(&shape, env, kind, settings, 5));
    const int count = sac_policy_parameter_count(shape);
    float *parameters = malloc((size_t)count * sizeof *parameters);
    assert_non_null(parameters);
    sac_policy_draw(shape, 4, parameters);
    for (int i = 0; i < sac_policy_tensor_count(shape); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(shape, i);
        bool scored = strncmp(tensor->name, "query.", 6) == 0 || strncmp(tensor->name, "key.", 4) == 0;
        for (size_t j = 0; scored && j < sac_policy_tensor_size(tensor); j++)
            parameters[tensor->offset + j] *= sharpness;
    }
    assert_ok(sac_policy_create_with(&policy, shape, parameters));
    free(parameters);
    sac_policy_destroy(shape);
    sac_env_destroy(env);
    return policy;
}

static sac_uptrain_def small_def(void)
{
    sac_uptrain_def def = sac_uptrain_default_def();
    def.frames = 512;
    def.match_steps = 300;
    def.tune_steps = 40;
    def.rounds = 2;
    def.features = 8;
    return def;
}

TEST(the_twin_keeps_what_it_can)
{
    sac_policy *policy = teacher("attention-agent", "softmax", 3), *twin;
    sac_uptrain_def def = small_def();
    assert_ok(sac_uptrain_twin(&twin, policy, &def));
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        assert_memory_equal(sac_policy_parameters(policy) + tensor->offset, scene_tensor(twin, tensor->name),
                            sac_policy_tensor_size(tensor) * sizeof(float));
    }
    const sac_policy_def *made = sac_policy_get_def(twin);
    bool found = false;
    for (int i = 0; i < made->setting_count; i++)
        found = found ||
                (strcmp(made->settings[i].key, "attention") == 0 && strcmp(made->settings[i].value, "sara-exp") == 0);
    assert_true(found);
    sac_policy_destroy(twin);
    sac_policy_destroy(policy);
}

TEST(the_losses_fall_for_every_map_and_reading)
{
    static const char *const kinds[] = {"attention-agent", "iap-rank", "iap-trans"};
    static const char *const maps[] = {"relu", "exp", "square"};
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++)
        {
            sac_policy *policy = teacher(kinds[k], "softmax", 30), *out;
            sac_uptrain_def def = small_def();
            sac_uptrain_result result;
            def.attention = maps[m];
            assert_ok(sac_uptrain(&out, policy, &toy, &def, &result));
            // a phase that did not learn would leave the loss where it was
            if (!(result.match_last < 0.5 * result.match_first))
                fail_msg("%s, %s: the first phase went from %g to %g", kinds[k], maps[m], result.match_first,
                         result.match_last);
            if (k < 2 && !(result.kept_last >= result.kept_first))
                fail_msg("%s, %s: kept %g, then %g", kinds[k], maps[m], result.kept_first, result.kept_last);
            assert_int_equal(result.frames, 512);
            assert_true(result.episodes > 1 && result.tune_last >= 0);
            sac_policy_destroy(out);
            sac_policy_destroy(policy);
        }
}

// only G and v learn in the first phase
TEST(the_first_phase_leaves_the_rest_alone)
{
    sac_policy *policy = teacher("iap-trans", "softmax", 3), *out;
    sac_uptrain_def def = small_def();
    def.tune_steps = 0;
    def.match_rounds = 3;
    assert_ok(sac_uptrain(&out, policy, &toy, &def, NULL));
    for (int i = 0; i < sac_policy_tensor_count(out); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(out, i);
        if (strncmp(tensor->name, "attention.", 10) == 0)
        {
            bool moved = false;
            for (size_t j = 0; j < sac_policy_tensor_size(tensor); j++)
                moved = moved || sac_policy_parameters(out)[tensor->offset + j] != 0;
            assert_true(moved);
        }
        else
            assert_memory_equal(sac_policy_parameters(out) + tensor->offset, scene_tensor(policy, tensor->name),
                                sac_policy_tensor_size(tensor) * sizeof(float));
    }
    sac_policy_destroy(out);
    sac_policy_destroy(policy);
}

TEST(threads_and_levels_give_the_same_bits)
{
    const sac_cpu_level best = sac_get_cpu_level();
    sac_policy *policy = teacher("attention-agent", "softmax", 3), *first = NULL;
    for (sac_cpu_level level = SAC_CPU_SCALAR; level <= best; level++)
        for (int threads = 1; threads <= 3; threads++)
        {
            sac_set_cpu_level(level);
            if (sac_get_cpu_level() != level) continue;
            sac_uptrain_def def = small_def();
            def.match_steps = 20;
            def.match_rounds = 2;
            def.tune_steps = 8;
            def.threads = threads;
            sac_policy *out;
            assert_ok(sac_uptrain(&out, policy, &toy, &def, NULL));
            if (first)
            {
                assert_memory_equal(sac_policy_parameters(first), sac_policy_parameters(out),
                                    (size_t)sac_policy_parameter_count(out) * sizeof(float));
                sac_policy_destroy(out);
            }
            else
                first = out;
        }
    sac_set_cpu_level(best);
    sac_policy_destroy(first);
    sac_policy_destroy(policy);
}

// the new policy drives the pictures of the later rounds, so G learns from other ones, and to something else
TEST(rounds_of_the_first_phase_show_what_the_new_policy_sees)
{
    sac_policy *policy = teacher("attention-agent", "softmax", 3), *out[2];
    sac_uptrain_result result[2];
    for (int i = 0; i < 2; i++)
    {
        sac_uptrain_def def = small_def();
        def.match_steps = 40;
        def.tune_steps = 0;
        def.match_rounds = 1 + i;
        assert_ok(sac_uptrain(&out[i], policy, &toy, &def, &result[i]));
        assert_int_equal(result[i].frames, 512);
        assert_true(isfinite(result[i].match_first) && isfinite(result[i].match_last));
    }
    assert_memory_not_equal(sac_policy_parameters(out[0]), sac_policy_parameters(out[1]),
                            (size_t)sac_policy_parameter_count(policy) * sizeof(float));
    for (int i = 0; i < 2; i++) sac_policy_destroy(out[i]);
    sac_policy_destroy(policy);
}

TEST(bad_input_is_named)
{
    sac_policy *softmax = teacher("attention-agent", "softmax", 1), *linear = teacher("attention-agent", "relu", 1),
               *out;
    sac_uptrain_def def = small_def();
    assert_fails(sac_uptrain(&out, linear, &toy, &def, NULL), SAC_ERROR_ARGUMENT,
                 "the policy's attention is relu, and only softmax");
    assert_null(out);
    sac_policy *layers = scene_policy("kind=cnn", 1);
    assert_fails(sac_uptrain(&out, layers, &toy, &def, NULL), SAC_ERROR_ARGUMENT, "the policy is of kind cnn");
    sac_policy_destroy(layers);
    def.attention = "rleu";
    assert_fails(sac_uptrain(&out, softmax, &toy, &def, NULL), SAC_ERROR_ARGUMENT, "did you mean 'relu'");
    def = small_def();
    def.features = -1;
    assert_fails(sac_uptrain(&out, softmax, &toy, &def, NULL), SAC_ERROR_ARGUMENT,
                 "features is -1, expected 1 to 4096");
    def.features = 5000;
    assert_fails(sac_uptrain(&out, softmax, &toy, &def, NULL), SAC_ERROR_ARGUMENT, "features is 5000");
    def = small_def();
    def.frames = 100;
    assert_fails(sac_uptrain(&out, softmax, &toy, &def, NULL), SAC_ERROR_ARGUMENT, "frames is 100, expected 512");
    def = small_def();
    def.match_rounds = 0;
    assert_fails(sac_uptrain(&out, softmax, &toy, &def, NULL), SAC_ERROR_ARGUMENT,
                 "match_rounds is 0, expected 1 to 64");
    def = small_def();
    def.tune_rate = NAN;
    assert_fails(sac_uptrain(&out, softmax, &toy, &def, NULL), SAC_ERROR_ARGUMENT, "tune_rate");
    assert_fails(sac_uptrain(&out, softmax, &toy, &(sac_uptrain_def){0}, NULL), SAC_ERROR_ARGUMENT,
                 "sac_uptrain_default_def");
    def = small_def();
    const volatile int stop = 1;
    def.interrupt = &stop;
    assert_fails(sac_uptrain(&out, softmax, &toy, &def, NULL), SAC_ERROR_INTERRUPTED, "interrupted");
    assert_null(out);
    sac_policy_destroy(softmax);
    sac_policy_destroy(linear);
}

static sac_policy *made;

TEST(every_allocation_may_fail)
{
    sac_policy *policy = teacher("attention-agent", "softmax", 1);
    sac_uptrain_def def = small_def();
    def.match_steps = 2, def.tune_steps = 2, def.match_rounds = 2;
    assert_survives_lack_of_memory(sac_uptrain(&made, policy, &toy, &def, NULL), sac_policy_destroy(made));
    sac_policy_destroy(policy);
}

TESTS(the_twin_keeps_what_it_can, the_losses_fall_for_every_map_and_reading, the_first_phase_leaves_the_rest_alone,
      threads_and_levels_give_the_same_bits, rounds_of_the_first_phase_show_what_the_new_policy_sees,
      bad_input_is_named, every_allocation_may_fail)
