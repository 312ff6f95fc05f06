#include <math.h>
#include <string.h>

#include "base/error.h"
#include "nets/node.h"

/// Attention of a transformer's layer over [queries keys values], each [N, H D], exact or linear: softmax(q k^T /
/// sqrt(D)) v, or phi(q) (phi(k)^T v) / (phi(q) . sum phi(k)) in time linear in N. Queries and keys of maps that stand
/// for the kernel of softmax are divided by the fourth root of D first, so that their product is what softmax takes.

static const float epsilon = 1e-6f; // beside the sum of features

static sac_map_side side_of(const net_pass *p, const net_node *n)
{
    return (sac_map_side){.phi = n->attention.phi,
                          .count = n->attention.features ? n->attention.features : n->attention.attend.size,
                          .size = n->attention.attend.size,
                          .matrix = p && n->attention.features ? net_tensor(p, n, 0) : NULL};
}

// queries and keys of a sample, scaled, in the workspace: [N, 2 H D]
static void scale_tokens(float *out, const float *x, int tokens, int size, float factor)
{
    for (int i = 0; i < tokens; i++, x += 3 * size, out += 3 * size)
    {
        for (int c = 0; c < 2 * size; c++) out[c] = factor * x[c];
        memcpy(out + 2 * size, x + 2 * size, (size_t)size * sizeof *out);
    }
}

static float factor_of(const net_node *n)
{
    return 1.0f / sqrtf(sqrtf((float)n->attention.attend.size));
}

static void forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *s = net_shape_out(p, n);
    const sac_attend *a = &n->attention.attend;
    const sac_learn *l = &p->tables[part->thread];
    const sac_map_side side = side_of(p, n);
    const int tokens = net_tokens(s), size = s->channels;
    float *work = p->workspaces[part->thread];
    for (int i = 0; i < part->count; i++)
    {
        const float *x = net_value(p, n->in[0], part) + (size_t)i * 3 * net_size(s);
        float *out = net_value(p, n->out, part) + (size_t)i * net_size(s);
        float *kept = net_kept(p, n, part) + (size_t)i * n->kept;
        if (!n->attention.linear)
        {
            l->attend_forward(l, a, out, kept, x, x + size, x + 2 * size, work);
            continue;
        }
        scale_tokens(work, x, tokens, size, factor_of(n));
        l->attend_linear_forward(l, a, &side, &side, epsilon, out, kept, work, work + size, work + 2 * size,
                                 work + 3 * net_size(s));
    }
}

static void backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *s = net_shape_out(p, n);
    const sac_attend *a = &n->attention.attend;
    const sac_learn *l = &p->tables[part->thread];
    const sac_map_side side = side_of(p, n);
    const sac_map_gradients gradients = {.matrix = n->attention.features ? net_slice_gradient(p, n, 0, part) : NULL};
    const int tokens = net_tokens(s), size = s->channels;
    float *work = p->workspaces[part->thread];
    SAC_ASSERT(!n->add[0]);
    for (int i = 0; i < part->count; i++)
    {
        const float *x = net_value(p, n->in[0], part) + (size_t)i * 3 * net_size(s);
        const float *out = net_value(p, n->out, part) + (size_t)i * net_size(s);
        const float *dout = net_gradient(p, n->out, part) + (size_t)i * net_size(s);
        const float *kept = net_kept(p, n, part) + (size_t)i * n->kept;
        float *dx = net_gradient(p, n->in[0], part) + (size_t)i * 3 * net_size(s);
        if (!n->attention.linear)
        {
            l->attend_backward(l, a, dx, dx + size, dx + 2 * size, dout, out, kept, x, x + size, x + 2 * size, work);
            continue;
        }
        scale_tokens(work, x, tokens, size, factor_of(n));
        l->attend_linear_backward(l, a, &side, &side, dx, dx + size, dx + 2 * size, &gradients, &gradients, dout, out,
                                  kept, work, work + size, work + 2 * size, work + 3 * net_size(s));
        scale_tokens(dx, dx, tokens, size, factor_of(n));
    }
}

static const net_op op = {.name = "attention", .forward = forward, .backward = backward};

static const struct
{
    const char *name;
    enum sac_phi phi;
    bool mapped; // by a matrix
} maps[] = {{"relu", SAC_PHI_RELU, false},    {"relu-mapped", SAC_PHI_RELU, true},  {"exp", SAC_PHI_EXP, true},
            {"square", SAC_PHI_SQUARE, true}, {"positive", SAC_PHI_POSITIVE, true}, {"trig", SAC_PHI_TRIG, true}};

int sac_net_attention(sac_net *net, const char *name, int x, int heads, const char *attention, int features)
{
    const sac_net_shape in = net->values[x];
    const int size = in.channels / 3, each = size / heads, tokens = net_tokens(&in);
    net_node *n = sac_net_add(net, &op, name, x, NET_NONE, (sac_net_shape){in.rows, in.columns, size});
    if (size % heads)
        sac_net_fail(net, sac_fail(SAC_ERROR_ARGUMENT, "net.width is %d, which %d heads do not divide", size, heads));
    sac_attend *a = &n->attention.attend;
    *a = (sac_attend){heads,
                      tokens,
                      tokens,
                      each,
                      each,
                      3 * (ptrdiff_t)size,
                      3 * (ptrdiff_t)size,
                      3 * (ptrdiff_t)size,
                      size,
                      1.0f / sqrtf((float)each)};
    if (strcmp(attention, "softmax") == 0)
    {
        n->kept = sac_attend_kept(a);
        n->workspace = sac_attend_workspace(a);
        return n->out;
    }
    n->attention.linear = true;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (strcmp(maps[i].name, attention) == 0)
        {
            n->attention.phi = maps[i].phi;
            n->attention.features = maps[i].mapped ? features : 0;
        }
    const sac_map_side side = side_of(NULL, n);
    n->kept = sac_attend_linear_kept(a, &side, &side);
    n->workspace = sac_attend_linear_workspace(a, &side, &side) + 3 * (size_t)tokens * (size_t)size;
    if (n->attention.features) sac_net_give(net, n, 0, "matrix", features, each, SAC_NET_NORMAL, 1, false);
    return n->out;
}
