#include "policy/hierarchical/hierarchical.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

// This file joins two policies to one: what the high level decides is a part, "latent", that the low level takes. The
// vector of parameters is the high level's and then the low level's.

enum
{
    MAX_LEVEL_SETTINGS = 128
};

/// What is fixed after creation.
typedef struct hierarchical
{
    sac_policy *high, *low;
    int high_parts[SAC_MAX_PARTS]; ///< inputs of the policy that the high level takes
    int low_parts[SAC_MAX_PARTS];  ///< vectors that the low level takes behind the command
    int high_count, low_count;
    int low_offset;      ///< of the low level's first parameter
    size_t picture_size; ///< bytes of the high level's picture, as bytes or as floats; 0: it looks at none
    char names[SAC_MAX_POLICY_TENSORS][SAC_TEXT_SIZE];
} hierarchical;

typedef struct hierarchical_state
{
    sac_policy_state base; // first
    const hierarchical *self;
    sac_policy_state *high, *low;
    float *decided;  ///< [1 + latent] of the high level: for how long, in -1..1, and the command
    void *picture;   ///< what the high level looked at last, so that its patches can be read while it does not look
    int held, steps; ///< steps for which the command is held, and those that have begun
} hierarchical_state;

// ---- what is fixed

static sac_status bad_part(const sac_policy *policy, const char *option, const char *name)
{
    const char *names[SAC_MAX_PARTS + 1] = {NULL};
    for (int i = 0; i < policy->def.input_count; i++) names[i] = policy->def.inputs[i].name;
    return sac_fail(SAC_ERROR_ARGUMENT, "policy: %s: the policy takes no part '%.80s'%s", option, name,
                    sac_did_you_mean(sac_nearest_of(name, names)));
}

// The parts of the policy that an option names, in its order.
static sac_status read_parts(int parts[SAC_MAX_PARTS], int *count, const sac_policy *policy, const char *option,
                             const char *words)
{
    const sac_policy_def *def = &policy->def;
    *count = 0;
    for (const char *at = words + strspn(words, " "); *at; at += strspn(at, " "))
    {
        char name[SAC_TEXT_SIZE];
        const size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        const int part = sac_space_find(def->inputs, def->input_count, name);
        if (part < 0) return bad_part(policy, option, name);
        if (*count == SAC_MAX_PARTS)
            return sac_fail(SAC_ERROR_ARGUMENT, "policy: %s names more than %d parts", option, SAC_MAX_PARTS);
        parts[(*count)++] = part;
    }
    return SAC_OK;
}

// The parts that high.parts names, else the picture, or without one all.
static sac_status choose_high_parts(hierarchical *h, const sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    const sac_hierarchical_config *config = policy->config;
    SAC_TRY(read_parts(h->high_parts, &h->high_count, policy, "high.parts", config->high.parts));
    if (h->high_count > 0) return SAC_OK;
    h->high_count = policy->image < 0 ? def->input_count : 1;
    for (int i = 0; i < h->high_count; i++) h->high_parts[i] = policy->image < 0 ? i : policy->image;
    return SAC_OK;
}

// The settings of one level, without the word that they begin with.
static int level_settings(sac_setting *settings, const sac_policy *policy, const char *prefix)
{
    const sac_policy_def *def = &policy->def;
    const size_t length = strlen(prefix);
    int count = 0;
    for (int i = 0; i < def->setting_count; i++)
    {
        const sac_setting *s = &def->settings[i];
        if (strncmp(s->key, prefix, length) != 0) continue;
        if (strcmp(s->key, "high.kind") == 0 || strcmp(s->key + length, "parts") == 0) continue;
        SAC_ASSERT(count < MAX_LEVEL_SETTINGS - 1);
        settings[count++] = (sac_setting){s->key + length, s->value};
    }
    return count;
}

