#include <math.h>

#include "policy/kind.h"
#include "test.h"

/// Policies of kind pilot: they turn to the next corner of a way and drive to it.

typedef struct scene
{
    sac_policy *policy;
    sac_policy_state *state;
    float action[2];
} scene;

static sac_status make(sac_policy **policy, int told, int actions, const sac_setting *settings, int count)
{
    static const float low[] = {-1, -1, -1}, high[] = {1, 1, 1};
    const sac_space input = {.name = "map", .kind = SAC_SPACE_VECTOR, .shape = {told}, .privileged = true};
    const sac_policy_def def = {.kind = "pilot",
                                .action_size = actions,
                                .action_low = low,
                                .action_high = high,
                                .inputs = &input,
                                .input_count = 1,
                                .settings = settings,
                                .setting_count = count};
    return sac_policy_create(policy, &def);
}

static void begin(scene *s)
{
    assert_ok(make(&s->policy, 3, 2, NULL, 0));
    assert_ok(sac_policy_state_create(&s->state, s->policy));
}

static void end(scene *s)
{
    sac_policy_state_destroy(s->state);
    sac_policy_destroy(s->policy);
}

static void act(scene *s, double direction, double distance)
{
    const float map[3] = {(float)(distance * cos(direction)), (float)(distance * sin(direction)), 5};
    const void *inputs[] = {map};
    sac_policy_act_on(s->state, inputs, s->action);
}

// It turns to the side on which the corner is, the more the farther off it is, at full turn where that is behind, and
// left and right are alike. It drives at full speed straight ahead and not at all beyond 45.6 degrees (cosine 0.7).
TEST(it_turns_to_the_corner_and_drives)
{
    scene s;
    begin(&s);
    float before[2] = {1, 0};
    for (int degrees = 0; degrees <= 180; degrees += 5)
    {
        const double direction = degrees * 3.14159265358979312 / 180;
        float left[2];
        act(&s, direction, 2);
        memcpy(left, s.action, sizeof left);
        if (degrees < 180) assert_true(left[1] >= before[1] - 1e-6f && left[0] <= before[0] + 1e-6f);
        if (degrees >= 90 && degrees < 180) assert_true(left[1] == 1);
        assert_true((left[0] > 0) == (degrees <= 45));
        memcpy(before, left, sizeof before);
        act(&s, -direction, 0.5); // how far it is does not count
        if (degrees < 180) assert_near(s.action[1], -left[1], 1e-6);
        assert_near(s.action[0], left[0], 1e-6);
    }
    act(&s, 0, 0); // there
    assert_true(s.action[0] == 1 && s.action[1] == 0);
    end(&s);
}

// Parameters scale what was typed: evolution begins at zeros.
TEST(parameters_scale_the_options)
{
    scene s;
    begin(&s);
    assert_int_equal(sac_policy_parameter_count(s.policy), 2);
    act(&s, 0.2, 1);
    const float plain = s.action[1];
    const float half[2] = {-0.5f, 0};
    sac_policy_state_set_parameters(s.state, half);
    act(&s, 0.2, 1);
    assert_near(s.action[1], plain / 2, 1e-6);
    end(&s);
}

TEST(what_does_not_fit_is_named)
{
    sac_policy *policy;
    const sac_setting slow = {"steering", "0"};
    assert_fails(make(&policy, 4, 2, NULL, 0), SAC_ERROR_ARGUMENT, "the part 'map' of rooms");
    assert_fails(make(&policy, 3, 3, NULL, 0), SAC_ERROR_ARGUMENT, "by two numbers");
    assert_fails(make(&policy, 3, 2, &slow, 1), SAC_ERROR_ARGUMENT, "steering");
    assert_null(policy);
}

TESTS(it_turns_to_the_corner_and_drives, parameters_scale_the_options, what_does_not_fit_is_named)
