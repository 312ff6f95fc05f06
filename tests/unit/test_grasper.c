#include "failing_memory.h"
#include "grip/hand.h"
#include "policy/kind.h"

/// Policies of kind grasper: a planner of grasps that is told a thing's shape, and tries grasps out.

enum
{
    TRUTH = 13
};

static const float low[GRIP_ACTION] = {-0.1f, -0.1f, -0.1f, -1, -1, -1, -4};
static const float high[GRIP_ACTION] = {0.1f, 0.1f, 0.1f, 1, 1, 1, 4};

static sac_status make(sac_policy **policy, int truth, int actions, const sac_setting *settings, int count)
{
    const sac_space inputs[] = {
        {.name = "truth", .kind = SAC_SPACE_VECTOR, .shape = {truth}, .privileged = true},
        {.name = "shape", .kind = SAC_SPACE_VECTOR, .shape = {GRIP_SHAPE_NUMBERS}, .privileged = true}};
    const sac_policy_def def = {.kind = "grasper",
                                .action_size = actions,
                                .action_low = low,
                                .action_high = high,
                                .inputs = inputs,
                                .input_count = 2,
                                .settings = settings,
                                .setting_count = count};
    return sac_policy_create(policy, &def);
}

typedef struct scene
{
    sac_policy *policy;
    sac_policy_state *state;
    float truth[TRUTH], shape[GRIP_SHAPE_NUMBERS], action[GRIP_ACTION];
    int tried, wanted; // grasps that were tried, and which of them holds
    float last[GRIP_ACTION];
} scene;

// a bar of 10 cm x 3 cm x 4 cm along y, with its middle 2 cm ahead of what is seen, on a table
static void begin(scene *s, const sac_setting *settings, int count)
{
    *s = (scene){.truth = {0.02f, 0, -0.01f, 0, -1, 0, 1, 0, 0, 0, 0, 1, -0.03f}};
    const grip_thing bar = {
        .solids = {{.kind = GRIP_BOX, .size = {0.05, 0.015, 0.02}, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}}}, .count = 1};
    sac_grip_tell(s->shape, &bar);
    assert_ok(make(&s->policy, TRUTH, GRIP_ACTION, settings, count));
    assert_ok(sac_policy_state_create(&s->state, s->policy));
}

static void end(scene *s)
{
    sac_policy_state_destroy(s->state);
    sac_policy_destroy(s->policy);
}

static sac_status run(void *self, const float *action, int steps, double *reward)
{
    assert_int_equal(steps, 1);
    scene *s = self;
    *reward = s->tried++ == s->wanted;
    memcpy(s->last, action, sizeof s->last);
    return SAC_OK;
}

static void search(scene *s, int wanted)
{
    const void *inputs[] = {s->truth, s->shape};
    s->tried = 0;
    s->wanted = wanted;
    assert_ok(s->policy->ops->search(s->state, &(sac_trial){s, run}, inputs, s->action));
}

// Fingers close across the bar, that is along x, in its middle, from above.
TEST(the_best_grasp_is_across_the_middle)
{
    scene s;
    begin(&s, NULL, 0);
    const void *inputs[] = {s.truth, s.shape};
    sac_policy_act_on(s.state, inputs, s.action);
    assert_near(s.action[0], 0.02, 0.005);
    assert_near(s.action[1], 0, 0.005);
    assert_true(s.action[2] >= -0.03f && s.action[2] < 0.01f); // above the table, below the bar's upper side
    assert_near(s.action[5], -1, 1e-6);
    assert_near(s.action[6], 0, 0.1);
    end(&s);
}

TEST(the_first_that_holds_is_done)
{
    scene s;
    begin(&s, NULL, 0);
    search(&s, 0);
    assert_int_equal(s.tried, 1);
    const float best[2] = {s.action[1], s.action[6]};
    search(&s, 2);
    assert_int_equal(s.tried, 3);
    assert_memory_equal(s.action, s.last, sizeof s.last);
    assert_true(s.action[1] != best[0] || s.action[6] != best[1]);
    search(&s, 99); // none does: the best one stands
    assert_int_equal(s.tried, 8);
    assert_true(s.action[1] == best[0] && s.action[6] == best[1]);
    end(&s);
    begin(&s, &(sac_setting){"tries", "0"}, 1);
    search(&s, 0);
    assert_int_equal(s.tried, 0);
    assert_true(s.action[1] == best[0]);
    end(&s);
}

// With `check`, a grasp must hold at its place and on four sides of it.
TEST(a_checked_grasp_is_tried_on_its_sides)
{
    scene s;
    begin(&s, (sac_setting[]){{"check", "true"}, {"tries", "3"}}, 2);
    search(&s, 0); // its first place holds, its first side does not, nor does any other grasp
    assert_int_equal(s.tried, 4);
    end(&s);
}

// Where nothing can be grasped, the hand still comes from above.
TEST(a_thing_without_grasps_is_survived)
{
    scene s;
    begin(&s, NULL, 0);
    memset(s.shape, 0, sizeof s.shape);
    search(&s, 0);
    assert_int_equal(s.tried, 0);
    assert_true(s.action[0] == 0 && s.action[5] == -1);
    end(&s);
}

TEST(what_does_not_fit_is_named)
{
    sac_policy *policy;
    assert_fails(make(&policy, 12, 7, NULL, 0), SAC_ERROR_ARGUMENT, "inputs: truth shape");
    assert_fails(make(&policy, TRUTH, 6, NULL, 0), SAC_ERROR_ARGUMENT, "by 7 numbers");
    assert_survives_lack_of_memory(make(&policy, TRUTH, 7, NULL, 0), sac_policy_destroy(policy));
}

TESTS(the_best_grasp_is_across_the_middle, the_first_that_holds_is_done, a_checked_grasp_is_tried_on_its_sides,
      a_thing_without_grasps_is_survived, what_does_not_fit_is_named)
