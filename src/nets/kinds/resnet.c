#include <math.h>
#include <stdio.h>

#include "nets/node.h"

/// A residual net (He et al. 2016) for small pictures: a convolution of 3 x 3, then stages of basic blocks, each stage
/// twice as wide as the one before and, but for the first, half as large; the mean over places; a linear layer.
/// One block a stage and a width of 64 is what is called ResNet-10, two blocks ResNet-18.

typedef struct config
{
    int width, blocks, stages;
} config;

static const sac_option options[] = {
    {"width", SAC_OPTION_INT, offsetof(config, width), "64", 1, 1024, NULL,
     "channels of the first stage; each later one has twice as many"},
    {"blocks", SAC_OPTION_INT, offsetof(config, blocks), "1", 1, 32, NULL,
     "basic blocks a stage: 1 is ResNet-10, 2 ResNet-18"},
    {"stages", SAC_OPTION_INT, offsetof(config, stages), "4", 1, 6, NULL, "stages, each half as large as the last"},
    {0},
};

static int block(sac_net *net, const char *name, int x, int outputs, int stride)
{
    char part[40];
    int beside = x;
#define PART(word) (snprintf(part, sizeof part, "%.24s.%s", name, word), part)
    int y = sac_net_convolution(net, PART("convolution1"), x, outputs, 3, stride, 1);
    y = sac_net_batch_norm(net, PART("norm1"), y, NET_NONE, true);
    y = sac_net_convolution(net, PART("convolution2"), y, outputs, 3, 1, 1);
    if (stride > 1 || net->values[x].channels != outputs)
    {
        beside = sac_net_convolution(net, PART("shortcut"), x, outputs, 1, stride, 0);
        beside = sac_net_batch_norm(net, PART("shortcut_norm"), beside, NET_NONE, false);
    }
    return sac_net_batch_norm(net, PART("norm2"), y, beside, true);
#undef PART
}

static void build(sac_net *net, const void *options_read, int classes)
{
    const config *c = options_read;
    char name[40];
    int x = sac_net_convolution(net, "convolution", 0, c->width, 3, 1, 1);
    x = sac_net_batch_norm(net, "norm", x, NET_NONE, true);
    for (int stage = 0; stage < c->stages; stage++)
        for (int i = 0; i < c->blocks; i++)
        {
            snprintf(name, sizeof name, "stage%d.block%d", stage, i);
            x = block(net, name, x, c->width << stage, stage > 0 && i == 0 ? 2 : 1);
        }
    x = sac_net_mean(net, "mean", x);
    sac_net_linear(net, "linear", x, classes, true, 1 / sqrt(3.0 * net->values[x].channels));
}

const net_kind sac_net_resnet = {"resnet", options, build};
