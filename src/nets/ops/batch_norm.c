#include <math.h>
#include <string.h>

#include "nets/node.h"

/// Batch norm with what may stand beside it, a shortcut, and ReLU: out = f(norm(x) + beside). Means and variances of a
/// minibatch are sums over slices, in doubles and in the order of slices.

static const double epsilon = 1e-5;

// what is shared by all slices, [C] each
typedef struct moments
{
    float *scale, *move, *mean, *level, *slope, *inverse, *dgain, *dshift;
    int size;
} moments;

static moments moments_of(const net_pass *p, const net_node *n)
{
    float *at = net_shared(p, n);
    const int size = net_shape_out(p, n)->channels;
    return (moments){
        at, at + size, at + 2 * size, at + 3 * size, at + 4 * size, at + 5 * size, at + 6 * size, at + 7 * size, size};
}

static sac_batch_norm norm_of(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const moments m = moments_of(p, n);
    return (sac_batch_norm){.rows = part->count * net_tokens(net_shape_out(p, n)),
                            .size = m.size,
                            .relu = n->norm.relu,
                            .add = n->in[1] != NET_NONE && n->add[1],
                            .scale = m.scale,
                            .move = m.move,
                            .mean = m.mean,
                            .level = m.level,
                            .slope = m.slope};
}

static double sum_of(const net_pass *p, const net_node *n, int at)
{
    double sum = 0;
    for (int i = 0; i < p->slices; i++) sum += ((const double *)net_sliced(p, n, i))[at];
    return sum;
}

static double count_of(const net_pass *p, const net_node *n)
{
    return (double)p->samples * net_tokens(net_shape_out(p, n));
}

static void measure(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_net_shape *s = net_shape_out(p, n);
    l->moments(l, net_sliced(p, n, part->index), net_value(p, n->in[0], part), part->count * net_tokens(s),
               s->channels);
}

static void join(const net_pass *p, const net_node *n)
{
    const moments m = moments_of(p, n);
    const float *gain = net_tensor(p, n, 0), *shift = net_tensor(p, n, 1);
    float *kept = p->measured + n->measured; // means, variances
    const double count = count_of(p, n);
    for (int c = 0; c < m.size; c++)
    {
        double mean = (double)kept[c], variance = (double)kept[m.size + c];
        if (p->training)
        {
            mean = sum_of(p, n, c) / count;
            variance = fmax(sum_of(p, n, m.size + c) / count - mean * mean, 0);
            const double unbiased = count > 1 ? variance * count / (count - 1) : variance;
            kept[c] = (float)((1 - p->momentum) * (double)kept[c] + p->momentum * mean);
            kept[m.size + c] = (float)((1 - p->momentum) * (double)kept[m.size + c] + p->momentum * unbiased);
        }
        const double inverse = 1 / sqrt(variance + epsilon);
        m.mean[c] = (float)mean;
        m.inverse[c] = (float)inverse;
        m.scale[c] = (float)((double)gain[c] * inverse);
        m.move[c] = (float)((double)shift[c] - mean * (double)gain[c] * inverse);
    }
}

static void forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_batch_norm b = norm_of(p, n, part);
    l->batch_norm_forward(l, &b, net_value(p, n->out, part), net_value(p, n->in[0], part),
                          n->in[1] == NET_NONE ? NULL : net_value(p, n->in[1], part));
}

static void measure_back(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_batch_norm b = norm_of(p, n, part);
    l->batch_norm_sums(l, &b, net_sliced(p, n, part->index), net_gradient(p, n->out, part), net_value(p, n->out, part),
                       net_value(p, n->in[0], part));
}

static void join_back(const net_pass *p, const net_node *n)
{
    const moments m = moments_of(p, n);
    const double count = count_of(p, n);
    for (int c = 0; c < m.size; c++)
    {
        const double sum = sum_of(p, n, c), along = sum_of(p, n, m.size + c), inverse = (double)m.inverse[c];
        m.level[c] = (float)(sum / count);
        m.slope[c] = (float)(along / count * inverse * inverse);
        m.dgain[c] = (float)(along * inverse);
        m.dshift[c] = (float)sum;
    }
}

static void backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_batch_norm b = norm_of(p, n, part);
    l->batch_norm_backward(l, &b, net_gradient(p, n->in[0], part),
                           n->in[1] == NET_NONE ? NULL : net_gradient(p, n->in[1], part), net_gradient(p, n->out, part),
                           net_value(p, n->out, part), net_value(p, n->in[0], part));
}

static void finish(const net_pass *p, const net_node *n)
{
    const moments m = moments_of(p, n);
    float *dgain = p->sum + p->net->tensors[n->tensors[0]].first;
    float *dshift = p->sum + p->net->tensors[n->tensors[1]].first;
    memcpy(dgain, m.dgain, (size_t)m.size * sizeof *dgain);
    memcpy(dshift, m.dshift, (size_t)m.size * sizeof *dshift);
}

static const net_op op = {.name = "batch norm",
                          .measure = measure,
                          .join = join,
                          .forward = forward,
                          .measure_back = measure_back,
                          .join_back = join_back,
                          .backward = backward,
                          .finish = finish};

int sac_net_batch_norm(sac_net *net, const char *name, int x, int beside, bool relu)
{
    net_node *n = sac_net_add(net, &op, name, x, beside, net->values[x]);
    const int size = net->values[x].channels;
    n->norm.relu = relu;
    n->measured = net->measured;
    net->measured += 2 * (size_t)size;
    n->shared = 8 * (size_t)size;
    n->sliced = 2 * (size_t)size * sizeof(double);
    sac_net_give(net, n, 0, "weight", size, 0, SAC_NET_ONES, 0, true);
    sac_net_give(net, n, 1, "bias", size, 0, SAC_NET_ZEROS, 0, true);
    return n->out;
}
