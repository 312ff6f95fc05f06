#include "env/check.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum
{
    MAX_ACTION = 1 << 12,
};

static bool has_text_option(const sac_option *options, const char *name)
{
    for (const sac_option *o = options; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return o->type == SAC_OPTION_TEXT;
    return false;
}

// Names are typed in tasks, lists of variants and --set, where these characters divide one word from the next.
static sac_status check_name(const char *name)
{
    static const char forbidden[] = " \t\n,;=\"'";
    if (!name || !name[0]) return sac_fail(SAC_ERROR_ARGUMENT, "an environment has no name");
    if (strlen(name) >= SAC_TEXT_SIZE || strpbrk(name, forbidden))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "environment '%.80s': a name has at most %d characters, and no spaces, commas or quotes", name,
                        SAC_TEXT_SIZE - 1);
    return SAC_OK;
}

// What a table must have is checked when it is registered, so that no later call needs to look.
sac_status sac_env_check_ops(const sac_env_ops *ops)
{
    SAC_TRY(check_name(ops->name));
    const struct
    {
        const char *name;
        bool there;
    } required[] = {
        {"create", ops->create != NULL}, {"spec", ops->spec != NULL},       {"reset", ops->reset != NULL},
        {"step", ops->step != NULL},     {"destroy", ops->destroy != NULL},
    };
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!required[i].there)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "environment '%s' has no %s; create, spec, reset, step and destroy are needed", ops->name,
                            required[i].name);
    if (!ops->moments != !ops->picture_at)
        return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s' has one of moments and picture_at, expected both or none",
                        ops->name);
    if (ops->options && ops->config_size < sac_options_size(ops->options))
        return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': config_size is %zu, its options reach to byte %zu",
                        ops->name, ops->config_size, sac_options_size(ops->options));
    if (ops->name[strlen(ops->name) - 1] == ':' && !has_text_option(ops->options, "name"))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "environment '%s' stands for every id that begins so, and needs a text option 'name'",
                        ops->name);
    return SAC_OK;
}

static sac_status check_action(const sac_env_ops *ops, const sac_env_spec *spec)
{
    if (spec->action_size < 1 || spec->action_size > MAX_ACTION || spec->action_choices < 0)
        return sac_fail(SAC_ERROR_ENVIRONMENT,
                        "%s: spec.action_size is %d and action_choices %d, expected 1 to %d and "
                        "0 or more",
                        ops->name, spec->action_size, spec->action_choices, MAX_ACTION);
    if (spec->action_choices > 0)
    {
        if (spec->action_size == 1) return SAC_OK;
        return sac_fail(SAC_ERROR_ENVIRONMENT, "%s: spec.action_size is %d, expected 1 for a choice of %d", ops->name,
                        spec->action_size, spec->action_choices);
    }
    if (!spec->action_low || !spec->action_high)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "%s: spec.action_low and action_high are needed", ops->name);
    for (int i = 0; i < spec->action_size; i++)
        if (!isfinite(spec->action_low[i]) || !isfinite(spec->action_high[i]) ||
            spec->action_low[i] > spec->action_high[i])
            return sac_fail(SAC_ERROR_ENVIRONMENT,
                            "%s: number %d of an action lies in %g..%g, expected finite bounds "
                            "in order",
                            ops->name, i, (double)spec->action_low[i], (double)spec->action_high[i]);
    return SAC_OK;
}

// A spec comes from code of others, so everything that callers rely on is checked before it is used.
sac_status sac_env_check_spec(const sac_env_ops *ops, const sac_env_spec *spec)
{
    if (sac_space_check_parts(spec->observations, spec->observation_count, ops->name) != SAC_OK)
        return SAC_ERROR_ENVIRONMENT; // its sentence stands
    int seen = 0;
    for (int i = 0; i < spec->observation_count; i++) seen += !spec->observations[i].privileged;
    if (!seen)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "%s: all of its %d parts are privileged, so that a policy sees nothing",
                        ops->name, spec->observation_count);
    if (spec->max_steps < 1)
        return sac_fail(SAC_ERROR_ENVIRONMENT,
                        "%s: spec.max_steps is %d, expected 1 at least: episodes are truncated there, so that none "
                        "goes on for ever",
                        ops->name, spec->max_steps);
    if (spec->column_count < 0 || (spec->column_count > 0 && (!spec->columns || !ops->state)))
        return sac_fail(SAC_ERROR_ENVIRONMENT, "%s: spec.column_count is %d without columns or without state",
                        ops->name, spec->column_count);
    return check_action(ops, spec);
}