static sac_status create_high(hierarchical *h, const sac_policy *policy, const sac_policy_ops *kind)
{
    const sac_hierarchical_config *config = policy->config;
    sac_setting settings[MAX_LEVEL_SETTINGS];
    sac_space inputs[SAC_MAX_PARTS];
    float low[1 + SAC_MAX_LATENT], high[1 + SAC_MAX_LATENT];
    int count = level_settings(settings, policy, "high.");
    settings[count++] = (sac_setting){"normaliser", "false"};
    for (int i = 0; i < h->high_count; i++) inputs[i] = policy->def.inputs[h->high_parts[i]];
    for (int i = 0; i <= config->latent; i++) low[i] = -1, high[i] = 1;
    const sac_policy_def def = {.settings = settings,
                                .setting_count = count,
                                .inputs = inputs,
                                .input_count = h->high_count,
                                .action_size = 1 + config->latent,
                                .action_low = low,
                                .action_high = high};
    sac_status status = sac_policy_create_of(&h->high, kind, &def);
    if (status != SAC_OK) return sac_fail_in(status, "high level");
    if (policy->image < 0) return SAC_OK;
    const size_t pixels = sac_space_size(&policy->def.inputs[policy->image]);
    // floats, where sac_policy_act_float may show it some
    h->picture_size = sac_policy_takes_one_picture(policy) ? pixels * sizeof(float)
                                                           : sac_space_bytes(&policy->def.inputs[policy->image]);
    return SAC_OK;
}

// The vectors that low.parts names, else all.
static sac_status choose_low_parts(hierarchical *h, const sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    const sac_hierarchical_config *config = policy->config;
    SAC_TRY(read_parts(h->low_parts, &h->low_count, policy, "low.parts", config->low_parts));
    for (int i = 0; i < h->low_count; i++)
        if (sac_space_is_image(&def->inputs[h->low_parts[i]]))
            return sac_fail(SAC_ERROR_ARGUMENT, "policy: low.parts: '%s' is a picture, and the low level takes vectors",
                            def->inputs[h->low_parts[i]].name);
    if (h->low_count > 0) return SAC_OK;
    for (int i = 0; i < def->input_count; i++)
        if (!sac_space_is_image(&def->inputs[i])) h->low_parts[h->low_count++] = i;
    return SAC_OK;
}

static sac_status create_low(hierarchical *h, const sac_policy *policy)
{
    const sac_hierarchical_config *config = policy->config;
    sac_setting settings[MAX_LEVEL_SETTINGS];
    sac_space inputs[1 + SAC_MAX_PARTS] = {{.name = "latent", .kind = SAC_SPACE_VECTOR, .shape = {config->latent}}};
    SAC_TRY(choose_low_parts(h, policy));
    for (int i = 0; i < h->low_count; i++) inputs[1 + i] = policy->def.inputs[h->low_parts[i]];
    sac_policy_def def = policy->def; // the actions are the policy's
    def.settings = settings;
    def.setting_count = level_settings(settings, policy, "low.");
    def.inputs = inputs;
    def.input_count = 1 + h->low_count;
    sac_status status = sac_policy_create_of(&h->low, &sac_mlp_ops, &def);
    SAC_ASSERT(status != SAC_OK || h->low->scratch_room == 0); // place: the scratch is the high level's
    return status == SAC_OK ? SAC_OK : sac_fail_in(status, "low level");
}

// The tensors of a level, each with the level's name before its own.
static sac_status add_tensors(hierarchical *h, sac_policy *policy, const sac_policy *level, const char *prefix)
{
    for (int i = 0; i < level->tensor_count; i++)
    {
        const sac_policy_tensor *tensor = &level->tensors[i];
        const int at = policy->tensor_count;
        if (at == SAC_MAX_POLICY_TENSORS)
            return sac_fail(SAC_ERROR_ARGUMENT, "policy: more than %d tensors with %s%s", SAC_MAX_POLICY_TENSORS,
                            prefix, tensor->name);
        snprintf(h->names[at], sizeof h->names[at], "%s%.200s", prefix, tensor->name);
        SAC_TRY(
            sac_policy_add_tensor(policy, h->names[at], (double)tensor->init_limit, tensor->rank, tensor->shape, NULL));
        policy->tensors[at].measured = tensor->measured;
    }
    return SAC_OK;
}

