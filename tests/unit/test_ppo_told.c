#include "ppo_scene.h"

#include "base/memory.h"
#include "ppo/learner.h"
#include "rollout/normaliser.h"
#include "saccade/play.h"

// learning by reward where nothing before the controller is trained: what the controller is told of a frame stays the
// same, so an update takes it from the rollout

enum
{
    ITERATIONS = 4
};

static sac_policy *create_agent(const sac_env_def *env_def, const char *kind, const char *controller)
{
    const sac_setting settings[] = {{"controller", controller},
                                    {"motion", "true"},
                                    {"normaliser", "true"},
                                    {"patch", "8"},
                                    {"stride", "0"},
                                    {"hidden", "6"},
                                    {"attention", "relu"},
                                    {"attention_features", "0"}};
    sac_env *env;
    sac_policy *policy;
    assert_ok(sac_env_create(&env, env_def));
    assert_ok(sac_policy_create_for(&policy, env, kind, settings, (int)(sizeof settings / sizeof *settings)));
    sac_env_destroy(env);
    return policy;
}

// marks the tensors of the controller; the first of its numbers
static size_t mark_controller(const sac_policy *policy, uint8_t *trained)
{
    size_t first = (size_t)sac_policy_parameter_count(policy);
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *t = sac_policy_tensor_at(policy, i);
        if (strncmp(t->name, "lstm", 4) != 0 && strncmp(t->name, "hidden", 6) != 0 &&
            strncmp(t->name, "output", 6) != 0)
            continue;
        memset(trained + t->offset, 1, sac_policy_tensor_size(t));
        if (t->offset < first) first = t->offset;
    }
    return first;
}

// Trains for some iterations; the parameters then are written to `learned`. `looks`: updates look again, whatever stays
// the same. Returns how many numbers are kept of a frame.
static int learn(const sac_policy *policy, const float *start, const uint8_t *trained, bool looks, float *learned)
{
    static const sac_setting settings[] = {{"worlds", "9"}, {"steps", "8"}, {"minibatch", "32"}, {"sequence", "4"}};
    const sac_env_def env = {.id = "toy"};
    sac_comm *comm;
    sac_ppo *ppo;
    sac_normaliser normaliser;
    sac_ppo_report report;
    assert_ok(sac_comm_create_self(&comm));
    assert_ok(sac_normaliser_create(&normaliser, policy));
    assert_ok(sac_ppo_create(&ppo, &(sac_ppo_def){.policy = policy,
                                                  .env = &env,
                                                  .settings = settings,
                                                  .setting_count = (int)(sizeof settings / sizeof *settings),
                                                  .start = start,
                                                  .trained = trained,
                                                  .comm = comm,
                                                  .threads = 2}));
    const int kept = ppo->fixed_told;
    if (looks) ppo->fixed_told = 0;
    assert_ok(sac_ppo_begin(ppo));
    for (uint64_t i = 0; i < ITERATIONS; i++) assert_ok(sac_ppo_iterate(ppo, i, &normaliser, &report));
    memcpy(learned, sac_ppo_parameters(ppo), (size_t)sac_policy_parameter_count(policy) * sizeof *learned);
    sac_ppo_destroy(ppo);
    sac_normaliser_clear(&normaliser);
    sac_comm_close(comm, SAC_OK);
    return kept;
}

static void check(const char *kind, const char *controller)
{
    const sac_env_def env = {.id = "toy"};
    sac_policy *policy = create_agent(&env, kind, controller);
    const size_t count = (size_t)sac_policy_parameter_count(policy);
    uint8_t *trained = SAC_NEW_ARRAY(uint8_t, count);
    float *start = SAC_NEW_ARRAY(float, count), *told = SAC_NEW_ARRAY(float, count);
    float *looked = SAC_NEW_ARRAY(float, count);
    assert_true(trained && start && told && looked);
    sac_policy_draw(policy, 5, start);
    const size_t first = mark_controller(policy, trained), behind = (count - first) * sizeof *told;
    assert_true(first > 0 && first < count);
    assert_true(learn(policy, start, trained, false, told) > 0);
    assert_true(learn(policy, start, trained, true, looked) > 0);
    assert_memory_equal(told, looked, count * sizeof *told);
    assert_memory_equal(told, start, first * sizeof *told);
    assert_memory_not_equal(told + first, start + first, behind);
    // one number before the controller that learns, and nothing stays the same
    trained[0] = 1;
    assert_int_equal(learn(policy, start, trained, false, told), 0);
    sac_free(trained);
    sac_free(start);
    sac_free(told);
    sac_free(looked);
    sac_policy_destroy(policy);
}

TEST(what_stays_the_same_is_looked_at_once)
{
    check("attention-agent", "lstm");
    check("iap-rank", "mlp");
    check("iap-trans", "lstm");
}

TESTS(what_stays_the_same_is_looked_at_once)
