#include <math.h>

#include "failing_memory.h"
#include "play/play.h"
#include "policy/kind.h"
#include "test.h"

/// Policies of kind sampler: a planner that draws plans around the one that it has, and tries them out.

enum
{
    ACTIONS = 2,
    MOST = 4096,
    LONGEST = 64
};

static const float low[ACTIONS] = {-1, 0}, high[ACTIONS] = {1, 1};

static sac_status make(sac_policy **policy, int choices, const sac_setting *settings, int count)
{
    static const sac_space input = {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {3}};
    const sac_policy_def def = {.kind = "sampler",
                                .action_size = choices ? 1 : ACTIONS,
                                .action_choices = choices,
                                .action_low = low,
                                .action_high = high,
                                .inputs = &input,
                                .input_count = 1,
                                .settings = settings,
                                .setting_count = count};
    return sac_policy_create(policy, &def);
}

/// A world that pays the less the farther the actions of a plan are from one that it wants, and what was tried in it.
typedef struct scene
{
    sac_policy *policy;
    sac_policy_state *state;
    int tried, steps, broken; // plans, actions of each, and the plan at which the world breaks; -1: none
    float first[MOST][ACTIONS], last[LONGEST][ACTIONS]; // of each plan, and all of the last one
    double earned[MOST];
    float action[ACTIONS];
} scene;

static const float wanted[ACTIONS] = {0.4f, 0.7f};

static sac_status run(void *self, const float *actions, int steps, double *reward)
{
    scene *s = self;
    if (s->tried == s->broken) return sac_fail(SAC_ERROR_ENVIRONMENT, "the world is broken");
    *reward = 0;
    for (int i = 0; i < steps * ACTIONS; i++)
    {
        const int k = i % ACTIONS;
        assert_true(actions[i] >= low[k] && actions[i] <= high[k]);
        *reward -= fabs((double)(actions[i] - wanted[k]));
    }
    s->steps = steps;
    s->earned[s->tried] = *reward;
    memcpy(s->first[s->tried++], actions, sizeof s->action);
    if (steps <= LONGEST) memcpy(s->last, actions, (size_t)steps * sizeof s->action);
    return SAC_OK;
}

static void begin(scene *s, const sac_setting *settings, int count)
{
    *s = (scene){.broken = -1};
    assert_ok(make(&s->policy, 0, settings, count));
    assert_ok(sac_policy_state_create(&s->state, s->policy));
}

static void end(scene *s)
{
    sac_policy_state_destroy(s->state);
    sac_policy_destroy(s->policy);
}

static sac_status search(scene *s)
{
    const float nothing[3] = {0};
    const void *inputs[] = {nothing};
    s->tried = 0;
    return s->policy->ops->search(s->state, &(sac_trial){s, run}, inputs, s->action);
}

// Plans of one action, and one elite: what is done is the first of those that earned most, and as the plan that it has
// is always among them, what it earns never falls.
TEST(the_best_of_what_was_tried_is_done)
{
    static scene s;
    double before = -INFINITY;
    begin(&s, (sac_setting[]){{"horizon", "1"}, {"knots", "1"}, {"samples", "20"}}, 3);
    for (int decision = 0; decision < 50; decision++)
    {
        assert_ok(search(&s));
        assert_int_equal(s.tried, 20);
        int best = 0;
        for (int k = 1; k < s.tried; k++)
            if (s.earned[k] > s.earned[best]) best = k;
        assert_memory_equal(s.action, s.first[best], sizeof s.action);
        assert_true(s.earned[best] >= before);
        before = s.earned[best];
    }
    end(&s);
}

// Each round begins with the mean of the best plans of the round before.
TEST(elites_are_averaged)
{
    static scene s;
    begin(&s, (sac_setting[]){{"horizon", "1"}, {"knots", "1"}, {"samples", "9"}, {"elites", "3"}, {"rounds", "2"}}, 5);
    assert_ok(search(&s));
    assert_int_equal(s.tried, 18);
    double mean[ACTIONS] = {0};
    for (int e = 0; e < 3; e++)
    {
        int best = 0;
        for (int k = 1; k < 9; k++)
            if (s.earned[k] > s.earned[best]) best = k;
        s.earned[best] = -INFINITY;
        for (int k = 0; k < ACTIONS; k++) mean[k] += (double)s.first[best][k] / 3;
    }
    for (int k = 0; k < ACTIONS; k++) assert_near(s.first[9][k], mean[k], 1e-7); // an ulp of a float below 1
    end(&s);
}

// With a point for each action, what is tried first in the next decision is the plan without its first action, and
// where nothing can be tried the rest of it is done.
TEST(a_plan_moves_on)
{
    static scene s;
    const float nothing[3] = {0};
    const void *inputs[] = {nothing};
    float planned[6][ACTIONS];
    begin(&s, (sac_setting[]){{"horizon", "6"}, {"knots", "6"}, {"samples", "8"}}, 3);
    for (int i = 0; i < 3; i++) assert_ok(search(&s));
    int different = 0;
    for (int i = 0; i < 6; i++)
    {
        sac_policy_act_on(s.state, inputs, planned[i]);
        different += i > 0 && memcmp(planned[i], planned[i - 1], sizeof s.action) != 0;
    }
    assert_true(different >= 2);
    assert_memory_equal(planned[5], planned[4], sizeof s.action); // beyond its end the last action is done

    sac_policy_state_reset(s.state); // the same draws again
    for (int i = 0; i < 4; i++) assert_ok(search(&s));
    assert_memory_equal(s.first[0], planned[0], sizeof s.action); // the plan that it has is tried first
    end(&s);
}

