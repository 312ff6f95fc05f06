#include "base/error.h"
#include "base/memory.h"
#include "policy/actor.h"
#include "policy/kind.h"
#include "policy/planners/steer.h"

/// A pilot of robots on wheels (`rooms`): it is told the next corner of the shortest way, turns to it, and drives the
/// faster the straighter ahead it is. It sees no picture, so it makes teachers.

typedef struct pilot_config
{
    double steering, narrow;
} pilot_config;

static const sac_option options[] = {
    {"steering", SAC_OPTION_REAL, offsetof(pilot_config, steering), "2", 0.1, 20, NULL,
     "turn for each unit of the sine of the corner's direction; what is behind is turned to at full turn"},
    {"narrow", SAC_OPTION_REAL, offsetof(pilot_config, narrow), "0.7", 0, 0.99, NULL,
     "cosine of the corner's direction from which on it drives; at 1 it drives at full speed"},
    {0},
};

/// What is told: the corner, ahead and to the left, and how long the way is (docs/rooms.md).
enum
{
    TOLD = 3,
    ACTIONS = 2,
};

/// What its parameters scale by 1 + their values.
enum
{
    STEERING,
    NARROW,
    WEIGHTS
};

typedef struct pilot
{
    size_t weights; // offset
} pilot;

typedef struct pilot_state
{
    sac_policy_state base; // first
    float weights[WEIGHTS];
} pilot_state;

static sac_status create(sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    const int size = WEIGHTS;
    if (def->input_count != 1 || sac_space_size(&def->inputs[0]) != TOLD)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: a pilot takes the part 'map' of rooms (inputs: map)");
    if (def->action_choices || def->action_size != ACTIONS)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: a pilot drives by two numbers, as rooms has them, not by %d",
                        def->action_choices ? 1 : def->action_size);
    pilot *p = SAC_NEW(pilot);
    if (!p) return sac_fail_memory("a policy");
    policy->self = p; // destroyed with the policy
    return sac_policy_add_tensor(policy, "plan.weights", 0, 1, &size, &p->weights);
}

static void destroy(void *self)
{
    sac_free(self);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    pilot_state *s = (pilot_state *)base;
    const pilot_config *config = base->policy->config;
    const float *factors = parameters + ((const pilot *)base->policy->self)->weights;
    const double typed[WEIGHTS] = {[STEERING] = config->steering, [NARROW] = config->narrow};
    for (int i = 0; i < WEIGHTS; i++) s->weights[i] = (1 + factors[i]) * (float)typed[i];
}

static void reset(sac_policy_state *base)
{
    (void)base; // it remembers nothing
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    const pilot_state *s = (const pilot_state *)base;
    float told[TOLD];
    sac_tell_finite(told, inputs[0], TOLD);
    sac_steer(action, told[0], told[1], s->weights[STEERING], s->weights[NARROW], &base->policy->def);
}

const sac_policy_ops sac_pilot_ops = {.name = "pilot",
                                      .options = options,
                                      .config_size = sizeof(pilot_config),
                                      .taste = SAC_TASTE_NUMBERS,
                                      .create = create,
                                      .destroy = destroy,
                                      .state_size = sizeof(pilot_state),
                                      .set_parameters = set_parameters,
                                      .reset = reset,
                                      .act = act};
