#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/parts.h"

/// A policy that looks at no picture: a controller on the numbers of its inputs. It makes teachers, which may see what
/// is privileged, and baselines from state.

typedef struct sac_mlp_config
{
    int image_size; // of the rows that kinds share; unused
    sac_actor_config actor;
} sac_mlp_config;

#define CONFIG sac_mlp_config
#include "policy/option_rows.h"

typedef struct sac_mlp_state
{
    sac_policy_state base; // first
    sac_actor_state actor;
    float *parameters; ///< [parameter_count]
} sac_mlp_state;

static sac_status create(sac_policy *policy)
{
    const sac_mlp_config *config = policy->config;
    sac_actor *actor = SAC_NEW(sac_actor);
    if (!actor) return sac_fail_memory("a policy");
    policy->self = actor; // destroyed with the policy
    SAC_TRY(sac_actor_check(&config->actor, &policy->def));
    return sac_actor_plan(actor, policy, &config->actor, 0);
}

static void destroy(void *self)
{
    sac_free(self);
}

static void place(sac_policy_state *base, sac_workspace *workspace)
{
    sac_mlp_state *s = (sac_mlp_state *)base;
    s->parameters = sac_take(workspace, (size_t)base->policy->parameter_count, sizeof(float));
    sac_actor_place(&s->actor, base->policy->self, base->policy, workspace);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    sac_mlp_state *s = (sac_mlp_state *)base;
    memcpy(s->parameters, parameters, (size_t)base->policy->parameter_count * sizeof(float));
    sac_actor_set(&s->actor, base->policy->self, base->policy, s->parameters);
}

static void reset(sac_policy_state *base)
{
    sac_mlp_state *s = (sac_mlp_state *)base;
    sac_actor_reset(&s->actor, base->policy->self);
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    sac_mlp_state *s = (sac_mlp_state *)base;
    sac_actor_act(&s->actor, base->policy->self, base->policy, s->parameters, inputs, action);
}

// This kind never has a picture as its input, so sac_policy_act_float may not be called for it.
static void act_float(sac_policy_state *base, const float *observation, float *action)
{
    const void *inputs[] = {observation};
    act(base, inputs, action);
}

static void gaze(sac_policy_state *base, sac_gaze *seen)
{
    const sac_mlp_state *s = (const sac_mlp_state *)base;
    sac_actor_gaze(&s->actor, base->policy->self, seen);
}

static const float *filter_input(const sac_policy_state *base)
{
    return ((const sac_mlp_state *)base)->actor.unfiltered;
}

static void parts(const sac_policy_state *base, sac_policy_parts *parts)
{
    *parts = (sac_policy_parts){.actor = base->policy->self,
                                .actor_state = &((const sac_mlp_state *)base)->actor,
                                .reading = SAC_PARTS_NUMBERS};
}

static const sac_option options[] = {
    ACTOR_ROW(controller, SAC_OPTION_TEXT, "mlp", 0, 0, sac_controller_words, "what acts on the numbers"),
    ACTOR_ROW(hidden, SAC_OPTION_INT, "64", 1, 1024, NULL, "units of lstm, or of each of mlp's hidden layers"),
    ACTOR_ROW(layers, SAC_OPTION_INT, "2", 1, SAC_MAX_HIDDEN_LAYERS, NULL, "hidden layers of mlp"),
    ACTOR_ROW(activation, SAC_OPTION_TEXT, "tanh", 0, 0, "tanh clip none",
              "of the output: tanh or clip to -1..1 and stretch to the bounds, or none: cut at the bounds"),
    ACTOR_ROW(choice, SAC_OPTION_TEXT, "auto", 0, 0, "auto threshold argmax",
              "discrete actions: one output with thresholds at -1/3 and 1/3 for choices 1, 0, 2, or the largest of n "
              "outputs; auto: threshold where there are 3"),
    ACTOR_ROW(motion, SAC_OPTION_BOOL, "false", 0, 0, NULL,
              "tell the controller also how each number has changed since the step before"),
    ACTOR_ROW(filter, SAC_OPTION_BOOL, "true", 0, 0, NULL,
              "whiten the numbers by their running mean and deviation, measured in training"),
    ACTOR_ROW(filter_limit, SAC_OPTION_REAL, "0", 0, 1e9, NULL,
              "whitened numbers are cut at so many deviations on either side; 0: never"),
    {0},
};

const sac_policy_ops sac_mlp_ops = {.name = "mlp",
                                    .options = options,
                                    .config_size = sizeof(sac_mlp_config),
                                    .taste = SAC_TASTE_NUMBERS,
                                    .create = create,
                                    .destroy = destroy,
                                    .state_size = sizeof(sac_mlp_state),
                                    .place = place,
                                    .set_parameters = set_parameters,
                                    .reset = reset,
                                    .act = act,
                                    .act_float = act_float,
                                    .gaze = gaze,
                                    .filter_input = filter_input,
                                    .parts = parts};
