#include "same_world.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool is_listed(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

// an option's value as it would be written, whatever way it was typed; its default where it is not set
static sac_status value_of(const sac_env_def *env, const sac_option *options, const sac_option *option, void *scratch,
                           char text[SAC_TEXT_SIZE])
{
    const char *value = option->fallback ? option->fallback : "";
    for (int i = 0; i < env->setting_count; i++)
        if (strcmp(env->settings[i].key, option->name) == 0) value = env->settings[i].value;
    SAC_TRY(sac_options_set(options, scratch, option->name, value, env->id));
    sac_options_format(option, scratch, text);
    return SAC_OK;
}

static sac_status check_options(const cli_target *a, const cli_target *b, const sac_env_ops *ops, void *scratch)
{
    const sac_option *options = ops->options;
    char first[SAC_TEXT_SIZE], second[SAC_TEXT_SIZE];
    for (const sac_option *option = options; option->name; option++)
    {
        if (is_listed(ops->same_world, option->name)) continue;
        SAC_TRY(value_of(&a->env, options, option, scratch, first));
        SAC_TRY(value_of(&b->env, options, option, scratch, second));
        if (strcmp(first, second) != 0)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "%s differs: %s is '%.80s' for the first policy and '%.80s' for the second, and returns of "
                            "different worlds do not compare; --set %s=... puts both into one",
                            a->env.id, option->name, first, second, option->name);
    }
    return SAC_OK;
}

sac_status cli_check_same_world(const cli_target *a, const cli_target *b)
{
    if (strcmp(a->env.id, b->env.id) != 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "the first policy is for %s and the second for %s: returns of different worlds do not compare",
                        a->env.id, b->env.id);
    const char *first = cli_target_variant(a), *second = cli_target_variant(b);
    if (strcmp(first, second) != 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%s differs: its variant is '%s' for the first policy and '%s' for the second, and returns of "
                        "different worlds do not compare; --variant puts both into one",
                        a->env.id, first, second);
    const sac_env_ops *ops = sac_env_find(a->env.id);
    if (!ops || !ops->options) return SAC_OK; // an unknown world is said when it is created
    void *scratch = sac_alloc(sac_options_size(ops->options));
    if (!scratch) return sac_fail_memory("options");
    sac_status status = check_options(a, b, ops, scratch);
    sac_free(scratch);
    return status;
}

// Writes the options in which `here` is another world than the one that was learned in, such as "feet is all, not
// either"; nothing where there are none.
static sac_status list_others(char *text, size_t size, const sac_env_def *learned, const sac_env_def *here,
                              const sac_env_ops *ops, void *scratch)
{
    size_t used = 0;
    char before[SAC_TEXT_SIZE], now[SAC_TEXT_SIZE];
    text[0] = 0;
    for (const sac_option *option = ops->options; option->name; option++)
    {
        if (is_listed(ops->same_world, option->name)) continue;
        SAC_TRY(value_of(learned, ops->options, option, scratch, before));
        SAC_TRY(value_of(here, ops->options, option, scratch, now));
        if (strcmp(before, now) == 0 || used >= size) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s is %.40s, not %.40s", used > 0 ? ", " : "",
                                 option->name, now, before);
    }
    return SAC_OK;
}

sac_status cli_say_other_world(const cli_target *target, const char *path)
{
    const sac_env_ops *ops = sac_env_find(target->env.id);
    if (!ops || !ops->options) return SAC_OK;
    const sac_env_def learned = {
        .id = target->env.id, .settings = target->info.settings, .setting_count = target->info.setting_count};
    char text[512];
    void *scratch = sac_alloc(sac_options_size(ops->options));
    if (!scratch) return sac_fail_memory("options");
    const sac_status status = list_others(text, sizeof text, &learned, &target->env, ops, scratch);
    sac_free(scratch);
    if (status == SAC_OK && text[0])
        fprintf(stderr, "saccade: this is another world than that of %s: %s\n", path, text);
    return status;
}