static sac_status plan(hierarchical *h, sac_policy *policy, const sac_policy_ops *kind)
{
    const sac_hierarchical_config *config = policy->config;
    if (config->shortest > config->longest)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: shortest is %d steps, longer than longest, %d", config->shortest,
                        config->longest);
    SAC_TRY(choose_high_parts(h, policy));
    SAC_TRY(create_high(h, policy, kind));
    SAC_TRY(create_low(h, policy));
    SAC_TRY(add_tensors(h, policy, h->high, "high."));
    h->low_offset = policy->parameter_count;
    SAC_TRY(add_tensors(h, policy, h->low, "low."));
    policy->normaliser_size = h->low->normaliser_size;
    policy->normaliser_mean = (size_t)h->low_offset + h->low->normaliser_mean;
    policy->normaliser_deviation = (size_t)h->low_offset + h->low->normaliser_deviation;
    return SAC_OK;
}

static sac_status create(sac_policy *policy, const sac_policy_ops *kind)
{
    hierarchical *h = SAC_NEW(hierarchical);
    if (!h) return sac_fail_memory("a hierarchical policy");
    policy->self = h; // destroyed with the policy
    return plan(h, policy, kind);
}

static void destroy(void *self)
{
    hierarchical *h = self;
    if (!h) return;
    sac_policy_destroy(h->high);
    sac_policy_destroy(h->low);
    sac_free(h);
}

// ---- what changes

static void place(sac_policy_state *base, sac_workspace *workspace)
{
    hierarchical_state *s = (hierarchical_state *)base;
    const hierarchical *h = s->self = base->policy->self;
    s->high = sac_policy_state_take(h->high, workspace);
    s->low = sac_policy_state_take(h->low, workspace);
    s->decided = sac_take(workspace, (size_t)h->high->def.action_size, sizeof(float));
    s->picture = sac_take(workspace, h->picture_size, 1);
}

static sac_status open(sac_policy_state *base)
{
    hierarchical_state *s = (hierarchical_state *)base;
    SAC_TRY(sac_policy_state_open(s->high));
    return sac_policy_state_open(s->low);
}

static void close(sac_policy_state *base)
{
    hierarchical_state *s = (hierarchical_state *)base;
    sac_policy_state_close(s->high);
    sac_policy_state_close(s->low);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    hierarchical_state *s = (hierarchical_state *)base;
    sac_policy_state_set_parameters(s->high, parameters);
    sac_policy_state_set_parameters(s->low, parameters + s->self->low_offset);
}

static void reset(sac_policy_state *base)
{
    hierarchical_state *s = (hierarchical_state *)base;
    sac_policy_state_reset(s->high);
    sac_policy_state_reset(s->low);
    s->held = s->steps = 0;
}

// ---- what it does

// From the first number that was decided, in -1..1, to steps: linearly, and to the nearest whole number.
static void hold(hierarchical_state *s)
{
    const sac_hierarchical_config *config = s->base.policy->config;
    const double share = ((double)s->decided[0] + 1) / 2;
    s->held = config->shortest + (int)(share * (config->longest - config->shortest) + 0.5);
    s->steps = 0;
}

static void look(hierarchical_state *s, const void *const *inputs)
{
    const hierarchical *h = s->self;
    const sac_policy *policy = s->base.policy;
    const void *seen[SAC_MAX_PARTS];
    for (int i = 0; i < h->high_count; i++)
    {
        seen[i] = inputs[h->high_parts[i]];
        if (h->high_parts[i] == policy->image)
            seen[i] = memcpy(s->picture, seen[i], sac_space_bytes(&policy->def.inputs[policy->image]));
    }
    sac_policy_act_on(s->high, seen, s->decided);
    hold(s);
}

static void look_float(hierarchical_state *s, const float *observation)
{
    memcpy(s->picture, observation, s->self->picture_size);
    sac_policy_act_float(s->high, s->picture, s->decided);
    hold(s);
}

static void follow(hierarchical_state *s, const void *const *inputs, float *action)
{
    const hierarchical *h = s->self;
    const void *told[1 + SAC_MAX_PARTS] = {s->decided + 1};
    for (int i = 0; i < h->low_count; i++) told[1 + i] = inputs[h->low_parts[i]];
    sac_policy_act_on(s->low, told, action);
    s->steps++;
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    hierarchical_state *s = (hierarchical_state *)base;
    if (s->steps == s->held) look(s, inputs);
    follow(s, inputs, action);
}

