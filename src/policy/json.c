#include "policy/json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/renamed.h"
#include "policy/kind.h"

enum
{
    MAX_SETTINGS = 256
};

// Writes the object as text and releases it.
static char *dump(json_t *object)
{
    size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(17), size = json_dumpb(object, NULL, 0, flags);
    char *text = size > 0 ? sac_alloc(size + 1) : NULL;
    if (text) json_dumpb(object, text, size, flags);
    json_decref(object);
    return text;
}

// JSON has no infinity and no NaN, so these are written as texts.
static json_t *number(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%g", x);
    return isfinite(x) ? json_real(x) : json_string(text);
}

static json_t *numbers(const float *values, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        if (json_array_append_new(array, number((double)values[i])) != 0)
        {
            json_decref(array);
            return NULL;
        }
    return array;
}

// Makes an object of the settings. Where a table is given, options have the first names that they had.
static json_t *object_of(const sac_option *table, const sac_setting *settings, int count)
{
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
    {
        const char *name = table ? sac_option_first_name(table, settings[i].key) : settings[i].key;
        if (json_object_set_new(object, name, json_string(settings[i].value)) == 0) continue;
        json_decref(object);
        return NULL;
    }
    return object;
}

bool sac_policy_is_plain(const sac_policy_def *def)
{
    const sac_space *input = def->inputs;
    return def->input_count == 1 && input->kind == SAC_SPACE_PICTURE && !input->privileged &&
           strcmp(input->name, "camera") == 0;
}

static const char *const space_kinds[] = {"picture", "depth", "vector", "choice", "floats"}; // by sac_space_kind

enum
{
    SPACE_KINDS = sizeof space_kinds / sizeof *space_kinds
};

// Lists a space's bounds; null where none are known.
static json_t *bounds_of(const sac_space *space, const float *bounds)
{
    if (!bounds) return json_null();
    return numbers(bounds, space->kind == SAC_SPACE_VECTOR ? (int)sac_space_size(space) : 1);
}

static json_t *list_of(const sac_space *spaces, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
    {
        const sac_space *s = &spaces[i];
        json_t *input =
            json_pack("{s:s, s:s, s:[i,i,i], s:i, s:o, s:o, s:b}", "name", s->name, "kind", space_kinds[s->kind],
                      "shape", s->shape[0], s->shape[1], s->shape[2], "choices", s->choices, "low",
                      bounds_of(s, s->low), "high", bounds_of(s, s->high), "privileged", s->privileged);
        if (json_array_append_new(array, input) != 0)
        {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

// Version 1 has the height, width and channels of its one picture, version 2 a list of inputs.
char *sac_policy_def_text(const sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    json_t *low = numbers(def->action_low, def->action_size), *high = numbers(def->action_high, def->action_size);
    const sac_option *renamed = policy->ops->renamed ? policy->ops->options : NULL;
    json_t *settings = object_of(renamed, def->settings, def->setting_count);
    if (!sac_policy_is_plain(def))
        return dump(json_pack("{s:s, s:o, s:o, s:i, s:i, s:o, s:o}", "kind", def->kind, "settings", settings, "inputs",
                              list_of(def->inputs, def->input_count), "action_size", def->action_size, "action_choices",
                              def->action_choices, "action_low", low, "action_high", high));
    return dump(json_pack("{s:s, s:o, s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "kind", def->kind, "settings", settings,
                          "height", def->height, "width", def->width, "channels", def->channels, "action_size",
                          def->action_size, "action_choices", def->action_choices, "action_low", low, "action_high",
                          high));
}

char *sac_parts_text(const sac_space *spaces, int count)
{
    return dump(list_of(spaces, count));
}

char *sac_policy_info_text(const sac_policy_info *info)
{
    // Many JSON readers keep 53 bits of a number, and a seed has 64, so it is a text.
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, info->seed);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:i, s:o}", "environment", info->environment, "variant",
                  info->variant, "version", info->version, "seed", seed, "generation", info->generation, "score",
                  number(info->score), "score_std", number(info->score_std), "score_episodes", info->score_episodes,
                  "settings", object_of(NULL, info->settings, info->setting_count));
    return dump(object);
}

static sac_status parse(json_t **out, const char *text, const char *what)
{
    json_error_t error;
    *out = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (*out) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%s is not JSON (%.100s)", what, error.text);
}

static sac_status read_number(double *out, const json_t *value, const char *name)
{
    if (json_is_number(value))
    {
        *out = json_number_value(value);
        return SAC_OK;
    }
    const char *text = json_string_value(value);
    static const char *const names[] = {"inf", "-inf", "nan", "-nan"};
    for (int i = 0; text && i < 4; i++)
        if (strcmp(text, names[i]) == 0)
        {
            *out = strtod(text, NULL);
            return SAC_OK;
        }
    return sac_fail(SAC_ERROR_FORMAT, "%s is not a number", name);
}

static sac_status read_numbers(float *out, const json_t *array, int count, const char *name)
{
    if (!json_is_array(array) || json_array_size(array) != (size_t)count)
        return sac_fail(SAC_ERROR_FORMAT, "%s is not a list of %d numbers", name, count);
    for (int i = 0; i < count; i++)
    {
        double value = 0;
        SAC_TRY(read_number(&value, json_array_get(array, (size_t)i), name));
        out[i] = (float)value;
    }
    return SAC_OK;
}

