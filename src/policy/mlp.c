#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/parts.h"

/// A policy that looks at no picture: a controller on the numbers of its inputs. It makes teachers, which may see what
/// is privileged, and baselines from state.

typedef struct sac_mlp_config
{
    int crop_top, crop_height, image_size; // of the rows that kinds share; unused
    sac_actor_config actor;
} sac_mlp_config;

#define CONFIG sac_mlp_config
#include "policy/options/kind_rows.h"

typedef struct sac_mlp_state
{
    sac_policy_state base; // first
    sac_actor_state actor;
    const float *parameters; ///< [parameter_count] the policy's own, or the copy of others
    float *copy;
} sac_mlp_state;

enum
{
    FEWEST_COLUMNS = 5 // of 16 that pay: fewer episodes are faster one by one
};

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
    s->copy = sac_take(workspace, (size_t)base->policy->parameter_count, sizeof(float));
    sac_actor_place(&s->actor, base->policy->self, base->policy, workspace);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    sac_mlp_state *s = (sac_mlp_state *)base;
    // The policy's own never change, so that all who have them share them, and can act side by side.
    s->parameters = base->policy->parameters;
    if (parameters != s->parameters)
        s->parameters = memcpy(s->copy, parameters, (size_t)base->policy->parameter_count * sizeof(float));
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

// Episodes one behind the other with the same parameters, up to SAC_LANES.
static int count_alike(sac_policy_state *const *states, int count)
{
    const float *parameters = ((const sac_mlp_state *)states[0])->parameters;
    int alike = 1;
    while (alike < count && alike < SAC_LANES && ((const sac_mlp_state *)states[alike])->parameters == parameters)
        alike++;
    return alike;
}

static void act_batch(sac_policy_state *const *states, const void *const *const *inputs, float *const *actions,
                      int count)
{
    const sac_policy *policy = states[0]->policy;
    const bool columns = sac_actor_has_columns(policy->self);
    for (int i = 0, alike; i < count; i += alike)
    {
        alike = count_alike(states + i, count - i);
        sac_actor_state *actors[SAC_LANES];
        for (int k = 0; k < alike; k++) actors[k] = &((sac_mlp_state *)states[i + k])->actor;
        if (columns && alike >= FEWEST_COLUMNS)
            sac_actor_act_columns(actors, policy->self, policy, ((sac_mlp_state *)states[i])->parameters, inputs + i,
                                  actions + i, alike);
        else
            for (int k = i; k < i + alike; k++) act(states[k], inputs[k], actions[k]);
    }
}

static void gaze(sac_policy_state *base, sac_gaze *seen)
{
    const sac_mlp_state *s = (const sac_mlp_state *)base;
    sac_actor_gaze(&s->actor, base->policy->self, seen);
}

static const float *normaliser_input(const sac_policy_state *base)
{
    return ((const sac_mlp_state *)base)->actor.unnormalised;
}

static void parts(const sac_policy_state *base, sac_policy_parts *parts)
{
    *parts = (sac_policy_parts){.actor = base->policy->self,
                                .actor_state = &((const sac_mlp_state *)base)->actor,
                                .reading = SAC_PARTS_NUMBERS};
}

static const sac_option options[] = {
    MLP_ROWS(ACTOR_ROW, "mlp"),
    {0},
};

const sac_policy_ops sac_mlp_ops = {.name = "mlp",
                                    .options = options,
                                    .config_size = sizeof(sac_mlp_config),
                                    .renamed = true,
                                    .taste = SAC_TASTE_NUMBERS,
                                    .create = create,
                                    .destroy = destroy,
                                    .state_size = sizeof(sac_mlp_state),
                                    .place = place,
                                    .set_parameters = set_parameters,
                                    .reset = reset,
                                    .act = act,
                                    .act_batch = act_batch,
                                    .gaze = gaze,
                                    .normaliser_input = normaliser_input,
                                    .parts = parts};
