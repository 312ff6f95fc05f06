#include <string.h>

#include "base/random.h"
#include "nets/node.h"

/// Dropout (Srivastava et al. 2014): in training each number is zero with a probability, and otherwise divided by that
/// of staying. What is dropped is a function of the minibatch, the node and the sample, so that threads change nothing.

enum
{
    AT_A_TIME = 8 // numbers, by the 16-bit halves of four words
};

static unsigned char *mask_of(const net_pass *p, const net_node *n, const sac_slice *part, int sample)
{
    return (unsigned char *)(net_kept(p, n, part) + (size_t)sample * n->kept);
}

static void draw(const net_pass *p, const net_node *n, unsigned char *mask, int sample, size_t size)
{
    const uint32_t limit = (uint32_t)(n->dropout.share * 65536 + 0.5);
    const uint64_t key = sac_mix_seed(p->draw, 0x64726f70, net_index(p, n));
    for (size_t at = 0; at < size; at += AT_A_TIME)
    {
        uint32_t words[4];
        sac_philox(words, key, at, (uint64_t)sample);
        for (size_t i = 0; i < AT_A_TIME && at + i < size; i++)
            mask[at + i] = (words[i / 2] >> (i % 2 * 16) & 0xffff) >= limit;
    }
}

static void forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const size_t size = net_size(net_shape_out(p, n));
    const float *x = net_value(p, n->in[0], part), factor = (float)(1 / (1 - n->dropout.share));
    float *out = net_value(p, n->out, part);
    if (!p->training)
    {
        memcpy(out, x, (size_t)part->count * size * sizeof *out);
        return;
    }
    for (int i = 0; i < part->count; i++, x += size, out += size)
    {
        unsigned char *mask = mask_of(p, n, part, i);
        draw(p, n, mask, part->first + i, size);
        for (size_t k = 0; k < size; k++) out[k] = mask[k] ? factor * x[k] : 0.0f;
    }
}

static void backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const size_t size = net_size(net_shape_out(p, n));
    const float *dout = net_gradient(p, n->out, part), factor = (float)(1 / (1 - n->dropout.share));
    float *dx = net_gradient(p, n->in[0], part);
    for (int i = 0; i < part->count; i++, dx += size, dout += size)
    {
        const unsigned char *mask = mask_of(p, n, part, i);
        for (size_t k = 0; k < size; k++)
        {
            const float d = mask[k] ? factor * dout[k] : 0.0f;
            dx[k] = n->add[0] ? dx[k] + d : d;
        }
    }
}

static const net_op op = {.name = "dropout", .forward = forward, .backward = backward};

int sac_net_dropout(sac_net *net, const char *name, int x, double share)
{
    if (!(share > 0)) return x;
    net_node *n = sac_net_add(net, &op, name, x, NET_NONE, net->values[x]);
    n->dropout.share = share;
    n->kept = (net_size(&net->values[x]) + sizeof(float) - 1) / sizeof(float);
    return n->out;
}
