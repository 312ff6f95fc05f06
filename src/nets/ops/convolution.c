#include <math.h>

#include "nets/node.h"

/// Convolution of a slice's pictures at once.

static sac_convolution of_part(const net_node *n, const sac_slice *part)
{
    sac_convolution c = n->convolution;
    c.pictures = part->count;
    c.add = n->add[0];
    return c;
}

static void forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_convolution c = of_part(n, part);
    l->convolution_forward(l, &c, net_value(p, n->out, part), net_value(p, n->in[0], part), net_tensor(p, n, 0), NULL,
                           p->workspaces[part->thread]);
}

static void backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_convolution c = of_part(n, part);
    l->convolution_backward(l, &c, net_gradient(p, n->in[0], part), net_slice_gradient(p, n, 0, part), NULL,
                            net_gradient(p, n->out, part), net_value(p, n->in[0], part), net_tensor(p, n, 0),
                            p->workspaces[part->thread]);
}

static const net_op op = {.name = "convolution", .forward = forward, .backward = backward};

int net_convolution(sac_net *net, const char *name, int x, int outputs, int patch, int stride, int padding)
{
    const sac_net_shape in = net->values[x];
    sac_convolution c = {.height = in.rows,
                         .width = in.columns,
                         .channels = in.channels,
                         .patch = patch,
                         .stride = stride,
                         .padding = padding,
                         .outputs = outputs};
    int rows, columns;
    sac_convolution_size(&c, &rows, &columns);
    net_node *n = net_add(net, &op, name, x, NET_NONE, (sac_net_shape){rows, columns, outputs});
    n->convolution = c;
    c.pictures = 1 << 16; // as many as a block of places can be of
    n->workspace = sac_convolution_workspace(&c);
    // He et al. 2015: by what a filter gives, as torch's resnets are drawn
    const double spread = sqrt(2.0 / ((double)patch * patch * outputs));
    net_give(net, n, 0, "weight", outputs, patch * patch * in.channels, SAC_NET_NORMAL, spread, true);
    return n->out;
}
