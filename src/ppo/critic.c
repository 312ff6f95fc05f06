#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "env/parts.h"
#include "ppo/learner.h"

/// The critic: what it is told, and the mlp that it is.

static sac_status add_named(sac_ppo_critic *c, const char *words, const sac_env *env)
{
    const sac_env_spec *spec = sac_env_get_spec(env);
    SAC_TRY(sac_env_read_parts(env, words, "search.critic", c->inputs, &c->input_count));
    for (int i = 0; i < c->input_count; i++)
        if (sac_space_is_image(&spec->observations[c->inputs[i]]))
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "search.critic: '%.60s' is a picture, and the critic is told vectors of numbers",
                            spec->observations[c->inputs[i]].name);
    return SAC_OK;
}

// the privileged vectors, or else the policy's own; where it has none, what its controller is told
static void add_default(sac_ppo_critic *c, const sac_env_spec *spec, const sac_policy *policy)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    for (int i = 0; i < spec->observation_count; i++)
        if (spec->observations[i].privileged && !sac_space_is_image(&spec->observations[i]))
            c->inputs[c->input_count++] = i;
    bool images = false;
    for (int i = 0; i < def->input_count; i++) images |= sac_space_is_image(&def->inputs[i]);
    for (int i = 0; c->input_count == 0 && !images && i < def->input_count; i++)
        c->inputs[i] = sac_space_find(spec->observations, spec->observation_count, def->inputs[i].name);
    if (c->input_count == 0 && !images) c->input_count = def->input_count;
}

static sac_status create_policy(sac_ppo_critic *c, const sac_ppo_config *config, const sac_env_spec *spec, int told)
{
    static const float low = -1, high = 1; // of the value, which is not cut at them
    char hidden[16], layers[16], limit[32];
    snprintf(hidden, sizeof hidden, "%d", config->critic_hidden);
    snprintf(layers, sizeof layers, "%d", config->critic_layers);
    snprintf(limit, sizeof limit, "%.17g", config->critic_limit);
    const sac_setting settings[] = {{"hidden", hidden},
                                    {"layers", layers},
                                    {"activation", "none"},
                                    {"normaliser_limit", limit},
                                    {"normaliser", config->critic_normaliser ? "true" : "false"}};
    sac_space inputs[SAC_MAX_PARTS] = {{.name = "told", .kind = SAC_SPACE_VECTOR, .shape = {told}}};
    for (int i = 0; i < c->input_count; i++) inputs[i] = spec->observations[c->inputs[i]];
    const sac_policy_def def = {.kind = "mlp",
                                .settings = settings,
                                .setting_count = sizeof settings / sizeof *settings,
                                .action_size = 1,
                                .action_low = &low,
                                .action_high = &high,
                                .inputs = inputs,
                                .input_count = c->input_count > 0 ? c->input_count : 1};
    SAC_TRY(sac_policy_create(&c->policy, &def));
    const sac_gradient_def gradient = sac_gradient_default_def();
    SAC_TRY(sac_gradient_create(&c->gradient, c->policy, &gradient));
    return sac_normaliser_create(&c->normaliser, c->policy);
}

sac_status sac_ppo_create_critic(sac_ppo_critic *c, const sac_ppo_config *config, const sac_env *env,
                                 const sac_gradient *gradient, const sac_policy *policy)
{
    const sac_env_spec *spec = sac_env_get_spec(env);
    if (config->critic[0])
        SAC_TRY(add_named(c, config->critic, env));
    else
        add_default(c, spec, policy);
    return create_policy(c, config, spec, gradient->inputs);
}

void sac_ppo_destroy_critic(sac_ppo_critic *c)
{
    sac_gradient_destroy(c->gradient);
    sac_policy_destroy(c->policy);
    sac_normaliser_clear(&c->normaliser);
}
