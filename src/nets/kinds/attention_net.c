#include <stdio.h>
#include <string.h>

#include "nets/node.h"

/// The fully attentional net of "attention layers can implement convolutions": blocks of pixels become tokens, layers
/// of heads follow, each with a feed-forward net behind it; norms stand after sums; the mean over tokens; a linear
/// layer. A head sees whole tokens, so what it gives is as wide as they are, and a linear layer brings all heads back
/// to the width: the value map of Cordonnier, Loukas and Jaggi 2020.

typedef struct config
{
    int patch, width, layers, heads, hidden, size;
    char encoding[SAC_TEXT_SIZE];
    double dropout;
} config;

static const char *const encodings[] = {"quadratic-isotropic", "quadratic",      "relative",
                                        "relative-content",    "transformer-xl", NULL}; // by net_encoding

static const sac_option options[] = {
    {"patch", SAC_OPTION_INT, offsetof(config, patch), "2", 1, 64, NULL,
     "side of the blocks of pixels that are tokens"},
    {"width", SAC_OPTION_INT, offsetof(config, width), "400", 1, 4096, NULL, "numbers in a token"},
    {"layers", SAC_OPTION_INT, offsetof(config, layers), "6", 1, 64, NULL, "layers of heads"},
    {"heads", SAC_OPTION_INT, offsetof(config, heads), "9", 1, 64, NULL, "heads a layer"},
    {"hidden", SAC_OPTION_INT, offsetof(config, hidden), "512", 1, 16384, NULL, "units of a layer's feed-forward net"},
    {"encoding", SAC_OPTION_TEXT, offsetof(config, encoding), "quadratic", 0, 0,
     "quadratic-isotropic quadratic relative relative-content transformer-xl",
     "what heads know of places: a centre and a spread, learned relative positions, these and contents, or all four "
     "terms of Transformer-XL"},
    {"size", SAC_OPTION_INT, offsetof(config, size), "64", 1, 1024, NULL,
     "numbers in a query, a key, and an embedding of relative positions"},
    {"dropout", SAC_OPTION_REAL, offsetof(config, dropout), "0", 0, 0.9, NULL,
     "share of what heads and feed-forward nets give that training drops"},
    {0},
};

static net_encoding encoding_of(const config *c)
{
    int i = 0;
    while (encodings[i] && strcmp(encodings[i], c->encoding) != 0) i++;
    return (net_encoding)i;
}

static int layer(sac_net *net, const config *c, int index, int x)
{
    const double spread = 0.02; // as BERT is drawn
    const net_encoding encoding = encoding_of(c);
    char part[40];
    int y;
#define PART(word) (snprintf(part, sizeof part, "layer%d.%s", index, word), part)
    if (encoding < NET_RELATIVE_CONTENT)
        y = sac_net_shift_heads(net, PART("heads"), x, c->heads, encoding, c->size);
    else
    {
        y = sac_net_linear(net, PART("queries_keys"), x, 2 * c->heads * c->size, false, spread);
        y = sac_net_content_heads(net, PART("heads"), x, y, c->heads, encoding, c->size);
    }
    y = sac_net_linear(net, PART("values"), y, c->width, true, spread);
    y = sac_net_dropout(net, PART("dropout1"), y, c->dropout);
    x = sac_net_layer_norm(net, PART("norm1"), y, x, 1e-12);
    y = sac_net_linear(net, PART("up"), x, c->hidden, true, spread);
    y = sac_net_gelu(net, PART("gelu"), y);
    y = sac_net_linear(net, PART("down"), y, c->width, true, spread);
    y = sac_net_dropout(net, PART("dropout2"), y, c->dropout);
    return sac_net_layer_norm(net, PART("norm2"), y, x, 1e-12);
#undef PART
}

static void build(sac_net *net, const void *options_read, int classes)
{
    const config *c = options_read;
    int x = sac_net_blocks(net, "blocks", 0, c->patch);
    x = sac_net_linear(net, "embedding", x, c->width, true, 0.02);
    for (int i = 0; i < c->layers; i++) x = layer(net, c, i, x);
    x = sac_net_mean(net, "mean", x);
    sac_net_linear(net, "linear", x, classes, true, 0.02);
}

const net_kind sac_net_attention_net = {"attention-net", options, build};
