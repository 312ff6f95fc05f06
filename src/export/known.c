#include "export/known.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

// A policy may be exported when all that can change its actions has its place here. An option that is not named below
// may have its default alone, which is what policies were before it was there.

static const char *const kinds[] = {"attention-agent", "iap-rank", "iap-trans", "cnn", NULL};
static const char *const options[] = {"image_size",
                                      "patch",
                                      "stride",
                                      "key_size",
                                      "value_size",
                                      "rows",
                                      "top",
                                      "attention",
                                      "scale",
                                      "attention_features",
                                      "normalize",
                                      "normalise",
                                      "attention_directions",
                                      "attention_seed",
                                      "features",
                                      "position_encoding",
                                      "bins",
                                      "masking",
                                      "conv_channels",
                                      "conv_kernel",
                                      "conv_stride",
                                      "residual",
                                      "layer_norm",
                                      "order",
                                      "controller",
                                      "hidden",
                                      "activation",
                                      "choice",
                                      "motion",
                                      "filter",
                                      NULL};
static const char *const parts[] = {"positions", "histogram", "conv", "values", NULL};
static const char *const controllers[] = {"lstm", "mlp", "linear", NULL};
static const char *const activations[] = {"tanh", "clip", "none", NULL};
static const char *const forms[] = {"softmax",   "relu",     "positive",    "trig", "hybrid",
                                    "sara-relu", "sara-exp", "sara-square", NULL};

static bool is_one_of(const char *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static sac_status unknown(const char *what, const char *name)
{
    return sac_fail(SAC_ERROR_UNAVAILABLE, "export: %s '%.80s' is not among what can be exported", what, name);
}

// an option that is not known must have its default
static sac_status check_option(const sac_policy *policy, const sac_setting *setting)
{
    if (is_one_of(setting->key, options)) return SAC_OK;
    const sac_option *option = policy->ops->options;
    while (option->name && strcmp(option->name, setting->key) != 0) option++;
    if (!option->name) return unknown("the option", setting->key);
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

sac_status sac_export_check(const sac_policy *policy)
{
    if (!is_one_of(policy->ops->name, kinds))
        return sac_fail(
            SAC_ERROR_UNAVAILABLE,
            "export: policies of kind '%.80s' cannot be exported, only attention-agent, iap-rank, iap-trans and cnn",
            policy->ops->name);
    for (int i = 0; i < policy->def.setting_count; i++) SAC_TRY(check_option(policy, &policy->def.settings[i]));
    const sac_agent *a = policy->self;
    if (a->reading != &sac_reading_rank && a->reading != &sac_reading_trans && a->reading != &sac_reading_conv)
        return unknown("the reading of kind", policy->ops->name);
    if (a->attention && !is_one_of(a->config.attention, forms)) return unknown("attention", a->config.attention);
    for (int i = 0; i < a->part_count; i++)
        if (!is_one_of(a->parts[i]->name, parts)) return unknown("the feature", a->parts[i]->name);
    if (!is_one_of(a->controller->name, controllers)) return unknown("the controller", a->controller->name);
    if (!is_one_of(a->config.activation, activations)) return unknown("the activation", a->config.activation);
    return SAC_OK;
}
