#include <stdio.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "policy/parts.h"
#include "uptrain/uptrain.h"

/// The linear twin of a softmax policy: its options with other attention, its tensors by their names.

static const char *const maps[] = {"relu", "exp", "square", NULL};

static const char *setting_of(const sac_policy *policy, const char *key)
{
    for (int i = 0; i < policy->def.setting_count; i++)
        if (strcmp(policy->def.settings[i].key, key) == 0) return policy->def.settings[i].value;
    return NULL;
}

static sac_status check_map(const sac_uptrain_def *def)
{
    for (int i = 0; maps[i]; i++)
        if (strcmp(def->attention, maps[i]) == 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "up-training: attention is '%.80s', expected relu, exp or square%s",
                    def->attention, sac_did_you_mean(sac_nearest_of(def->attention, maps)));
}

static sac_status check(const sac_policy *policy, const sac_uptrain_def *def)
{
    if (def->attention) SAC_TRY(check_map(def));
    if (def->features < 0 || def->features > 4096)
        return sac_fail(SAC_ERROR_ARGUMENT, "up-training: features is %d, expected 1 to 4096, or 0 for the default",
                        def->features);
    if (sac_uptrain_in_layers(policy) && (def->features > 0 || def->random))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "up-training: %s is given, and the maps of %s are its layers of queries and keys: leave it out",
                        def->random ? "random" : "features", policy->ops->name);
    const sac_policy_ops *ops = policy->ops;
    if (ops != &sac_attention_agent_ops && ops != &sac_iap_rank_ops && ops != &sac_iap_trans_ops &&
        ops != &sac_action_tokens_ops && ops != &sac_point_cloud_ops)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "up-training: the policy is of kind %s; attention-agent, iap-rank, iap-trans, "
                        "action-tokens and point-cloud look through softmax",
                        ops->name);
    if (ops != &sac_point_cloud_ops && !sac_policy_takes_one_picture(policy))
        return sac_fail(
            SAC_ERROR_ARGUMENT,
            "up-training: the policy takes %d part%s, the first of them '%.60s'; only policies that take one "
            "picture and nothing else are up-trained",
            policy->def.input_count, sac_plural(policy->def.input_count), policy->def.inputs[0].name);
    const char *attention = setting_of(policy, "attention");
    if (strcmp(attention, "softmax") != 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "up-training: the policy's attention is %s, and only softmax is turned into something else",
                        attention);
    return SAC_OK;
}

// the scale that softmax has, which depends on the kind where it is not set
static double scale_of(const sac_policy *policy)
{
    return ((const sac_agent *)policy->self)->attention->scale;
}

static sac_status create(sac_policy **out, const sac_policy *policy, const sac_uptrain_def *def)
{
    char form[SAC_TEXT_SIZE], features[SAC_TEXT_SIZE], seed[SAC_TEXT_SIZE], scale[SAC_TEXT_SIZE];
    const bool in_layers = sac_uptrain_in_layers(policy);
    snprintf(form, sizeof form, "sara-%s", def->attention);
    snprintf(features, sizeof features, "%d", def->features);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)def->seed);
    if (!in_layers) sac_format_real(scale, sizeof scale, scale_of(policy));
    // maps that are layers of queries and keys have no tensors of their own, and rows are divided there in any case
    const sac_setting layers[] = {{"attention", form}, {"attention_features", "0"}, {"scale", "0"}};
    const sac_setting maps_apart[] = {{"attention", form},      {"attention_features", features},
                                      {"attention_seed", seed}, {"attention_map", def->random ? "drawn" : "learned"},
                                      {"divide", "true"},       {"scale", scale}};
    const sac_setting *changes = in_layers ? layers : maps_apart;
    const size_t added = in_layers ? sizeof layers / sizeof *layers : sizeof maps_apart / sizeof *maps_apart;
    const size_t kept = (size_t)policy->def.setting_count;
    sac_setting *settings = SAC_NEW_ARRAY(sac_setting, kept + added);
    if (!settings) return sac_fail_memory("a policy");
    memcpy(settings, policy->def.settings, kept * sizeof *settings);
    memcpy(settings + kept, changes, added * sizeof *changes);
    sac_policy_def twin = policy->def;
    twin.settings = settings;
    twin.setting_count = (int)(kept + added);
    sac_status status = sac_policy_create(out, &twin);
    sac_free(settings);
    return status;
}

void sac_uptrain_copy_tensors(const sac_policy *to, const sac_policy *from)
{
    for (int i = 0; i < to->tensor_count; i++)
        for (int j = 0; j < from->tensor_count; j++)
        {
            const sac_policy_tensor *a = &to->tensors[i], *b = &from->tensors[j];
            if (strcmp(a->name, b->name) == 0 && sac_policy_tensor_size(a) == sac_policy_tensor_size(b))
                memcpy(to->parameters + a->offset, from->parameters + b->offset,
                       sac_policy_tensor_size(a) * sizeof(float));
        }
}

sac_status sac_uptrain_twin(sac_policy **out, const sac_policy *policy, const sac_uptrain_def *def)
{
    *out = NULL;
    SAC_TRY(sac_uptrain_check(def));
    SAC_TRY(check(policy, def));
    const sac_uptrain_def settled = sac_uptrain_settle(def, policy);
    sac_status status = create(out, policy, &settled);
    if (status != SAC_OK) return sac_fail_in(status, "up-training");
    sac_uptrain_copy_tensors(*out, policy);
    return SAC_OK;
}
