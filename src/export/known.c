#include "export/known.h"

#include <stdio.h>
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
    if (is_one_of(setting->key, policy->ops->exported->options)) return SAC_OK;
    const sac_option *option = policy->ops->options;
    while (option->name && strcmp(option->name, setting->key) != 0) option++;
    if (!option->name)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: the option '%.80s' is not among what can be exported",
                        setting->key);
    void *config = sac_alloc(policy->ops->config_size);
    if (!config) return sac_fail_memory("an export");
    // the default comes from the option table, in the form in which settings are kept
    char fallback[SAC_TEXT_SIZE];
    sac_status status = sac_options_read(policy->ops->options, config, NULL, 0, "policy");
    if (status == SAC_OK) sac_options_format(option, config, fallback);
    sac_free(config);
    SAC_TRY(status);
    if (strcmp(fallback, setting->value) == 0) return SAC_OK;
    return sac_fail(SAC_ERROR_UNAVAILABLE, "export: %.80s is '%.80s', but only '%.80s' can be exported", setting->key,
                    setting->value, fallback);
}

// "a, b and c", the kinds that can be exported
static void list_kinds(char out[SAC_TEXT_SIZE])
{
    const char *names[SAC_TEXT_SIZE / 2], *name;
    int count = 0;
    for (int i = 0; (name = sac_policy_kind_at(i, NULL)); i++)
        if (sac_policy_find_kind(name)->exported && count < (int)(sizeof names / sizeof *names)) names[count++] = name;
    out[0] = 0;
    for (int i = 0; i < count; i++)
    {
        size_t used = strlen(out);
        snprintf(out + used, SAC_TEXT_SIZE - used, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", names[i]);
    }
}

sac_status sac_export_check(const sac_policy *policy)
{
    const sac_policy_export *exported = policy->ops->exported;
    if (!exported)
    {
        char kinds[SAC_TEXT_SIZE];
        list_kinds(kinds);
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: policies of kind '%.80s' cannot be exported; %s can",
                        policy->ops->name, kinds);
    }
    if (!sac_policy_takes_one_picture(policy))
        return sac_fail(SAC_ERROR_UNAVAILABLE,
                        "export: a policy that takes anything but one picture cannot be exported, and this one takes "
                        "%d part%s, the first of them '%.60s'",
                        policy->def.input_count, sac_plural(policy->def.input_count), policy->def.inputs[0].name);
    for (int i = 0; i < policy->def.setting_count; i++) SAC_TRY(check_option(policy, &policy->def.settings[i]));
    return exported->check ? exported->check(policy) : SAC_OK;
}
