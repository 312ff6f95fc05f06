#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "env/parts.h"
#include "policy/kind.h"
#include "saccade/play.h"

// ---- whether they fit

static int find_part(const sac_policy_def *def, int input, const sac_env_spec *spec)
{
    int part = sac_space_find(spec->observations, spec->observation_count, def->inputs[input].name);
    // Files of version 1 do not name their picture.
    if (part < 0 && def->input_count == 1 && strcmp(def->inputs[input].name, "camera") == 0)
        part = sac_space_find_picture(spec->observations, spec->observation_count);
    return part;
}

static sac_status check_input(const sac_policy_def *def, int input, const sac_env *env, int part)
{
    const sac_env_spec *spec = sac_env_get_spec(env);
    const sac_space *wanted = &def->inputs[input];
    const char *world = sac_env_get_ops(env)->name;
    char mine[SAC_SPACE_TEXT_SIZE], theirs[SAC_SPACE_TEXT_SIZE];
    if (part < 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "the policy takes '%s', which %s does not show (it shows %s%s)",
                        sac_space_format(wanted, mine), world, sac_space_format(&spec->observations[0], theirs),
                        spec->observation_count > 1 ? " and others; see saccade envs" : "");
    if (!sac_space_same(wanted, &spec->observations[part]))
        return sac_fail(SAC_ERROR_ARGUMENT, "the policy takes '%s', but %s shows '%s'", sac_space_format(wanted, mine),
                        world, sac_space_format(&spec->observations[part], theirs));
    if (spec->observations[part].privileged && !wanted->privileged)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "the policy takes '%s', which is privileged in %s: only teachers may see it (policy.teacher)",
                        wanted->name, world);
    return SAC_OK;
}

static sac_status check_actions(const sac_policy_def *def, const sac_env *env)
{
    const sac_env_spec *spec = sac_env_get_spec(env);
    if (def->action_size == spec->action_size && def->action_choices == spec->action_choices) return SAC_OK;
    char mine[SAC_SPACE_TEXT_SIZE], theirs[SAC_SPACE_TEXT_SIZE];
    sac_space action = sac_env_action_space(spec),
              given = {.name = "action", .kind = SAC_SPACE_VECTOR, .shape = {def->action_size, 1, 1}};
    if (def->action_choices > 0) given.kind = SAC_SPACE_CHOICE, given.choices = def->action_choices;
    return sac_fail(SAC_ERROR_ARGUMENT, "the policy gives '%s', but %s takes '%s'", sac_space_format(&given, mine),
                    sac_env_get_ops(env)->name, sac_space_format(&action, theirs));
}

sac_status sac_policy_fits(const sac_policy *policy, const sac_env *env, int *parts)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    for (int i = 0; i < def->input_count; i++)
    {
        int part = find_part(def, i, sac_env_get_spec(env));
        SAC_TRY(check_input(def, i, env, part));
        if (parts) parts[i] = part;
    }
    return check_actions(def, env);
}

sac_status sac_policy_create_resized(sac_policy **out, const sac_policy *policy, const sac_env *env)
{
    *out = NULL;
    sac_policy_def def = *sac_policy_get_def(policy);
    const sac_env_spec *spec = sac_env_get_spec(env);
    sac_space inputs[SAC_MAX_PARTS];
    bool differ = false;
    for (int i = 0; i < def.input_count; i++)
    {
        inputs[i] = def.inputs[i];
        int part = find_part(&def, i, spec);
        const sac_space *shown = part >= 0 ? &spec->observations[part] : NULL;
        if (!shown || shown->kind != inputs[i].kind || !sac_space_is_image(shown)) continue;
        differ |= shown->shape[0] != inputs[i].shape[0] || shown->shape[1] != inputs[i].shape[1];
        inputs[i].shape[0] = shown->shape[0];
        inputs[i].shape[1] = shown->shape[1];
    }
    if (!differ || !policy->ops->resizes || !policy->ops->resizes(policy)) return SAC_OK;
    def.inputs = inputs;
    sac_policy *shapes;
    SAC_TRY(sac_policy_create(&shapes, &def));
    sac_status status = sac_policy_create_with(out, shapes, sac_policy_parameters(policy));
    sac_policy_destroy(shapes);
    return status;
}

// ---- a policy for a world

typedef struct world_config
{
    char inputs[SAC_TEXT_SIZE];
    bool teacher;
} world_config;

static const sac_option world_options[] = {
    {"inputs", SAC_OPTION_TEXT, offsetof(world_config, inputs), "", 0, 0, NULL,
     "parts of the world that are seen, by name, separated by blanks, such as 'camera state' (saccade envs lists "
     "them); "
     "empty: what the kind looks at"},
    {"teacher", SAC_OPTION_BOOL, offsetof(world_config, teacher), "false", 0, 0, NULL,
     "parts that are privileged may be seen: for teachers of other policies"},
    {0},
};