// Lists the settings; their texts stay the object's.
static sac_status read_settings(sac_setting *settings, int *count, json_t *object)
{
    const char *key;
    json_t *value;
    *count = 0;
    if (!json_is_object(object) || json_object_size(object) > MAX_SETTINGS)
        return sac_fail(SAC_ERROR_FORMAT, "settings is not a group of at most %d texts", MAX_SETTINGS);
    json_object_foreach(object, key, value)
    {
        if (!json_is_string(value)) return sac_fail(SAC_ERROR_FORMAT, "setting '%.80s' is not a text", key);
        settings[(*count)++] = (sac_setting){key, json_string_value(value)};
    }
    return SAC_OK;
}

// ---- the inputs of version 2

/// A list of parts as it is read: the spaces, and room for their bounds.
typedef struct input_list
{
    const char *who; // begins the sentence of a failure
    sac_space spaces[SAC_MAX_PARTS];
    float *bounds[SAC_MAX_PARTS];
    int count;
} input_list;

static void clear_inputs(input_list *list)
{
    for (int i = 0; i < SAC_MAX_PARTS; i++) sac_free(list->bounds[i]);
}

static sac_status read_bounds(input_list *list, int index, const json_t *low, const json_t *high)
{
    sac_space *space = &list->spaces[index];
    int count = space->kind == SAC_SPACE_VECTOR ? (int)sac_space_size(space) : 1;
    list->bounds[index] = SAC_NEW_ARRAY(float, 2 * (size_t)count);
    if (!list->bounds[index]) return sac_fail_memory("a policy");
    if (!json_is_null(low))
    {
        SAC_TRY(read_numbers(list->bounds[index], low, count, "an input's low"));
        space->low = list->bounds[index];
    }
    if (json_is_null(high)) return SAC_OK;
    SAC_TRY(read_numbers(list->bounds[index] + count, high, count, "an input's high"));
    space->high = list->bounds[index] + count;
    return SAC_OK;
}

static sac_status read_input(input_list *list, int index, json_t *object)
{
    sac_space *space = &list->spaces[index];
    const char *kind;
    json_t *low, *high;
    json_error_t error;
    int privileged, *shape = space->shape;
    if (json_unpack_ex(object, &error, JSON_STRICT, "{s:s, s:s, s:[i,i,i], s:i, s:o, s:o, s:b}", "name", &space->name,
                       "kind", &kind, "shape", &shape[0], &shape[1], &shape[2], "choices", &space->choices, "low", &low,
                       "high", &high, "privileged", &privileged) != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%s: %.150s", list->who, error.text);
    space->privileged = privileged;
    int known = 0;
    while (known < SPACE_KINDS && strcmp(space_kinds[known], kind) != 0) known++;
    if (known == SPACE_KINDS) return sac_fail(SAC_ERROR_FORMAT, "%s: unknown kind '%.40s'", list->who, kind);
    space->kind = (sac_space_kind)known;
    // Sizes are checked before memory is taken.
    SAC_TRY(sac_space_check_parts(space, 1, list->who));
    return read_bounds(list, index, low, high);
}

static sac_status read_inputs(input_list *list, json_t *array)
{
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count < 1 || count > SAC_MAX_PARTS)
        return sac_fail(SAC_ERROR_FORMAT, "%s are no list of 1 to %d parts", list->who, SAC_MAX_PARTS);
    list->count = (int)count;
    for (int i = 0; i < list->count; i++) SAC_TRY(read_input(list, i, json_array_get(array, (size_t)i)));
    return SAC_OK;
}

sac_status sac_parts_from_text(sac_space **out, int *count, const char *text, const char *who)
{
    *out = NULL;
    *count = 0;
    json_t *root;
    SAC_TRY(parse(&root, text, who));
    input_list list = {.who = who};
    sac_status status = read_inputs(&list, root);
    if (status == SAC_OK) status = sac_space_check_parts(list.spaces, list.count, who);
    if (status == SAC_OK && !(*out = sac_space_copy_parts(list.spaces, list.count))) status = sac_fail_memory(who);
    if (status == SAC_OK) *count = list.count;
    clear_inputs(&list);
    json_decref(root);
    return status == SAC_ERROR_ARGUMENT ? SAC_ERROR_FORMAT : status;
}

// ---- the policy

// Files keep the first names of options, so reading one is no occasion for a line in the log.
static void rename_settings(sac_setting *settings, int count, const char *kind)
{
    const sac_policy_ops *ops = sac_policy_find_kind(kind);
    for (int i = 0; ops && ops->renamed && i < count; i++)
    {
        const sac_option *option = sac_option_find(ops->options, settings[i].key);
        if (option) settings[i].key = option->name;
    }
}

