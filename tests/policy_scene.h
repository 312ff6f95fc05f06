#pragma once

#include "saccade/policy.h"
#include "test.h"

/// Agents and pictures that the tests of policies share.

enum
{
    SCENE_SIDE = 96,
    SCENE_SIZE = SCENE_SIDE * SCENE_SIDE * 3,
    SCENE_MAX_SETTINGS = 32
};

/// What scene policies may take besides one picture.
static inline sac_space scene_part(const char *name)
{
    static const float near = 0.5f, far = 9;
    static const sac_space parts[] = {
        {.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {SCENE_SIDE, SCENE_SIDE, 3}},
        {.name = "frames", .kind = SAC_SPACE_PICTURE, .shape = {40, 48, 6}}, // two pictures, one behind the other
        {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {44, 60}, .low = &near, .high = &far},
        {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {7}},
        {.name = "touch", .kind = SAC_SPACE_VECTOR, .shape = {3}},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].name, name) == 0) return parts[i];
    fail_msg("no part %s", name);
    return parts[0];
}

/// A car's agent with settings as "key=value,key=value"; a colon stands for a comma in a value; kind is its kind;
/// inputs are parts it takes, such as inputs=camera+state.
static inline sac_status scene_create(sac_policy **out, const char *settings)
{
    static const float low[] = {-1, 0, 0}, high[] = {1, 1, 1};
    const char *kind = "attention-agent";
    char text[512];
    sac_setting list[SCENE_MAX_SETTINGS];
    int count = 0, part_count = 0;
    sac_space parts[SAC_MAX_PARTS];
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
    {
        char *equals = strchr(word, '=');
        *equals = 0;
        if (strcmp(word, "kind") == 0)
        {
            kind = equals + 1;
            continue;
        }
        if (strcmp(word, "inputs") == 0)
        {
            for (char *part = equals + 1, *plus; part; part = plus)
            {
                plus = strchr(part, '+');
                if (plus) *plus++ = 0;
                parts[part_count++] = scene_part(part);
            }
            continue;
        }
        for (char *c = equals + 1; *c; c++)
            if (*c == ':') *c = ',';
        list[count++] = (sac_setting){word, equals + 1};
    }
    sac_policy_def def = {.kind = kind,
                          .settings = list,
                          .setting_count = count,
                          .height = SCENE_SIDE,
                          .width = SCENE_SIDE,
                          .channels = 3,
                          .inputs = part_count ? parts : NULL,
                          .input_count = part_count,
                          .action_size = 3,
                          .action_low = low,
                          .action_high = high};
    return sac_policy_create(out, &def);
}

/// Parameters of the policy of such settings.
static inline int scene_count(const char *settings)
{
    sac_policy *policy;
    assert_ok(scene_create(&policy, settings));
    int count = sac_policy_parameter_count(policy);
    sac_policy_destroy(policy);
    return count;
}

/// A tensor of a policy, by name.
static inline const float *scene_tensor(const sac_policy *policy, const char *name)
{
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
        if (strcmp(sac_policy_tensor_at(policy, i)->name, name) == 0)
            return sac_policy_parameters(policy) + sac_policy_tensor_at(policy, i)->offset;
    fail_msg("no tensor %s", name);
    return NULL;
}

/// The same with drawn parameters.
static inline sac_policy *scene_policy(const char *settings, uint64_t seed)
{
    sac_policy *shape, *policy;
    assert_ok(scene_create(&shape, settings));
    float *parameters = malloc((size_t)sac_policy_parameter_count(shape) * sizeof *parameters);
    assert_non_null(parameters);
    sac_policy_draw(shape, seed, parameters);
    assert_ok(sac_policy_create_with(&policy, shape, parameters));
    free(parameters);
    sac_policy_destroy(shape);
    return policy;
}

/// The same, also of the tensors that start at zero.
static inline sac_policy *scene_any_policy(const char *settings)
{
    sac_policy *fresh = scene_policy(settings, 9), *policy;
    int count = sac_policy_parameter_count(fresh);
    float *parameters = malloc((size_t)count * sizeof *parameters);
    assert_non_null(parameters);
    memcpy(parameters, sac_policy_parameters(fresh), (size_t)count * sizeof *parameters);
    for (int i = 0; i < sac_policy_tensor_count(fresh); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(fresh, i);
        if (tensor->init_limit == 0)
            fill_uniform(parameters + tensor->offset, sac_policy_tensor_size(tensor), (uint64_t)i);
    }
    assert_ok(sac_policy_create_with(&policy, fresh, parameters));
    free(parameters);
    sac_policy_destroy(fresh);
    return policy;
}

static inline sac_policy_state *scene_state(const sac_policy *policy)
{
    sac_policy_state *state;
    assert_ok(sac_policy_state_create(&state, policy));
    return state;
}

/// Noise above, a uniform field below: patches that differ and patches that are equal.
static inline void scene_image(uint8_t *image, uint64_t seed)
{
    sac_stream stream = sac_stream_create(seed, 0, 0);
    for (int i = 0; i < SCENE_SIZE; i++)
        image[i] = i < SCENE_SIZE / 2 ? (uint8_t)sac_stream_below(&stream, 256) : (uint8_t)(60 * (i % 3) + 80);
}

static inline void scene_floats(float *floats, const uint8_t *image)
{
    for (int i = 0; i < SCENE_SIZE; i++) floats[i] = (float)image[i] / 255.0f;
}
