#include "policy/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define CONFIG sac_cnn_config
#include "policy/options/kind_rows.h"

// The first layer is a projection of the image's patches; the others are projections of the image that the last one
// made.

enum
{
    MAX_CHANNELS = 256,
    MAX_POOL = 16
};

static const char *const bias_names[SAC_MAX_IMAGE_LAYERS] = {"conv0.bias", "conv1.bias", "conv2.bias", "conv3.bias"};
static const char *const weight_names[SAC_MAX_IMAGE_LAYERS] = {"conv0.weight", "conv1.weight", "conv2.weight",
                                                               "conv3.weight"};

static sac_status bad_channels(const char *text)
{
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: conv_channels is '%.80s', expected the channels of 1 to %d layers, 1 to %d each, such as "
                    "8,8,8",
                    text, SAC_MAX_IMAGE_LAYERS, MAX_CHANNELS);
}

static sac_status bad_pools(const char *text, int layers)
{
    return sac_fail(
        SAC_ERROR_ARGUMENT,
        "policy: conv_pool is '%.80s', expected a side of 0 to %d pixels for all layers, or %d of them, one "
        "a layer, separated by commas",
        text, MAX_POOL, layers);
}

// Reads whole numbers that commas separate, one a layer. Returns how many there are; 0: something else stands there.
static int read_list(const char *text, int numbers[SAC_MAX_IMAGE_LAYERS], long least, long most)
{
    for (int count = 0; count < SAC_MAX_IMAGE_LAYERS; text++)
    {
        char *end;
        long value = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || value < least || value > most) return 0;
        numbers[count++] = (int)value;
        text = end;
        if (!*text) return count;
    }
    return 0;
}

// Reads the side of each layer's pooling. One number is for all layers; 0 and 1 are no pooling.
static sac_status read_pools(sac_cnn *cnn)
{
    int pools[SAC_MAX_IMAGE_LAYERS] = {0};
    const int count = read_list(cnn->config.conv_pool, pools, 0, MAX_POOL);
    if (count != 1 && count != cnn->layer_count) return bad_pools(cnn->config.conv_pool, cnn->layer_count);
    for (int i = 0; i < cnn->layer_count; i++)
    {
        const int pool = pools[count == 1 ? 0 : i];
        cnn->layers[i].pool = pool > 1 ? pool : 1;
    }
    return SAC_OK;
}

static sac_status add_tensors(sac_cnn *cnn, sac_policy *policy, int index)
{
    SAC_ASSERT(index >= 0 && index < SAC_MAX_IMAGE_LAYERS);
    sac_image_layer *layer = &cnn->layers[index];
    const sac_patches *p = &layer->patches;
    double limit = 1 / sqrt((double)sac_patch_size(p));
    SAC_TRY(sac_policy_add_tensor(policy, bias_names[index], limit, 1, &p->outputs, &layer->tensors.bias));
    int shape[] = {p->outputs, p->patch, p->patch, p->channels};
    return sac_policy_add_tensor(policy, weight_names[index], limit, 4, shape, &layer->tensors.weight);
}

static size_t planar_size(const sac_patches *p)
{
    return (size_t)p->outputs * (size_t)sac_round_up(p->rows * p->columns);
}

// Finds the largest arrays that the layers behind the first need.
// One image and one set of planes are enough for all layers behind the first: each layer is done before the next
// begins.
static void plan_rooms(sac_cnn *cnn)
{
    for (int i = 1; i < cnn->layer_count; i++)
    {
        const sac_patches *p = &cnn->layers[i].patches;
        size_t input = (size_t)p->height * (size_t)p->width * (size_t)p->channels;
        if (input > cnn->image_room) cnn->image_room = input;
        if (planar_size(p) > cnn->planar_room) cnn->planar_room = planar_size(p);
        if (sac_project_scratch_size(p) > cnn->work_room) cnn->work_room = sac_project_scratch_size(p);
    }
}

// Sets what a layer gives once its patches are known.
static sac_status plan_output(sac_cnn *cnn, int index)
{
    sac_image_layer *layer = &cnn->layers[index];
    const sac_patches *p = &layer->patches;
    layer->rows = p->rows / layer->pool;
    layer->columns = p->columns / layer->pool;
    if (layer->rows > 0 && layer->columns > 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: layer %d of conv_channels '%.40s' gives %d x %d pixels, fewer than its conv_pool %d",
                    index + 1, cnn->config.conv_channels, p->rows, p->columns, layer->pool);
}

