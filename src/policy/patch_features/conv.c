#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "policy/agent.h"

// What is told of a patch is the output of a small stack of convolutions without padding, with tanh after each. Their
// weights are part of the vector. All images are [side, side, channels], and so is the output.

enum
{
    MAX_CHANNELS = 64
};

static const char *const bias_names[SAC_MAX_CONV_LAYERS] = {"conv0.bias", "conv1.bias", "conv2.bias", "conv3.bias"};
static const char *const weight_names[SAC_MAX_CONV_LAYERS] = {"conv0.weight", "conv1.weight", "conv2.weight",
                                                              "conv3.weight"};

static sac_status bad_channels(const char *text)
{
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: conv_channels is '%.80s', expected the channels of 1 to %d layers, 1 to %d each, such as "
                    "4,2",
                    text, SAC_MAX_CONV_LAYERS, MAX_CHANNELS);
}

static int image_size(int side, int channels)
{
    return side * side * channels;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static sac_status plan_layer(sac_agent *agent, sac_policy *policy, int in_side, int in_channels, int out_channels)
{
    int kernel = agent->config.conv_kernel, index = agent->conv_count;
    if (in_side < kernel)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: layer %d of conv_channels '%.40s' gets %d x %d pixels, fewer than conv_kernel %d",
                        index + 1, agent->config.conv_channels, in_side, in_side, kernel);
    sac_conv_layer *layer = &agent->conv[agent->conv_count++];
    *layer =
        (sac_conv_layer){in_side, in_channels, (in_side - kernel) / agent->config.conv_stride + 1, out_channels, {0}};
    double limit = 1 / sqrt((double)(in_channels * kernel * kernel));
    SAC_TRY(sac_policy_add_tensor(policy, bias_names[index], limit, 1, &out_channels, &layer->tensors.bias));
    int shape[] = {out_channels, in_channels, kernel, kernel};
    SAC_TRY(sac_policy_add_tensor(policy, weight_names[index], limit, 4, shape, &layer->tensors.weight));
    // There are two images: a layer reads one and writes the other.
    agent->scratch_size = larger(agent->scratch_size, 2 * image_size(layer->out_side, out_channels));
    return SAC_OK;
}

static sac_status plan(sac_agent *agent, sac_policy *policy, int *size)
{
    const char *text = agent->config.conv_channels, *at = text;
    int side = agent->config.patch, channels = agent->embedding.channels;
    for (;; at++)
    {
        char *end;
        long out = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || out < 1 || out > MAX_CHANNELS ||
            agent->conv_count == SAC_MAX_CONV_LAYERS)
            return bad_channels(text);
        SAC_TRY(plan_layer(agent, policy, side, channels, (int)out));
        side = agent->conv[agent->conv_count - 1].out_side;
        channels = (int)out;
        at = end;
        if (!*at) break;
    }
    *size = image_size(side, channels);
    return SAC_OK;
}

// torch.nn.Conv2d without padding, over an image whose channels are interleaved.
static void run_layer(const sac_conv_layer *layer, int kernel, int stride, const float *parameters, const float *in,
                      float *out)
{
    const float *bias = parameters + layer->tensors.bias, *weights = parameters + layer->tensors.weight;
    int depth = layer->in_channels;
    for (int y = 0; y < layer->out_side; y++)
        for (int x = 0; x < layer->out_side; x++)
            for (int o = 0; o < layer->out_channels; o++)
            {
                const float *w = weights + (size_t)o * (size_t)(depth * kernel * kernel);
                float sum = bias[o];
                for (int c = 0; c < depth; c++)
                    for (int i = 0; i < kernel; i++)
                        for (int j = 0; j < kernel; j++)
                            sum += *w++ * in[((y * stride + i) * layer->in_side + x * stride + j) * depth + c];
                *out++ = sum;
            }
}

static void read(const sac_agent *agent, const float *parameters, const sac_patch *patch, float *out)
{
    const float *in = patch->pixels;
    float *next = patch->scratch, *other = patch->scratch + agent->scratch_size / 2;
    for (int i = 0; i < agent->conv_count; i++)
    {
        const sac_conv_layer *layer = &agent->conv[i];
        float *result = i == agent->conv_count - 1 ? out : next;
        run_layer(layer, agent->config.conv_kernel, agent->config.conv_stride, parameters, in, result);
        agent->kernels.tanh(result, result, image_size(layer->out_side, layer->out_channels));
        in = next;
        next = other;
        other = (float *)in;
    }
}

const sac_patch_features_ops sac_patch_features_conv = {.name = "conv", .pixels = true, .plan = plan, .read = read};
