#include "legs_scene.h"
#include "saccade/policy.h"

/// The planner of footholds (`kind: stepper`), with the settings of its tasks, in the worlds that it was made for: what
/// it is told, how it decides, and how a robot follows must all be right for it to come across.

#define BEAT "period=0.24,repeat=24,speed_cap=10,"

static sac_policy *planner_for(const scene *s, const sac_setting *settings, int count)
{
    sac_space inputs[2];
    const char *const names[] = {"truth", "ground"};
    for (int i = 0; i < 2; i++)
        inputs[i] = s->spec->observations[sac_space_find(s->spec->observations, s->spec->observation_count, names[i])];
    const sac_policy_def def = {.kind = "stepper",
                                .action_size = s->spec->action_size,
                                .action_low = s->spec->action_low,
                                .action_high = s->spec->action_high,
                                .inputs = inputs,
                                .input_count = 2,
                                .settings = settings,
                                .setting_count = count};
    sac_policy *policy;
    assert_ok(sac_policy_create(&policy, &def));
    return policy;
}

// How many of the courses from seed 1000 on a planner crosses. No picture is asked for.
static int crossed(const char *id, const char *world, const sac_setting *settings, int count, int courses)
{
    scene s;
    open_scene(&s, id, NULL, world);
    sac_policy *planner = planner_for(&s, settings, count);
    sac_policy_state *state;
    assert_ok(sac_policy_state_create(&state, planner));
    static const float zeros[64]; // where the tasks begin: factors of 1
    assert_true(sac_policy_parameter_count(planner) <= 64);
    sac_policy_state_set_parameters(state, zeros);
    const void *inputs[] = {part(&s, "truth"), part(&s, "ground")};
    for (int i = 0; i < s.spec->observation_count; i++)
        if (s.parts[i] != inputs[0] && s.parts[i] != inputs[1]) s.parts[i] = NULL;
    int all = 0;
    for (int course = 0; course < courses; course++)
    {
        assert_ok(sac_env_reset(s.env, 1000 + (uint64_t)course, &s.row));
        sac_policy_state_reset(state);
        while (!s.terminated && !s.truncated)
        {
            sac_policy_act_on(state, inputs, s.action);
            assert_ok(sac_env_step(s.env, &s.row));
        }
        const bool there = column(&s, CROSSED) == 1;
        assert_true(column(&s, X) > 0.3);
        assert_false(there && column(&s, FELL) == 1);
        all += there;
    }
    sac_policy_state_destroy(state);
    sac_policy_destroy(planner);
    close_scene(&s);
    return all;
}

// The article's gaps, at both speeds of its controller.
TEST(stones_are_crossed_at_two_speeds)
{
    const sac_setting slow[] = {{"speed", "0.2"}, {"lead", "0.02"}}, fast[] = {{"speed", "0.3"}, {"lead", "0.02"}};
    assert_int_equal(crossed("legs:stones", BEAT "feet=either,length=10", slow, 2, 3), 3);
    assert_int_equal(crossed("legs:stones", BEAT "feet=either,length=10", fast, 2, 3), 3);
}

// On a grid of level 6 it fell once in 16 courses that were tried, so that one fall is no alarm; a robot that is not
// told the ground crosses none there (docs/legs.md).
TEST(a_grid_is_crossed)
{
    const sac_setting settings[] = {{"lead", "0.02"}, {"aside", "0.075"}, {"align", "6"}};
    assert_true(crossed("legs:grid", BEAT "feet=either,seconds=60,level=6", settings, 3, 4) >= 3);
}

TEST(stairs_are_climbed)
{
    const sac_setting settings[] = {{"lead", "0.01"}, {"crouch", "0.05"}};
    assert_int_equal(crossed("legs:stairs", BEAT "feet=next,seconds=60,level=5", settings, 2, 3), 3);
}

TESTS(stones_are_crossed_at_two_speeds, a_grid_is_crossed, stairs_are_climbed)