// Three points of five actions: the second action is the mean of its neighbours, and so is the fourth.
TEST(a_plan_lies_on_lines)
{
    static scene s;
    begin(&s, (sac_setting[]){{"horizon", "5"}, {"knots", "3"}, {"samples", "2"}}, 3);
    for (int decision = 0; decision < 10; decision++)
    {
        assert_ok(search(&s));
        for (int i = 1; i < 5; i += 2)
            for (int k = 0; k < ACTIONS; k++) // two roundings to floats below 1
                assert_near(s.last[i][k], ((double)s.last[i - 1][k] + (double)s.last[i + 1][k]) / 2, 1.2e-7);
    }
    assert_true(s.last[0][0] != s.last[2][0] || s.last[2][0] != s.last[4][0]);
    end(&s);
}

// The parameter scales how far samples deviate: not at all at -1, twice as far at 1, and what is not finite counts as
// 0. A fifth of the samples each deviates by a half of what the fifth before it does.
TEST(the_parameter_scales_what_is_drawn)
{
    static const float values[] = {0, 1, -1, NAN, INFINITY, 3e38F};
    static scene s;
    static float drawn[2][20][ACTIONS];
    for (int v = 0; v < 6; v++)
    {
        begin(&s, (sac_setting[]){{"horizon", "1"}, {"knots", "1"}, {"samples", "20"}, {"deviation", "0.02"}}, 4);
        sac_policy_state_set_parameters(s.state, &values[v]);
        assert_ok(search(&s)); // `run` checks the bounds
        for (int k = 0; k < 20; k++)
            for (int i = 0; i < ACTIONS; i++)
            {
                assert_true(isfinite(s.first[k][i]));
                if (v < 2) drawn[v][k][i] = s.first[k][i];
                if (v == 2) assert_true(s.first[k][i] == 0); // where it begins
                if (v == 3 || v == 4) assert_true(s.first[k][i] == drawn[0][k][i]);
            }
        end(&s);
    }
    int moved = 0;
    for (int k = 0; k < 20; k++)
    {
        assert_near(drawn[1][k][0], 2 * (double)drawn[0][k][0], 1.2e-7);
        assert_true(fabsf(drawn[0][k][0]) < 6 * 0.02f * exp2f(-(float)(k % 5))); // six deviations
        moved += drawn[0][k][0] != 0;
    }
    assert_true(moved >= 3 && moved <= 17); // of 19 that are drawn about half; the same numbers on every machine
}

TEST(what_fails_is_said)
{
    static scene s;
    sac_policy *policy;
    begin(&s, NULL, 0);
    s.broken = 7;
    assert_fails(search(&s), SAC_ERROR_ENVIRONMENT, "the world is broken");
    end(&s);
    assert_fails(make(&policy, 3, NULL, 0), SAC_ERROR_ARGUMENT, "the actions of this world are choices");
    assert_fails(make(&policy, 0, (sac_setting[]){{"horizon", "4"}}, 1), SAC_ERROR_ARGUMENT, "knots is 5");
    assert_fails(make(&policy, 0, (sac_setting[]){{"samples", "4"}, {"elites", "5"}}, 2), SAC_ERROR_ARGUMENT,
                 "elites is 5");
    assert_survives_lack_of_memory(make(&policy, 0, NULL, 0), sac_policy_destroy(policy));
}

static double drive(const sac_setting *settings, int count, const char *limit, int *steps)
{
    const sac_setting of_world[] = {{"action_repeat", "4"}, {"max_steps", limit}};
    const sac_env_def world = {.id = "car-racing", .settings = of_world, .setting_count = 2};
    sac_env *env;
    sac_policy *policy;
    sac_play play;
    assert_ok(sac_env_create(&env, &world));
    assert_ok(sac_policy_create_for(&policy, env, "sampler", settings, count));
    assert_ok(sac_play_open(&play, policy, &world, SAC_PLAY_INPUTS));
    assert_ok(sac_play_reset(&play, 1000000));
    while (!sac_play_ended(&play))
    {
        assert_ok(sac_play_decide(&play));
        assert_ok(sac_play_step(&play));
    }
    const double earned = play.episode_return;
    *steps = play.steps;
    sac_play_close(&play);
    sac_policy_destroy(policy);
    sac_env_destroy(env);
    return earned;
}

// In a world of its own it earns more the more it tries, the same to the bit each time, and plans that reach beyond the
// end of an episode are tried up to there.
TEST(it_drives)
{
    const sac_setting told = {"inputs", "state"}, teacher = {"teacher", "true"};
    const sac_setting one[] = {told, teacher, {"samples", "1"}};
    const sac_setting many[] = {told, teacher, {"samples", "12"}, {"horizon", "20"}};
    int steps[3];
    const double idle = drive(one, 3, "120", &steps[0]);
    const double first = drive(many, 4, "120", &steps[1]), again = drive(many, 4, "120", &steps[2]);
    assert_true(first == again && steps[1] == steps[2]);
    assert_int_equal(steps[0], 30);
    assert_true(first > idle + 20); // six tiles and more of some three hundred that are 1,000 in all
}

TESTS(the_best_of_what_was_tried_is_done, elites_are_averaged, a_plan_moves_on, a_plan_lies_on_lines,
      the_parameter_scales_what_is_drawn, what_fails_is_said, it_drives)
