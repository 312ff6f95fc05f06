#include "base/memory.h"
#include "saccade/play.h"
#include "saccade/rollout.h"
#include "saccade/uptrain.h"
#include "test.h"

/// Who grasps in the world `grasp`: the teacher, and policies that look at clouds of points, whose attention becomes
/// linear.

static const sac_setting small[] = {{"points", "48"}, {"hold_seconds", "0.2"}};
static const sac_env_def world = {.id = "grasp", .settings = small, .setting_count = 2};

static sac_policy *make(const char *kind, const sac_setting *settings, int count)
{
    sac_env *env;
    sac_policy *shape, *policy;
    assert_ok(sac_env_create(&env, &world));
    assert_ok(sac_policy_create_for(&shape, env, kind, settings, count));
    float *parameters = calloc((size_t)sac_policy_parameter_count(shape), sizeof *parameters);
    assert_non_null(parameters);
    if (strcmp(kind, "grasper") != 0) sac_policy_draw(shape, 3, parameters);
    assert_ok(sac_policy_create_with(&policy, shape, parameters));
    free(parameters);
    sac_policy_destroy(shape);
    sac_env_destroy(env);
    return policy;
}

static double success(const sac_policy *policy, const sac_env_def *env, int threads, double *returns)
{
    enum
    {
        EPISODES = 30
    };
    uint64_t seeds[EPISODES];
    sac_episode episodes[EPISODES];
    double sum = 0;
    for (int i = 0; i < EPISODES; i++) seeds[i] = 1100 + (uint64_t)i;
    const sac_evaluation_def def = {policy, env, seeds, EPISODES, threads, NULL, NULL};
    assert_ok(sac_evaluate_seeds(&def, episodes));
    for (int i = 0; i < EPISODES; i++)
        returns[i] = episodes[i].episode_return, sum += episodes[i].episode_return / EPISODES;
    return sum;
}

// The planner that is told the shape holds nine things of ten at least, those that nobody trains with as well, and any
// number of threads gives the same bits.
TEST(the_teacher_holds_what_it_takes)
{
    static const char *const objects[] = {"seen", "unseen"};
    const sac_setting told[] = {{"inputs", "truth shape"}, {"teacher", "true"}};
    for (int o = 0; o < 2; o++)
    {
        const sac_setting settings[] = {{"points", "48"}, {"objects", objects[o]}};
        const sac_env_def env = {.id = "grasp", .settings = settings, .setting_count = 2};
        double one[30], three[30];
        sac_policy *teacher = make("grasper", told, 2);
        const double share = success(teacher, &env, 1, one);
        if (share < 0.9) fail_msg("%s: %g", objects[o], share);
        if (o == 0) success(teacher, &env, 3, three);
        if (o == 0) assert_memory_equal(one, three, sizeof one);
        sac_policy_destroy(teacher);
    }
}

// Up-training leads the linear twin back to the grasps of softmax, with the same bits for any number of threads, of
// what is told as SARA-RT tells it, and of the cloud alone.
TEST(attention_becomes_linear)
{
    static const sac_setting told[2][3] = {{{"inputs", "cloud center axis"}, {"center", "false"}, {"unit", "0.03"}},
                                           {{"inputs", "cloud"}, {"center", "true"}, {"unit", "0.03"}}};
    for (int w = 0; w < 2; w++)
    {
        sac_policy *soft = make("point-cloud", told[w], 3), *linear[2];
        sac_uptrain_def def = sac_uptrain_default_def();
        def.frames = 512;
        def.rounds = 2;
        def.tune_steps = 200;
        sac_uptrain_result result;
        const int ways = w == 0 ? 2 : 1; // of threads
        for (int i = 0; i < ways; i++)
        {
            def.threads = 1 + 2 * i;
            assert_ok(sac_uptrain(&linear[i], soft, &world, &def, &result));
            assert_int_equal(result.features, 16);
            assert_true(isnan(result.match_first)); // there is no first phase
            if (!(result.tune_last < 0.5 * result.tune_first))
                fail_msg("the loss went from %g to %g", result.tune_first, result.tune_last);
        }
        assert_int_equal(sac_policy_parameter_count(linear[0]), sac_policy_parameter_count(soft));
        if (ways == 2)
            assert_memory_equal(sac_policy_parameters(linear[0]), sac_policy_parameters(linear[1]),
                                (size_t)sac_policy_parameter_count(soft) * sizeof(float));
        sac_policy *none;
        def.features = 8;
        assert_fails(sac_uptrain(&none, soft, &world, &def, NULL), SAC_ERROR_ARGUMENT, "the maps of point-cloud");
        for (int i = 0; i < ways; i++) sac_policy_destroy(linear[i]);
        sac_policy_destroy(soft);
    }
}

TESTS(the_teacher_holds_what_it_takes, attention_becomes_linear)
