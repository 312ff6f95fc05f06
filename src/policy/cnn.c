#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "policy/agent_state.h"

// A convolutional network instead of attention, the baseline that agents are compared with: a few layers over the whole
// image without padding, ReLU after each, then the controller is told the last layer's pixels. The first layer is a
// projection of patches, as in the other kinds; the others are projections of the image that the last one made.

enum
{
    MAX_CHANNELS = 256
};

static const char *const names[SAC_MAX_CONV_LAYERS][2] = {{"conv0.bias", "conv0.weight"},
                                                          {"conv1.bias", "conv1.weight"},
                                                          {"conv2.bias", "conv2.weight"},
                                                          {"conv3.bias", "conv3.weight"}};

static sac_status bad_channels(const char *text)
{
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: conv_channels is '%.80s', expected the channels of 1 to %d layers, 1 to %d each, such as "
                    "8,8,8",
                    text, SAC_MAX_CONV_LAYERS, MAX_CHANNELS);
}

// the number of layers and the channels of each
static sac_status read_channels(const char *text, int channels[SAC_MAX_CONV_LAYERS], int *count)
{
    *count = 0;
    for (const char *at = text;; at++)
    {
        char *end;
        long value = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || value < 1 || value > MAX_CHANNELS || *count == SAC_MAX_CONV_LAYERS)
            return bad_channels(text);
        channels[(*count)++] = (int)value;
        at = end;
        if (!*at) return SAC_OK;
    }
}

// the first layer is what the agent's patches are projected to
static sac_status adapt(sac_agent_config *config)
{
    int channels[SAC_MAX_CONV_LAYERS] = {0}, count;
    SAC_TRY(read_channels(config->conv_channels, channels, &count));
    config->patch = config->conv_kernel;
    config->stride = config->conv_stride;
    config->value_size = channels[0];
    strcpy(config->position_encoding, "none");
    return SAC_OK;
}

static sac_status add_views(sac_agent *agent, sac_policy *policy, int index)
{
    const sac_patches *p = index == 0 ? &agent->patches : &agent->layers[index].patches;
    sac_image_layer *layer = &agent->layers[index];
    double limit = 1 / sqrt((double)sac_patch_size(p));
    SAC_TRY(sac_policy_add_view(policy, names[index][0], limit, 1, &p->outputs, &layer->bias));
    int shape[] = {p->outputs, p->patch, p->patch, p->channels};
    return sac_policy_add_view(policy, names[index][1], limit, 4, shape, &layer->weight);
}

static size_t planar_size(const sac_patches *p)
{
    return (size_t)p->outputs * (size_t)sac_round_up(p->rows * p->columns);
}

// scratch holds a layer's input, its output and what the projection needs
static void plan_scratch(sac_agent *agent)
{
    for (int i = 1; i < agent->layer_count; i++)
    {
        const sac_patches *p = &agent->layers[i].patches;
        size_t input = (size_t)p->height * (size_t)p->width * (size_t)p->channels;
        size_t work = sac_project_scratch_size(p) / sizeof(float) + 1;
        if (input > agent->image_room) agent->image_room = (size_t)sac_round_up((int)input);
        if (planar_size(p) > agent->planar_room) agent->planar_room = planar_size(p);
        if (work > agent->work_room) agent->work_room = work;
    }
    agent->scratch_size = (int)(agent->image_room + agent->planar_room + agent->work_room);
}

static sac_status plan(sac_agent *agent, sac_policy *policy)
{
    int channels[SAC_MAX_CONV_LAYERS] = {0}, kernel = agent->config.conv_kernel;
    const sac_patches *p = &agent->patches;
    SAC_TRY(read_channels(agent->config.conv_channels, channels, &agent->layer_count));
    for (int i = 0; i < agent->layer_count; i++)
    {
        if (i > 0 && (p->rows < kernel || p->columns < kernel))
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "policy: layer %d of conv_channels '%.40s' gets %d x %d pixels, fewer than conv_kernel %d",
                            i + 1, agent->config.conv_channels, p->rows, p->columns, kernel);
        if (i > 0)
            agent->layers[i].patches =
                sac_patches_create(p->rows, p->columns, p->outputs, kernel, agent->config.conv_stride, channels[i]);
        SAC_TRY(add_views(agent, policy, i));
        if (i > 0) p = &agent->layers[i].patches;
    }
    agent->value_bias = agent->layers[0].bias;
    agent->value_weight = agent->layers[0].weight;
    agent->feature_count = p->rows * p->columns * p->outputs;
    plan_scratch(agent);
    return SAC_OK;
}

// planar [outputs, stride] -> [pixels, outputs], with the bias where there is one, and ReLU
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

static void attend(sac_agent_state *s)
{
    const sac_agent *a = s->agent;
    float *image = s->scratch, *planar = image + a->image_room, *work = planar + a->planar_room;
    interleave(a->layer_count > 1 ? image : s->features, s->tokens, &a->patches, NULL); // has its bias
    for (int i = 1; i < a->layer_count; i++)
    {
        const sac_image_layer *layer = &a->layers[i];
        const sac_patches *p = &layer->patches;
        a->kernels.project_floats(planar, sac_round_up(p->rows * p->columns), image, s->parameters + layer->weight, p,
                                  work);
        interleave(i == a->layer_count - 1 ? s->features : image, planar, p, s->parameters + layer->bias);
    }
}

const sac_reading_ops sac_reading_conv = {.has_values = true, .adapt = adapt, .plan = plan, .attend = attend};
