#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "policy/agent.h"

#define X(name) &sac_features_##name,
static const sac_features_ops *const features[] = {SAC_FEATURES(X) NULL};
#undef X
#define X(name) &sac_controller_##name,
static const sac_controller_ops *const controllers[] = {SAC_CONTROLLERS(X) NULL};
#undef X

#define X(name) #name,
static const char *const feature_names[] = {SAC_FEATURES(X) NULL};
#undef X

sac_status sac_agent_add_layer(sac_policy *policy, const char *bias, const char *weight, int out, int in,
                               size_t *bias_offset, size_t *weight_offset)
{
    double limit = 1 / sqrt((double)in);
    SAC_TRY(sac_policy_add_view(policy, bias, limit, 1, &out, bias_offset));
    return sac_policy_add_view(policy, weight, limit, 2, (int[]){out, in}, weight_offset);
}

static sac_status find_features(sac_agent *agent, const char *word, const sac_features_ops **found)
{
    for (int i = 0; features[i]; i++)
    {
        if (strcmp(features[i]->name, word) != 0) continue;
        for (int j = 0; j < agent->part_count; j++)
            if (agent->parts[j] == features[i])
                return sac_fail(SAC_ERROR_ARGUMENT, "policy: features '%.80s' names %s twice", agent->config.features,
                                word);
        *found = features[i];
        return SAC_OK;
    }
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: features is '%.80s', expected positions, histogram, conv, values or several "
                    "joined by +%s",
                    agent->config.features, sac_did_you_mean(sac_nearest_of(word, feature_names)));
}

sac_status sac_agent_plan_features(sac_agent *agent, sac_policy *policy)
{
    const char *at = agent->config.features;
    for (bool more = true; more;)
    {
        char word[SAC_TEXT_SIZE];
        size_t length = strcspn(at, "+");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        const sac_features_ops *part = NULL;
        SAC_TRY(find_features(agent, word, &part));
        int index = agent->part_count++;
        agent->parts[index] = part;
        SAC_TRY(part->plan(agent, policy, &agent->part_sizes[index]));
        agent->wants_pixels |= part->pixels;
        agent->patch_features += agent->part_sizes[index];
        more = at[length] == '+';
        at += length + more;
    }
    agent->feature_count = agent->patch_features * (agent->config.masking ? agent->count : agent->config.top);
    return SAC_OK;
}

sac_status sac_agent_plan_controller(sac_agent *agent, sac_policy *policy)
{
    for (int i = 0; controllers[i]; i++)
        if (strcmp(controllers[i]->name, agent->config.controller) == 0) agent->controller = controllers[i];
    SAC_ASSERT(agent->controller); // the option's choices are this table
    return agent->controller->plan(agent, policy);
}
