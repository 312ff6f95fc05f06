#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "grip/solid.h"
#include "saccade/policy.h"
#include "test.h"

/// What every policy promises, of planners: numbers that are not finite count as 0, and whatever they are told, by
/// whatever parameters, their actions are finite and within their bounds.

enum
{
    ACTIONS = 22,
    NUMBERS = 4096,
    ROUNDS = 40
};

static const float far = 4, near = 0;
static const sac_space map[] = {{.name = "map", .kind = SAC_SPACE_VECTOR, .shape = {3}}};
static const sac_space objects[] = {{.name = "objects", .kind = SAC_SPACE_VECTOR, .shape = {124}}};
static const sac_space ground[] = {{.name = "truth", .kind = SAC_SPACE_VECTOR, .shape = {8}},
                                   {.name = "ground", .kind = SAC_SPACE_VECTOR, .shape = {4 * 51 * 7}}};
static const sac_space thing[] = {{.name = "truth", .kind = SAC_SPACE_VECTOR, .shape = {13}},
                                  {.name = "shape", .kind = SAC_SPACE_VECTOR, .shape = {GRIP_SHAPE_NUMBERS}}};
static const sac_space rooms[] = {
    {.name = "motion", .kind = SAC_SPACE_VECTOR, .shape = {9}},
    {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {24, 24}, .low = &near, .high = &far}};

static const struct
{
    const char *kind;
    const sac_space *inputs;
    int count, actions, choices;
    sac_setting setting;
} planners[] = {
    {"pilot", map, 1, 2, 0, {0}},       {"dodger", objects, 1, 1, 3, {0}},
    {"stepper", ground, 2, 11, 0, {0}}, {"stepper", ground, 2, 18, 0, {0}},
    {"grasper", thing, 2, 7, 0, {0}},   {"finder", rooms, 2, 2, 0, {"words", "false"}},
    {"sampler", map, 1, 2, 0, {0}},
};

enum
{
    PLANNERS = sizeof planners / sizeof *planners
};

static sac_policy_state *begin(int p, sac_policy **policy)
{
    static const float low[ACTIONS] = {[0 ... ACTIONS - 1] = -1}, high[ACTIONS] = {[0 ... ACTIONS - 1] = 1};
    const sac_policy_def def = {.kind = planners[p].kind,
                                .action_size = planners[p].actions,
                                .action_choices = planners[p].choices,
                                .action_low = low,
                                .action_high = high,
                                .inputs = planners[p].inputs,
                                .input_count = planners[p].count,
                                .settings = &planners[p].setting,
                                .setting_count = planners[p].setting.key != NULL};
    sac_policy_state *state;
    assert_ok(sac_policy_create(policy, &def));
    assert_ok(sac_policy_state_create(&state, *policy));
    return state;
}

static void end(sac_policy_state *state, sac_policy *policy)
{
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

// Usual numbers, and among them some that are not usual
static void tell(float *numbers, int round, const float *odd, int count, bool zeros)
{
    sac_stream random = sac_stream_create(5, (uint64_t)round, 0);
    for (int i = 0; i < NUMBERS; i++)
    {
        const double usual = sac_stream_uniform(&random, -1, 1);
        const uint32_t which = sac_stream_below(&random, 8 * (uint32_t)count);
        const float value = which < (uint32_t)count ? odd[which] : (float)usual;
        numbers[i] = zeros && !isfinite(value) ? 0 : value;
    }
}

static void act(sac_policy_state *state, int p, float *numbers, float *action)
{
    const void *inputs[2] = {numbers, numbers + NUMBERS / 2};
    sac_policy_act_on(state, inputs, action);
    for (int i = 0; i < planners[p].actions; i++)
        assert_true(planners[p].choices ? action[i] == 0 || action[i] == 1 || action[i] == 2 : fabsf(action[i]) <= 1);
}

TEST(what_is_not_finite_counts_as_zero)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    static float told[NUMBERS], zeroed[NUMBERS];
    for (int p = 0; p < PLANNERS; p++)
    {
        sac_policy *policies[2];
        sac_policy_state *one = begin(p, &policies[0]), *other = begin(p, &policies[1]);
        for (int round = 0; round < ROUNDS; round++)
        {
            float action[ACTIONS], expected[ACTIONS];
            tell(told, round, odd, 3, false);
            tell(zeroed, round, odd, 3, true);
            if (planners[p].inputs == rooms) // depth is a picture, whose pixels are no numbers of a vector
                memcpy(told + NUMBERS / 2, zeroed + NUMBERS / 2, sizeof told / 2);
            act(one, p, told, action);
            act(other, p, zeroed, expected);
            assert_memory_equal(action, expected, (size_t)planners[p].actions * sizeof *action);
        }
        end(one, policies[0]);
        end(other, policies[1]);
    }
}

TEST(actions_are_within_bounds_whatever_is_told)
{
    static const float odd[] = {NAN, INFINITY, 3e38F, -3e38F, 1e20F, -1e9F, 1e-38F, 0};
    static float told[NUMBERS];
    for (int p = 0; p < PLANNERS; p++)
    {
        sac_policy *policy;
        sac_policy_state *state = begin(p, &policy);
        for (int round = 0; round < ROUNDS; round++)
        {
            float action[ACTIONS];
            tell(told, round, odd, 8, false);
            act(state, p, told, action);
        }
        end(state, policy);
    }
}

TEST(actions_are_within_bounds_whatever_parameters_are)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38F, -3e38F};
    static float told[NUMBERS], parameters[NUMBERS];
    for (int p = 0; p < PLANNERS; p++)
    {
        sac_policy *policy;
        sac_policy_state *state = begin(p, &policy);
        for (int round = 0; round < ROUNDS; round++)
        {
            float action[ACTIONS];
            for (int i = 0; i < sac_policy_parameter_count(policy); i++) parameters[i] = odd[(round + i * i) % 5];
            sac_policy_state_set_parameters(state, parameters);
            tell(told, round, &near, 1, false);
            act(state, p, told, action);
        }
        end(state, policy);
    }
}

TESTS(what_is_not_finite_counts_as_zero, actions_are_within_bounds_whatever_is_told,
      actions_are_within_bounds_whatever_parameters_are)