static sac_status create_from(sac_policy **out, const sac_policy_def *shapes, json_t *settings, json_t *low,
                              json_t *high)
{
    sac_policy_def def = *shapes;
    if (def.action_size < 1 || (size_t)def.action_size != json_array_size(low))
        return sac_fail(SAC_ERROR_FORMAT, "action_low is not a list of %d numbers", def.action_size);
    sac_setting list[MAX_SETTINGS];
    SAC_TRY(read_settings(list, &def.setting_count, settings));
    rename_settings(list, def.setting_count, def.kind);
    def.settings = list;
    float *bounds = SAC_NEW_ARRAY(float, 2 * (size_t)def.action_size);
    if (!bounds) return sac_fail_memory("a policy");
    def.action_low = bounds;
    def.action_high = bounds + def.action_size;
    sac_status status = read_numbers(bounds, low, def.action_size, "action_low");
    if (status == SAC_OK) status = read_numbers(bounds + def.action_size, high, def.action_size, "action_high");
    if (status == SAC_OK) status = sac_policy_create(out, &def);
    sac_free(bounds);
    return status;
}

static sac_status create(sac_policy **out, json_t *root)
{
    sac_policy_def def = {0};
    input_list list = {.who = "the policy's inputs"};
    json_t *settings, *low, *high, *inputs = json_object_get(root, "inputs");
    json_error_t error;
    int failed =
        inputs ? json_unpack_ex(root, &error, JSON_STRICT, "{s:s, s:o, s:o, s:i, s:i, s:o, s:o}", "kind", &def.kind,
                                "settings", &settings, "inputs", &inputs, "action_size", &def.action_size,
                                "action_choices", &def.action_choices, "action_low", &low, "action_high", &high)
               : json_unpack_ex(root, &error, JSON_STRICT, "{s:s, s:o, s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "kind",
                                &def.kind, "settings", &settings, "height", &def.height, "width", &def.width,
                                "channels", &def.channels, "action_size", &def.action_size, "action_choices",
                                &def.action_choices, "action_low", &low, "action_high", &high);
    if (failed) return sac_fail(SAC_ERROR_FORMAT, "the policy's description: %.150s", error.text);
    sac_status status = inputs ? read_inputs(&list, inputs) : SAC_OK;
    if (inputs) def.inputs = list.spaces, def.input_count = list.count;
    if (status == SAC_OK) status = create_from(out, &def, settings, low, high);
    clear_inputs(&list);
    // A wrong option is a person's mistake in a task, but a malformed file here.
    return status == SAC_ERROR_ARGUMENT ? SAC_ERROR_FORMAT : status;
}

sac_status sac_policy_from_text(sac_policy **out, const char *text)
{
    *out = NULL;
    json_t *root;
    SAC_TRY(parse(&root, text, "the policy's description"));
    sac_status status = create(out, root);
    json_decref(root);
    return status;
}

static sac_status copy_settings(sac_policy_info *info, const sac_setting *settings, int count)
{
    size_t size = (size_t)count * sizeof *settings;
    for (int i = 0; i < count; i++) size += strlen(settings[i].key) + strlen(settings[i].value) + 2;
    // The texts lie behind the settings in one block of memory.
    info->settings = sac_alloc(size);
    if (!info->settings) return sac_fail_memory("a policy's settings");
    info->setting_count = count;
    char *text = (char *)(info->settings + count);
    for (int i = 0; i < count; i++)
    {
        info->settings[i].key = strcpy(text, settings[i].key);
        text += strlen(text) + 1;
        info->settings[i].value = strcpy(text, settings[i].value);
        text += strlen(text) + 1;
    }
    return SAC_OK;
}

static sac_status read_info(sac_policy_info *info, json_t *root)
{
    const char *environment, *variant, *version, *seed;
    json_t *score, *score_std, *settings;
    json_error_t error;
    // Facts that a later version adds are no reason to refuse a policy.
    if (json_unpack_ex(root, &error, 0, "{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:i, s:o}", "environment", &environment,
                       "variant", &variant, "version", &version, "seed", &seed, "generation", &info->generation,
                       "score", &score, "score_std", &score_std, "score_episodes", &info->score_episodes, "settings",
                       &settings) != 0)
        return sac_fail(SAC_ERROR_FORMAT, "the policy's info: %.150s", error.text);
    snprintf(info->environment, SAC_TEXT_SIZE, "%s", environment);
    snprintf(info->variant, SAC_TEXT_SIZE, "%s", variant);
    snprintf(info->version, SAC_TEXT_SIZE, "%s", version);
    info->seed = strtoull(seed, NULL, 10);
    SAC_TRY(read_number(&info->score, score, "score"));
    SAC_TRY(read_number(&info->score_std, score_std, "score_std"));
    sac_setting list[MAX_SETTINGS];
    int count;
    SAC_TRY(read_settings(list, &count, settings));
    return count ? copy_settings(info, list, count) : SAC_OK;
}

sac_status sac_policy_info_from_text(sac_policy_info *info, const char *text)
{
    json_t *root;
    SAC_TRY(parse(&root, text, "the policy's info"));
    sac_status status = read_info(info, root);
    json_decref(root);
    return status;
}

void sac_policy_info_clear(sac_policy_info *info)
{
    sac_free(info->settings);
    *info = (sac_policy_info){0};
}
