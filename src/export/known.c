#include "export/known.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static bool is_one_of(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// An option that the kind does not name must have its default.
static sac_status check_option(const sac_policy *policy, const sac_setting *setting)
{
    if (is_one_of(setting->key, policy->ops->written)) return SAC_OK;
    const sac_option *option = policy->ops->options;
    while (option->name && strcmp(option->name, setting->key) != 0) option++;
    if (!option->name)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: the option '%.80s' is not among what can be exported",
                        setting->key);
    void *config = sac_alloc(policy->ops->config_size);
    if (!config) return sac_fail_memory("an export");
    char fallback[SAC_TEXT_SIZE];
    sac_status status = sac_options_read(policy->ops->options, config, NULL, 0, "policy");
    if (status == SAC_OK) sac_options_format(option, config, fallback);
    sac_free(config);
    SAC_TRY(status);
    if (strcmp(fallback, setting->value) == 0) return SAC_OK;
    return sac_fail(SAC_ERROR_UNAVAILABLE, "export: %.80s is '%.80s', but only '%.80s' can be exported", setting->key,
                    setting->value, fallback);
}

// the exporters multiply features, which softmax does not have
static sac_status check_mixing(const sac_policy *policy)
{
    if (policy->ops != &sac_iap_trans_ops) return SAC_OK;
    for (int i = 0; i < policy->def.setting_count; i++)
        if (strcmp(policy->def.settings[i].key, "attention") == 0 &&
            strcmp(policy->def.settings[i].value, "softmax") == 0)
            return sac_fail(
                SAC_ERROR_UNAVAILABLE,
                "export: attention is 'softmax', but of iap-trans only forms with features can be exported");
    return SAC_OK;
}

sac_status sac_export_check(const sac_policy *policy)
{
    if (!policy->ops->written)
        return sac_fail(SAC_ERROR_UNAVAILABLE,
                        "export: policies of kind '%.80s' cannot be exported; attention-agent, iap-rank, iap-trans "
                        "and cnn can",
                        policy->ops->name);
    if (!sac_policy_takes_one_picture(policy))
        return sac_fail(SAC_ERROR_UNAVAILABLE,
                        "export: a policy that takes anything but one picture cannot be exported, and this one takes "
                        "%d part%s, the first of them '%.60s'",
                        policy->def.input_count, sac_plural(policy->def.input_count), policy->def.inputs[0].name);
    for (int i = 0; i < policy->def.setting_count; i++) SAC_TRY(check_option(policy, &policy->def.settings[i]));
    return check_mixing(policy);
}