static sac_status plan_layers(sac_cnn *cnn, sac_policy *policy, const int channels[SAC_MAX_IMAGE_LAYERS])
{
    const sac_cnn_config *config = &cnn->config;
    int kernel = config->conv_kernel;
    cnn->layers[0].patches = cnn->embedding.patches;
    SAC_TRY(add_tensors(cnn, policy, 0));
    sac_embedding_add(&cnn->embedding, cnn->layers[0].tensors, channels[0]);
    SAC_TRY(plan_output(cnn, 0));
    for (int i = 1; i < cnn->layer_count; i++)
    {
        const sac_image_layer *last = &cnn->layers[i - 1];
        if (last->rows < kernel || last->columns < kernel)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "policy: layer %d of conv_channels '%.40s' gets %d x %d pixels, fewer than conv_kernel %d",
                            i + 1, config->conv_channels, last->rows, last->columns, kernel);
        cnn->layers[i].patches = sac_patches_create(last->rows, last->columns, last->patches.outputs, kernel,
                                                    config->conv_stride, channels[i]);
        SAC_TRY(add_tensors(cnn, policy, i));
        SAC_TRY(plan_output(cnn, i));
    }
    return SAC_OK;
}

static sac_status plan(sac_cnn *cnn, sac_policy *policy)
{
    int channels[SAC_MAX_IMAGE_LAYERS] = {0};
    cnn->config = *(const sac_cnn_config *)policy->config;
    const sac_cnn_config *config = &cnn->config;
    cnn->layer_count = read_list(config->conv_channels, channels, 1, MAX_CHANNELS);
    if (cnn->layer_count == 0) return bad_channels(config->conv_channels);
    SAC_TRY(read_pools(cnn));
    SAC_TRY(sac_embedding_plan(&cnn->embedding, &policy->def,
                               (sac_crop){config->crop_top, config->crop_height, config->image_size},
                               config->conv_kernel, config->conv_stride, channels[0], "conv_kernel"));
    SAC_TRY(sac_actor_check(&config->actor, &policy->def));
    SAC_TRY(plan_layers(cnn, policy, channels));
    plan_rooms(cnn);
    const sac_image_layer *last = &cnn->layers[cnn->layer_count - 1];
    return sac_actor_plan(&cnn->actor, policy, &config->actor, last->rows * last->columns * last->patches.outputs);
}

static sac_status create(sac_policy *policy)
{
    sac_cnn *cnn = SAC_NEW(sac_cnn);
    if (!cnn) return sac_fail_memory("a convolutional network");
    policy->self = cnn; // destroyed with the policy
    return plan(cnn, policy);
}

static void destroy(void *self)
{
    sac_cnn *cnn = self;
    if (cnn) sac_embedding_clear(&cnn->embedding);
    sac_free(cnn);
}

static void place(sac_policy_state *base, sac_workspace *workspace)
{
    sac_cnn_state *s = (sac_cnn_state *)base;
    const sac_policy *policy = base->policy;
    const sac_cnn *cnn = s->cnn = policy->self;
    s->parameters = sac_take(workspace, (size_t)policy->parameter_count, sizeof(float));
    s->image = sac_take_scratch(workspace, cnn->image_room, sizeof(float));
    s->planar = sac_take_scratch(workspace, cnn->planar_room, sizeof(float));
    s->work = sac_take_scratch(workspace, cnn->work_room, 1);
    sac_embedding_place(&s->embedding, &cnn->embedding, workspace);
    sac_look_place(&s->look, policy, workspace);
    sac_actor_place(&s->actor, &cnn->actor, policy, workspace);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    sac_cnn_state *s = (sac_cnn_state *)base;
    memcpy(s->parameters, parameters, (size_t)base->policy->parameter_count * sizeof(float));
    sac_embedding_set(&s->embedding, &s->cnn->embedding, s->parameters);
    sac_actor_set(&s->actor, &s->cnn->actor, base->policy, s->parameters);
}

static void reset(sac_policy_state *base)
{
    sac_cnn_state *s = (sac_cnn_state *)base;
    sac_actor_reset(&s->actor, &s->cnn->actor);
}

// Turns planes [outputs, stride] into pixels [pixels, outputs], adds the bias where there is one, and applies ReLU.
static void interleave(float *out, const float *planar, const sac_patches *p, const float *bias)
{
    int pixels = p->rows * p->columns, stride = sac_round_up(pixels);
    for (int o = 0; o < p->outputs; o++)
    {
        float add = bias ? bias[o] : 0;
        for (int n = 0; n < pixels; n++)
        {
            float x = planar[(size_t)o * (size_t)stride + (size_t)n] + add;
            out[(size_t)n * (size_t)p->outputs + (size_t)o] = x > 0 ? x : 0;
        }
    }
}

// The largest number of a square of a plane, or 0 where none is above it: ReLU and then pooling.
static float largest(const float *plane, int columns, int pool, float add)
{
    float most = 0;
    for (int r = 0; r < pool; r++)
        for (int c = 0; c < pool; c++)
        {
            const float x = plane[(ptrdiff_t)r * columns + c] + add;
            most = x > most ? x : most;
        }
    return most;
}

