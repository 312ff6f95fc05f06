#include "policy/agent.h"

// What is told of a patch is its histogram: for each channel the share of pixels in each of b bins of equal width over
// 0..1, [channels, bins]

static sac_status plan(sac_agent *agent, sac_policy *policy, int *size)
{
    (void)policy;
    *size = agent->embedding.channels * agent->config.bins;
    return SAC_OK;
}

static void read(const sac_agent *agent, const float *parameters, const sac_patch *patch, float *out)
{
    (void)parameters;
    int bins = agent->config.bins, channels = agent->embedding.channels;
    for (int i = 0; i < channels * bins; i++) out[i] = 0;
    for (int i = 0; i < agent->embedding.inputs; i++)
    {
        // A number outside 0..1 counts in the nearer of the two outer bins.
        float place = patch->pixels[i] * (float)bins;
        int bin = !(place > 0) ? 0 : place >= (float)bins ? bins - 1 : (int)place;
        out[i % channels * bins + bin] += 1;
    }
    float pixels = (float)(agent->config.patch * agent->config.patch);
    for (int i = 0; i < channels * bins; i++) out[i] /= pixels;
}

const sac_patch_features_ops sac_patch_features_histogram = {
    .name = "histogram", .pixels = true, .plan = plan, .read = read};
