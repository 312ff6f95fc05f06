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

#define X(name) #name " "
static const char controller_names[] = SAC_CONTROLLERS(X);
#undef X
#define X(name) #name,
static const char *const feature_names[] = {SAC_FEATURES(X) NULL};
#undef X

#define FIELD(name) offsetof(sac_agent_config, name)

const sac_option sac_agent_options[] = {
    {"image_size", SAC_OPTION_INT, FIELD(image_size), "0", 0, 4096, NULL,
     "side in pixels that the observation is resized to (bilinear); 0: as it is"},
    {"patch", SAC_OPTION_INT, FIELD(patch), "7", 1, 64, NULL, "side of a patch in pixels"},
    {"stride", SAC_OPTION_INT, FIELD(stride), "4", 1, 64, NULL, "pixels from one patch to the next"},
    {"key_size", SAC_OPTION_INT, FIELD(key_size), "4", 1, 64, NULL, "width d of queries and keys"},
    {"top", SAC_OPTION_INT, FIELD(top), "10", 1, 64, NULL, "K: patches that are kept"},
    {"attention", SAC_OPTION_TEXT, FIELD(attention), "softmax", 0, 0, NULL,
     "softmax, relu, positive, trig, hybrid, sara-relu, sara-exp or sara-square"},
    {"scale", SAC_OPTION_REAL, FIELD(scale), "0", 0, 1e6, NULL,
     "factor of the logits; 0: 1/sqrt(numbers in a patch), as published"},
    {"attention_features", SAC_OPTION_INT, FIELD(attention_features), "16", 0, 4096, NULL,
     "random features M of all forms but softmax; 0, for relu and sara-*: the raw queries and keys"},
    {"attention_directions", SAC_OPTION_INT, FIELD(attention_directions), "5", 1, 64, NULL,
     "directions R whose signs estimate angles in hybrid"},
    {"attention_seed", SAC_OPTION_SEED, FIELD(attention_seed), "1", 0, 0, NULL, "draws those features and directions"},
    {"features", SAC_OPTION_TEXT, FIELD(features), "positions", 0, 0, NULL,
     "what the controller is told of a patch: positions, histogram, conv, or several joined by +"},
    {"normalise", SAC_OPTION_BOOL, FIELD(normalise), "true", 0, 0, NULL, "divide positions by the image's height"},
    {"bins", SAC_OPTION_INT, FIELD(bins), "4", 1, 256, NULL, "histogram: bins a channel"},
    {"conv_channels", SAC_OPTION_TEXT, FIELD(conv_channels), "4,2", 0, 0, NULL,
     "conv: output channels of each layer, separated by commas"},
    {"conv_kernel", SAC_OPTION_INT, FIELD(conv_kernel), "3", 1, 16, NULL, "conv: side of the kernels"},
    {"conv_stride", SAC_OPTION_INT, FIELD(conv_stride), "2", 1, 16, NULL, "conv: stride of the layers"},
    {"controller", SAC_OPTION_TEXT, FIELD(controller), "lstm", 0, 0, controller_names, "what acts on the features"},
    {"hidden", SAC_OPTION_INT, FIELD(hidden), "16", 1, 1024, NULL, "units of lstm, or of mlp's one hidden layer"},
    {"activation", SAC_OPTION_TEXT, FIELD(activation), "tanh", 0, 0, "tanh clip none",
     "of the output: tanh or clip to -1..1 and stretch to the bounds, or none: cut at the bounds"},
    {"choice", SAC_OPTION_TEXT, FIELD(choice), "auto", 0, 0, "auto threshold argmax",
     "discrete actions: one output with thresholds at -1/3 and 1/3 for choices 1, 0, 2, or the largest of n outputs; "
     "auto: threshold where there are 3"},
    {0},
};

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
                    "policy: features is '%.80s', expected positions, histogram, conv or several "
                    "joined by +%s",
                    agent->config.features, sac_did_you_mean(sac_nearest_of(word, feature_names)));
}

sac_status sac_agent_plan_features(sac_agent *agent, sac_policy *policy)
{
    const char *at = agent->config.features;
    int patch_features = 0;
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
        patch_features += agent->part_sizes[index];
        more = at[length] == '+';
        at += length + more;
    }
    agent->feature_count = patch_features * agent->config.top;
    return SAC_OK;
}

sac_status sac_agent_plan_controller(sac_agent *agent, sac_policy *policy)
{
    for (int i = 0; controllers[i]; i++)
        if (strcmp(controllers[i]->name, agent->config.controller) == 0) agent->controller = controllers[i];
    SAC_ASSERT(agent->controller); // the option's choices are this table
    return agent->controller->plan(agent, policy);
}