// The same with pooling, which leaves [rows, columns, outputs].
static void interleave_pooled(float *out, const float *planar, const sac_image_layer *layer, const float *bias)
{
    const sac_patches *p = &layer->patches;
    const ptrdiff_t stride = sac_round_up(p->rows * p->columns);
    for (int o = 0; o < p->outputs; o++, planar += stride)
    {
        float *to = out + o;
        for (int r = 0; r < layer->rows; r++)
            for (int c = 0; c < layer->columns; c++, to += p->outputs)
                *to = largest(planar + (ptrdiff_t)(r * p->columns + c) * layer->pool, p->columns, layer->pool,
                              bias ? bias[o] : 0);
    }
}

// What a layer gives, from its planes.
static void write_layer(float *out, const float *planar, const sac_image_layer *layer, const float *bias)
{
    if (layer->pool > 1)
        interleave_pooled(out, planar, layer, bias);
    else
        interleave(out, planar, &layer->patches, bias);
}

// Runs all layers but the first, whose outputs are the tokens.
// ReLU follows every layer. A layer writes planes, one for each channel, and the next one reads an image of interleaved
// channels, which is what the projection kernel takes.
static void read_image(sac_cnn_state *s)
{
    const sac_cnn *cnn = s->cnn;
    float *told = s->actor.told;
    write_layer(cnn->layer_count > 1 ? s->image : told, s->embedding.tokens, &cnn->layers[0], NULL);
    for (int i = 1; i < cnn->layer_count; i++)
    {
        const sac_image_layer *layer = &cnn->layers[i];
        const sac_patches *p = &layer->patches;
        cnn->embedding.projector.kernels.project_floats(s->planar, sac_round_up(p->rows * p->columns), s->image,
                                                        s->parameters + layer->tensors.weight, p, s->work);
        write_layer(i == cnn->layer_count - 1 ? told : s->image, s->planar, layer, s->parameters + layer->tensors.bias);
    }
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    sac_cnn_state *s = (sac_cnn_state *)base;
    sac_look(&s->look, &s->embedding, &s->cnn->embedding, base->policy, inputs);
    read_image(s);
    sac_actor_act(&s->actor, &s->cnn->actor, base->policy, s->parameters, inputs, action);
}

static void act_float(sac_policy_state *base, const float *observation, float *action)
{
    sac_cnn_state *s = (sac_cnn_state *)base;
    sac_embedding_run_floats(&s->embedding, &s->cnn->embedding, observation + s->cnn->embedding.first);
    read_image(s);
    sac_actor_act(&s->actor, &s->cnn->actor, base->policy, s->parameters, NULL, action);
}

static void gaze(sac_policy_state *base, sac_gaze *seen)
{
    const sac_cnn_state *s = (const sac_cnn_state *)base;
    const sac_patches *p = &s->cnn->embedding.patches;
    sac_actor_gaze(&s->actor, &s->cnn->actor, seen);
    seen->height = p->height;
    seen->width = p->width;
}

static const float *normaliser_input(const sac_policy_state *base)
{
    return ((const sac_cnn_state *)base)->actor.unnormalised;
}

static const sac_option options[] = {
    CNN_ROWS,
    ACTOR,
    {0},
};

static void parts(const sac_policy_state *base, sac_policy_parts *parts)
{
    const sac_cnn_state *s = (const sac_cnn_state *)base;
    *parts = (sac_policy_parts){.embedding = &s->cnn->embedding,
                                .embedding_state = &s->embedding,
                                .actor = &s->cnn->actor,
                                .actor_state = &s->actor,
                                .cnn = s->cnn,
                                .reading = SAC_PARTS_LAYERS};
}

static bool resizes(const sac_policy *policy)
{
    const sac_cnn_config *config = &((const sac_cnn *)policy->self)->config;
    return config->image_size > 0 && config->crop_top == 0 && config->crop_height == 0;
}

static const char *const written[] = {
    "crop_top",   "crop_height", "image_size", "conv_channels", "conv_kernel", "conv_stride", "conv_pool",
    "controller", "hidden",      "activation", "choice",        "motion",      "normaliser",  NULL};
static const sac_policy_export exported = {.options = written};

const sac_policy_ops sac_cnn_ops = {.name = "cnn",
                                    .options = options,
                                    .config_size = sizeof(sac_cnn_config),
                                    .renamed = true,
                                    .create = create,
                                    .destroy = destroy,
                                    .state_size = sizeof(sac_cnn_state),
                                    .place = place,
                                    .set_parameters = set_parameters,
                                    .reset = reset,
                                    .act = act,
                                    .act_float = act_float,
                                    .gaze = gaze,
                                    .normaliser_input = normaliser_input,
                                    .parts = parts,
                                    .resizes = resizes,
                                    .exported = &exported};