// Where the one picture is all that the policy takes, the low level is told the command alone.
static void act_float(sac_policy_state *base, const float *observation, float *action)
{
    hierarchical_state *s = (hierarchical_state *)base;
    if (s->steps == s->held) look_float(s, observation);
    follow(s, NULL, action);
}

static bool looks(const sac_policy_state *base)
{
    const hierarchical_state *s = (const hierarchical_state *)base;
    return s->steps == s->held;
}

static void gaze(sac_policy_state *base, sac_gaze *seen)
{
    hierarchical_state *s = (hierarchical_state *)base;
    sac_policy_gaze(s->high, seen);
    seen->age = s->steps > 0 ? s->steps - 1 : 0;
    seen->held = s->held;
}

static void patch(const sac_policy_state *base, int index, float *pixels)
{
    const sac_policy_state *high = ((const hierarchical_state *)base)->high;
    high->policy->ops->patch(high, index, pixels);
}

static void attention_row(const sac_policy_state *base, int query, float *weights)
{
    const sac_policy_state *high = ((const hierarchical_state *)base)->high;
    high->policy->ops->attention_row(high, query, weights);
}

static const float *normaliser_input(const sac_policy_state *base)
{
    return sac_policy_normaliser_input(((const hierarchical_state *)base)->low);
}

static bool resizes(const sac_policy *policy)
{
    const sac_policy *high = ((const hierarchical *)policy->self)->high;
    return high->ops->resizes(high);
}

// ---- one table a kind of high level

static const sac_policy_ops *variant(const sac_setting *settings, int count);

#define CREATE(name)                                    \
    static sac_status create_##name(sac_policy *policy) \
    {                                                   \
        return create(policy, &sac_##name##_ops);       \
    }
#define X(word, name) CREATE(name)
SAC_HIGH_LEVELS(X)
#undef X

// clang-format off
#define LEVELS(kind)                                                                                                   \
    .name = "hierarchical", .variant = variant, .options = sac_high_##kind##_options,                                  \
    .config_size = sizeof(sac_hierarchical_config), .create = create_##kind, .destroy = destroy,                       \
    .state_size = sizeof(hierarchical_state), .place = place, .open = open, .close = close,                            \
    .set_parameters = set_parameters, .reset = reset, .act = act, .act_float = act_float, .gaze = gaze,                \
    .normaliser_input = normaliser_input
#define LOOKS    .taste = SAC_TASTE_BOTH, .looks = looks, .resizes = resizes
#define ATTENDS  .patch = patch, .attention_row = attention_row
// clang-format on

static const sac_policy_ops attention_agent_ops = {LEVELS(attention_agent), LOOKS, ATTENDS};
const sac_policy_ops sac_hierarchical_ops = {LEVELS(iap_rank), LOOKS, ATTENDS};
static const sac_policy_ops iap_trans_ops = {LEVELS(iap_trans), LOOKS, ATTENDS};
static const sac_policy_ops cnn_ops = {LEVELS(cnn), LOOKS};
static const sac_policy_ops mlp_ops = {LEVELS(mlp), .taste = SAC_TASTE_NUMBERS, .taste_by = " with high.kind: mlp"};
#define iap_rank_ops sac_hierarchical_ops // the default has the name of the kind

static const sac_policy_ops *variant(const sac_setting *settings, int count)
{
    static const struct
    {
        const char *word;
        const sac_policy_ops *ops;
    } variants[] = {
#define X(word, name) {word, &name##_ops},
        SAC_HIGH_LEVELS(X)
#undef X
    };
    const char *wanted = ""; // the last setting counts, and a word that is none is refused as the option's value
    for (int i = 0; i < count; i++)
        if (strcmp(settings[i].key, "high.kind") == 0) wanted = settings[i].value;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i].word, wanted) == 0) return variants[i].ops;
    return &sac_hierarchical_ops;
}
