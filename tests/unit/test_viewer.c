#include "failing_memory.h"
#include "saccade/viewer.h"
#include "test.h"

static const sac_setting env_settings[] = {{"max_steps", "12"}};
static const sac_env_def toy = {.id = "toy", .settings = env_settings, .setting_count = 1};

static sac_policy *make_policy(const char *size)
{
    static const float low[] = {-1, -1}, high[] = {1, 1};
    const sac_setting settings[] = {{"patch", "7"}, {"stride", "4"}};
    int side = atoi(size);
    sac_policy_def def = {.kind = "attention-agent",
                          .settings = settings,
                          .setting_count = 2,
                          .height = side,
                          .width = side,
                          .channels = 3,
                          .action_size = 2,
                          .action_low = low,
                          .action_high = high};
    sac_policy *empty, *policy;
    assert_ok(sac_policy_create(&empty, &def));
    float *parameters = calloc((size_t)sac_policy_parameter_count(empty), sizeof *parameters);
    sac_policy_draw(empty, 3, parameters);
    assert_ok(sac_policy_create_with(&policy, empty, parameters));
    sac_policy_destroy(empty);
    free(parameters);
    return policy;
}

// the viewer plays exactly the episode that the loop of environment and policy plays
TEST(viewer_plays_the_episode)
{
    sac_policy *policy = make_policy("32");
    sac_viewer *viewer;
    assert_ok(sac_viewer_create(&viewer, policy, &toy, 320, 200));
    assert_ok(sac_viewer_reset(viewer, 5));
    while (!sac_viewer_ended(viewer)) assert_ok(sac_viewer_step(viewer, NULL));

    sac_env *env;
    sac_policy_state *state;
    assert_ok(sac_env_create(&env, &toy));
    assert_ok(sac_policy_state_create(&state, policy));
    static uint8_t observation[32 * 32 * 3], terminated, truncated;
    float action[2];
    double reward, sum = 0;
    int steps = 0;
    sac_env_row row = {action, (void *const[SAC_MAX_PARTS]){observation}, &reward, &terminated, &truncated};
    assert_ok(sac_env_reset(env, 5, &row));
    for (; !terminated && !truncated; steps++)
    {
        sac_policy_act(state, observation, action);
        assert_ok(sac_env_step(env, &row));
        sum += reward;
    }
    assert_int_equal(sac_viewer_steps(viewer), steps);
    assert_true(sac_viewer_return(viewer) == sum);
    sac_policy_state_destroy(state);
    sac_env_destroy(env);
    sac_viewer_destroy(viewer);
    sac_policy_destroy(policy);
}

// the same seed gives the same frames, drawing changes nothing, and a reset starts anew
TEST(frames_are_reproducible)
{
    sac_policy *policy = make_policy("32");
    sac_viewer *viewer;
    enum
    {
        BYTES = 320 * 200 * 3
    };
    static uint8_t first[BYTES];
    const uint8_t *rgb;
    assert_ok(sac_viewer_create(&viewer, policy, &toy, 320, 200));
    for (int round = 0; round < 2; round++)
    {
        assert_ok(sac_viewer_reset(viewer, 9));
        for (int i = 0; i < 6; i++)
        {
            assert_ok(sac_viewer_step(viewer, NULL));
            if (round == 1) assert_ok(sac_viewer_draw(viewer, "toy", NULL, &rgb));
        }
        assert_ok(sac_viewer_draw(viewer, "toy", NULL, &rgb));
        if (round == 0) memcpy(first, rgb, BYTES);
    }
    assert_memory_equal(first, rgb, BYTES);
    assert_non_null(sac_viewer_gaze(viewer));
    assert_int_equal(sac_viewer_gaze(viewer)->rows, 7);
    sac_viewer_destroy(viewer);
    sac_policy_destroy(policy);
}

TEST(viewer_without_a_policy)
{
    sac_viewer *viewer;
    const uint8_t *rgb;
    assert_ok(sac_viewer_create(&viewer, NULL, &toy, 320, 200));
    assert_ok(sac_viewer_reset(viewer, 1));
    assert_null(sac_viewer_gaze(viewer));
    static const float corner[] = {1, -1};
    assert_ok(sac_viewer_step(viewer, corner));
    assert_ok(sac_viewer_step(viewer, NULL));
    assert_ok(sac_viewer_draw(viewer, NULL, NULL, &rgb));
    sac_viewer_destroy(viewer);
    sac_viewer_destroy(NULL);
}

TEST(viewer_says_what_does_not_fit)
{
    sac_policy *policy = make_policy("48");
    sac_viewer *viewer;
    assert_fails(sac_viewer_create(&viewer, policy, &toy, 320, 200), SAC_ERROR_ARGUMENT, "48 x 48 x 3");
    assert_null(viewer);
    assert_fails(sac_viewer_create(&viewer, NULL, &toy, 321, 200), SAC_ERROR_ARGUMENT, "321x200");
    sac_env_def unknown = {.id = "toyy"};
    assert_fails(sac_viewer_create(&viewer, NULL, &unknown, 320, 200), SAC_ERROR_ARGUMENT, "did you mean 'toy'");
    sac_policy_destroy(policy);
}

// nothing allocates once an episode runs
static int allocations;

static void *counting(void *user, size_t size, size_t alignment)
{
    (void)user;
    allocations++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

TEST(steps_and_frames_do_not_allocate)
{
    sac_set_allocator(&(sac_allocator){counting, release, NULL});
    sac_policy *policy = make_policy("32");
    sac_viewer *viewer;
    const uint8_t *rgb;
    assert_ok(sac_viewer_create(&viewer, policy, &toy, 320, 200));
    assert_ok(sac_viewer_reset(viewer, 1));
    int before = allocations;
    assert_true(before > 0);
    for (int i = 0; i < 10; i++)
    {
        assert_ok(sac_viewer_step(viewer, NULL));
        assert_ok(sac_viewer_draw(viewer, "toy", "paused", &rgb));
    }
    assert_int_equal(allocations, before);
    sac_viewer_destroy(viewer);
    sac_policy_destroy(policy);
    sac_set_allocator(NULL);
}

TEST(viewer_survives_lack_of_memory)
{
    sac_policy *policy = make_policy("32");
    sac_viewer *viewer;
    assert_survives_lack_of_memory(sac_viewer_create(&viewer, policy, &toy, 320, 200), sac_viewer_destroy(viewer));
    sac_policy_destroy(policy);
}

TESTS(viewer_plays_the_episode, frames_are_reproducible, viewer_without_a_policy, viewer_says_what_does_not_fit,
      steps_and_frames_do_not_allocate, viewer_survives_lack_of_memory)
