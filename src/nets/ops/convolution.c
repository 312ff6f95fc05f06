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

// --- the same by tiles, whose filters are made once a step ---

static float *filters_of(const net_pass *p, const net_node *n, bool back)
{
    return net_shared(p, n) + (back ? sac_winograd_weights(&n->convolution) : 0);
}

static void prepare_tiles(const net_pass *p, const net_node *n)
{
    const sac_learn *l = &p->tables[0];
    l->winograd_weights(l, &n->convolution, filters_of(p, n, false), net_tensor(p, n, 0), false);
    if (p->training) l->winograd_weights(l, &n->convolution, filters_of(p, n, true), net_tensor(p, n, 0), true);
}

static void forward_tiles(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_convolution c = of_part(n, part);
    l->winograd_forward(l, &c, net_value(p, n->out, part), net_value(p, n->in[0], part), filters_of(p, n, false),
                        p->workspaces[part->thread]);
}

static void backward_tiles(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_convolution c = of_part(n, part);
    l->winograd_backward(l, &c, net_gradient(p, n->in[0], part), net_slice_gradient(p, n, 0, part),
                         net_gradient(p, n->out, part), net_value(p, n->in[0], part), filters_of(p, n, true),
                         p->workspaces[part->thread]);
}

static const net_op plain_op = {.name = "convolution", .forward = forward, .backward = backward};
static const net_op tiles_op = {
    .name = "convolution by tiles", .prepare = prepare_tiles, .forward = forward_tiles, .backward = backward_tiles};

int sac_net_convolution(sac_net *net, const char *name, int x, int outputs, int patch, int stride, int padding)
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
    const bool fits = sac_winograd_fits(&c);
    net_node *n =
        sac_net_add(net, fits ? &tiles_op : &plain_op, name, x, NET_NONE, (sac_net_shape){rows, columns, outputs});
    n->convolution = c;
    c.pictures = 1 << 16; // as many as a block of places can be of
    n->workspace = fits ? sac_winograd_workspace(&c) : sac_convolution_workspace(&c);
    n->shared = fits ? 2 * sac_winograd_weights(&c) : 0;
    // He et al. 2015: by what a filter gives, as torch's resnets are drawn
    const double spread = sqrt(2.0 / ((double)patch * patch * outputs));
    sac_net_give(net, n, 0, "weight", outputs, patch * patch * in.channels, SAC_NET_NORMAL, spread, true);
    return n->out;
}
