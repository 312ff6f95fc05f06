#include <stdio.h>

#include "nets/node.h"

/// A vision transformer (Dosovitskiy et al. 2021) whose attention is exact or linear: blocks of pixels become tokens
/// with a learned vector for each place; layers with norms first; the mean over tokens; a linear layer.

typedef struct config
{
    int patch, width, layers, heads, hidden, features;
    char attention[SAC_TEXT_SIZE];
    double dropout;
} config;

static const sac_option options[] = {
    {"patch", SAC_OPTION_INT, offsetof(config, patch), "4", 1, 64, NULL,
     "side of the blocks of pixels that are tokens"},
    {"width", SAC_OPTION_INT, offsetof(config, width), "64", 1, 4096, NULL, "numbers in a token"},
    {"layers", SAC_OPTION_INT, offsetof(config, layers), "4", 1, 64, NULL, "layers of attention"},
    {"heads", SAC_OPTION_INT, offsetof(config, heads), "4", 1, 64, NULL, "heads a layer, which share the width"},
    {"hidden", SAC_OPTION_INT, offsetof(config, hidden), "128", 1, 16384, NULL, "units of a layer's feed-forward net"},
    {"attention", SAC_OPTION_TEXT, offsetof(config, attention), "softmax", 0, 0,
     "softmax relu relu-mapped exp square positive trig",
     "softmax, or a map whose attention is linear in the number of tokens; all but relu have a learned matrix"},
    {"features", SAC_OPTION_INT, offsetof(config, features), "32", 1, 4096, NULL,
     "rows of a linear attention's learned matrix"},
    {"dropout", SAC_OPTION_REAL, offsetof(config, dropout), "0", 0, 0.9, NULL,
     "share of what heads and feed-forward nets give that training drops"},
    {0},
};

static int layer(sac_net *net, const config *c, int index, int x)
{
    char part[40];
#define PART(word) (snprintf(part, sizeof part, "layer%d.%s", index, word), part)
    int y = sac_net_layer_norm(net, PART("norm1"), x, NET_NONE, 1e-6);
    y = sac_net_linear(net, PART("queries_keys_values"), y, 3 * c->width, true, 0.02);
    y = sac_net_attention(net, PART("attention"), y, c->heads, c->attention, c->features);
    y = sac_net_linear(net, PART("out"), y, c->width, true, 0.02);
    y = sac_net_dropout(net, PART("dropout1"), y, c->dropout);
    x = sac_net_sum(net, PART("sum1"), x, y);
    y = sac_net_layer_norm(net, PART("norm2"), x, NET_NONE, 1e-6);
    y = sac_net_linear(net, PART("up"), y, c->hidden, true, 0.02);
    y = sac_net_gelu(net, PART("gelu"), y);
    y = sac_net_linear(net, PART("down"), y, c->width, true, 0.02);
    y = sac_net_dropout(net, PART("dropout2"), y, c->dropout);
    return sac_net_sum(net, PART("sum2"), x, y);
#undef PART
}

static void build(sac_net *net, const void *options_read, int classes)
{
    const config *c = options_read;
    int x = sac_net_blocks(net, "blocks", 0, c->patch);
    x = sac_net_linear(net, "embedding", x, c->width, true, 0.02);
    x = sac_net_places(net, "places", x);
    for (int i = 0; i < c->layers; i++) x = layer(net, c, i, x);
    x = sac_net_layer_norm(net, "norm", x, NET_NONE, 1e-6);
    x = sac_net_mean(net, "mean", x);
    sac_net_linear(net, "linear", x, classes, true, 0.02);
}

const net_kind sac_net_vit = {"vit", options, build};