const sac_option *sac_policy_world_options(void)
{
    return world_options;
}

enum
{
    MAX_SETTINGS = 256
};

/// What is being made: the settings taken apart, and the inputs so far.
typedef struct making
{
    world_config config;
    sac_setting settings[MAX_SETTINGS]; // of the kind
    int setting_count;
    const sac_env *env;
    sac_space inputs[SAC_MAX_PARTS];
    int input_count;
} making;

static bool is_world_option(const char *key)
{
    return strcmp(key, "inputs") == 0 || strcmp(key, "teacher") == 0;
}

static sac_status take_settings(making *m, const sac_setting *settings, int count)
{
    SAC_TRY(sac_options_read(world_options, &m->config, NULL, 0, "policy"));
    if (count > MAX_SETTINGS)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: %d settings, expected %d at most", count, MAX_SETTINGS);
    for (int i = 0; i < count; i++)
        if (is_world_option(settings[i].key))
            SAC_TRY(sac_options_set(world_options, &m->config, settings[i].key, settings[i].value, "policy"));
        else
            m->settings[m->setting_count++] = settings[i];
    return SAC_OK;
}

static void add_part(making *m, int part)
{
    m->inputs[m->input_count++] = sac_env_get_spec(m->env)->observations[part];
}

// Chooses parts by the kind's own taste: the first image, the vectors, or both.
static void take_by_taste(making *m, sac_policy_taste taste)
{
    const sac_env_spec *spec = sac_env_get_spec(m->env);
    const sac_space *all = spec->observations;
    int count = spec->observation_count, image = sac_space_find_image(all, count);
    if (taste != SAC_TASTE_NUMBERS && image >= 0)
    {
        add_part(m, image);
        if (taste != SAC_TASTE_BOTH) return;
    }
    if (taste == SAC_TASTE_IMAGE) return;
    // These are the parts that everyone may see. A teacher who would see no numbers by that sees all.
    const int images = m->input_count;
    for (int privileged = 0; privileged <= m->config.teacher && m->input_count == images; privileged++)
        for (int i = 0; i < count; i++)
            if (all[i].privileged == (privileged == 1) && !sac_space_is_image(&all[i])) add_part(m, i);
}

static sac_status take_by_name(making *m)
{
    int parts[SAC_MAX_PARTS], count;
    SAC_TRY(sac_env_read_parts(m->env, m->config.inputs, "policy.inputs", parts, &count));
    for (int i = 0; i < count; i++) add_part(m, parts[i]);
    return SAC_OK;
}

static sac_status choose_inputs(making *m, const char *kind)
{
    const sac_policy_ops *ops = sac_policy_find_variant(kind, m->settings, m->setting_count);
    const char *world = sac_env_get_ops(m->env)->name;
    if (m->config.inputs[0])
        SAC_TRY(take_by_name(m));
    else if (ops) // one that is unknown is named below
        take_by_taste(m, ops->taste);
    for (int i = 0; i < m->input_count; i++)
        if (m->inputs[i].privileged && !m->config.teacher)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "policy.inputs: '%s' of %s is privileged: only a teacher may see it; set policy.teacher: "
                            "true for one",
                            m->inputs[i].name, world);
    if (m->input_count > 0 || !ops) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "policy: %s takes %s, and %s with these options shows none%s", kind,
                    ops->taste == SAC_TASTE_NUMBERS ? "vectors of numbers" : "a picture", world,
                    ops->taste == SAC_TASTE_NUMBERS ? " that is not privileged; policy.teacher: true allows those"
                                                    : "; kind mlp takes numbers");
}

sac_status sac_policy_create_for(sac_policy **out, const sac_env *env, const char *kind, const sac_setting *settings,
                                 int setting_count)
{
    *out = NULL;
    making m = {.env = env};
    const sac_env_spec *spec = sac_env_get_spec(env);
    SAC_TRY(take_settings(&m, settings, setting_count));
    SAC_TRY(choose_inputs(&m, kind));
    const sac_policy_def def = {.kind = kind,
                                .settings = m.settings,
                                .setting_count = m.setting_count,
                                .height = spec->height,
                                .width = spec->width,
                                .channels = spec->channels,
                                .action_size = spec->action_size,
                                .action_choices = spec->action_choices,
                                .action_low = spec->action_low,
                                .action_high = spec->action_high,
                                .inputs = m.input_count > 0 ? m.inputs : NULL,
                                .input_count = m.input_count};
    return sac_policy_create(out, &def);
}
