#include <string.h>

#include "base/error.h"
#include "nets/node.h"

/// Nodes that take each token for itself, and the mean of all.

// where a sample's gradient of an input goes: in place, or into the workspace where it is added afterwards
static float *place_of(const net_pass *p, const net_node *n, int in, const sac_slice *part, int sample)
{
    float *gradient = net_gradient(p, n->in[in], part);
    if (!gradient) return NULL;
    if (n->add[in]) return p->workspaces[part->thread];
    return gradient + (size_t)sample * net_size(net_shape_in(p, n, in));
}

static void add_place(const net_pass *p, const net_node *n, int in, const sac_slice *part, int sample)
{
    const sac_learn *l = &p->tables[part->thread];
    const size_t size = net_size(net_shape_in(p, n, in));
    if (n->add[in])
        l->add(l, net_gradient(p, n->in[in], part) + (size_t)sample * size, p->workspaces[part->thread], size);
}

// the gradient of a slice's input is that of its output
static void pass_on(const net_pass *p, const net_node *n, int in, const sac_slice *part, const float *dout)
{
    float *gradient = net_gradient(p, n->in[in], part);
    const sac_learn *l = &p->tables[part->thread];
    const size_t count = (size_t)part->count * net_size(net_shape_in(p, n, in));
    if (!gradient) return;
    if (n->add[in])
        l->add(l, gradient, dout, count);
    else
        memcpy(gradient, dout, count * sizeof *gradient);
}

// A sum over very many rows is made in blocks, because a total to which small numbers are added one after the other
// rounds each of them by its own size: over 1,122 tokens, whose gradients behind a mean are all alike, biases were off
// by 2e-4 of themselves.
enum
{
    BLOCK = 256 ///< rows; fewer are added as they come
};

// --- linear layers ---

static void linear_forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_net_shape *in = net_shape_in(p, n, 0);
    l->linear_forward(l, net_value(p, n->out, part), net_value(p, n->in[0], part), net_tensor(p, n, 0),
                      n->linear.bias ? net_tensor(p, n, 1) : NULL, part->count * net_tokens(in), in->channels,
                      n->linear.outputs, SAC_ACTIVATION_NONE);
}

static void bias_backward(const net_pass *p, const net_node *n, const sac_slice *part, const float *dout, int rows)
{
    const sac_learn *l = &p->tables[part->thread];
    const int outputs = n->linear.outputs;
    float *dbias = net_slice_gradient(p, n, 1, part), *sum = p->workspaces[part->thread];
    for (int first = 0, count; first < rows; first += count)
    {
        count = rows - first < BLOCK ? rows - first : BLOCK;
        memset(sum, 0, (size_t)outputs * sizeof *sum);
        l->linear_backward(l, NULL, NULL, sum, dout + (size_t)first * (size_t)outputs, NULL, NULL, count, 0, outputs);
        l->add(l, dbias, sum, (size_t)outputs);
    }
}

static void linear_backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_net_shape *in = net_shape_in(p, n, 0);
    const float *dout = net_gradient(p, n->out, part), *weights = net_tensor(p, n, 0);
    float *dx = net_gradient(p, n->in[0], part);
    const int rows = part->count * net_tokens(in), inputs = in->channels, outputs = n->linear.outputs;
    const bool blocks = net_tokens(in) > BLOCK;
    l->linear_backward(l, n->add[0] ? NULL : dx, net_slice_gradient(p, n, 0, part),
                       n->linear.bias && !blocks ? net_slice_gradient(p, n, 1, part) : NULL, dout,
                       net_value(p, n->in[0], part), weights, rows, inputs, outputs);
    if (n->linear.bias && blocks) bias_backward(p, n, part, dout, rows);
    if (!dx || !n->add[0]) return;
    l->gemm(&(sac_gemm){.rows = rows,
                        .columns = inputs,
                        .inner = outputs,
                        .a = dout,
                        .a_row = outputs,
                        .a_column = 1,
                        .b = weights,
                        .b_row = inputs,
                        .b_column = 1,
                        .out = dx,
                        .out_row = inputs,
                        .add = true},
            l->scratch);
}

static const net_op linear_op = {.name = "linear", .forward = linear_forward, .backward = linear_backward};

int sac_net_linear(sac_net *net, const char *name, int x, int outputs, bool bias, double spread)
{
    const sac_net_shape in = net->values[x];
    net_node *n = sac_net_add(net, &linear_op, name, x, NET_NONE, (sac_net_shape){in.rows, in.columns, outputs});
    n->linear.outputs = outputs;
    n->linear.bias = bias;
    n->workspace = (size_t)outputs;
    sac_net_give(net, n, 0, "weight", outputs, in.channels, SAC_NET_NORMAL, spread, true);
    if (bias) sac_net_give(net, n, 1, "bias", outputs, 0, SAC_NET_ZEROS, 0, true);
    return n->out;
}

// --- GELU ---

static void gelu_forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    l->curve_forward(l, net_value(p, n->out, part), net_value(p, n->in[0], part), SAC_CURVE_GELU,
                     (size_t)part->count * net_size(net_shape_out(p, n)));
}

static void gelu_backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    SAC_ASSERT(!n->add[0]);
    l->curve_backward(l, net_gradient(p, n->in[0], part), net_gradient(p, n->out, part), net_value(p, n->in[0], part),
                      SAC_CURVE_GELU, (size_t)part->count * net_size(net_shape_out(p, n)));
}

static const net_op gelu_op = {.name = "gelu", .forward = gelu_forward, .backward = gelu_backward};

int sac_net_gelu(sac_net *net, const char *name, int x)
{
    return sac_net_add(net, &gelu_op, name, x, NET_NONE, net->values[x])->out;
}

// --- layer norm, of a sum where something stands beside ---

static void layer_norm_forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_net_shape *s = net_shape_out(p, n);
    const size_t size = net_size(s);
    const float *x = net_value(p, n->in[0], part);
    float *kept = net_kept(p, n, part);
    for (int i = 0; i < part->count; i++, kept += n->kept)
    {
        const float *sum = x + (size_t)i * size;
        if (n->in[1] != NET_NONE)
        {
            float *both = kept + 2 * net_tokens(s);
            memcpy(both, sum, size * sizeof *both);
            l->add(l, both, net_value(p, n->in[1], part) + (size_t)i * size, size);
            sum = both;
        }
        l->norm_forward(l, net_value(p, n->out, part) + (size_t)i * size, kept, sum, net_tensor(p, n, 0),
                        net_tensor(p, n, 1), n->layer_norm.epsilon, net_tokens(s), s->channels);
    }
}

// the gradients of a sample: dx [N, C] or NULL, and those of gain and shift added
static void norm_sample(const net_pass *p, const net_node *n, const sac_slice *part, float *dx, const float *dout,
                        const float *x, const float *kept)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_net_shape *s = net_shape_out(p, n);
    const int tokens = net_tokens(s), size = s->channels;
    float *dgain = net_slice_gradient(p, n, 0, part), *dshift = net_slice_gradient(p, n, 1, part);
    float *sums = p->workspaces[part->thread] + net_size(s);
    if (tokens <= BLOCK)
    {
        l->norm_backward(l, dx, dgain, dshift, dout, x, kept, net_tensor(p, n, 0), tokens, size);
        return;
    }
    for (int first = 0, count; first < tokens; first += count)
    {
        const size_t at = (size_t)first * (size_t)size;
        count = tokens - first < BLOCK ? tokens - first : BLOCK;
        memset(sums, 0, 2 * (size_t)size * sizeof *sums);
        l->norm_backward(l, dx ? dx + at : NULL, sums, sums + size, dout + at, x + at, kept + 2 * first,
                         net_tensor(p, n, 0), count, size);
        l->add(l, dgain, sums, (size_t)size);
        l->add(l, dshift, sums + size, (size_t)size);
    }
}

static void layer_norm_backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const sac_net_shape *s = net_shape_out(p, n);
    const size_t size = net_size(s);
    const bool two = n->in[1] != NET_NONE;
    float *kept = net_kept(p, n, part), *work = p->workspaces[part->thread];
    for (int i = 0; i < part->count; i++, kept += n->kept)
    {
        const float *sum = two ? kept + 2 * net_tokens(s) : net_value(p, n->in[0], part) + (size_t)i * size;
        float *dx = two ? work : place_of(p, n, 0, part, i);
        norm_sample(p, n, part, dx, net_gradient(p, n->out, part) + (size_t)i * size, sum, kept);
        for (int in = 0; two && in < 2; in++)
        {
            float *to = net_gradient(p, n->in[in], part);
            if (!to) continue;
            to += (size_t)i * size;
            if (n->add[in])
                l->add(l, to, work, size);
            else
                memcpy(to, work, size * sizeof *to);
        }
        if (!two) add_place(p, n, 0, part, i);
    }
}

static const net_op layer_norm_op = {
    .name = "layer norm", .forward = layer_norm_forward, .backward = layer_norm_backward};

int sac_net_layer_norm(sac_net *net, const char *name, int x, int beside, double epsilon)
{
    net_node *n = sac_net_add(net, &layer_norm_op, name, x, beside, net->values[x]);
    const sac_net_shape *s = &net->values[x];
    n->layer_norm.epsilon = (float)epsilon;
    n->kept = 2 * (size_t)net_tokens(s) + (beside == NET_NONE ? 0 : net_size(s));
    n->workspace = net_size(s) + 2 * (size_t)s->channels;
    sac_net_give(net, n, 0, "weight", s->channels, 0, SAC_NET_ONES, 0, true);
    sac_net_give(net, n, 1, "bias", s->channels, 0, SAC_NET_ZEROS, 0, true);
    return n->out;
}

// --- sums ---

static void sum_forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const size_t count = (size_t)part->count * net_size(net_shape_out(p, n));
    float *out = net_value(p, n->out, part);
    memcpy(out, net_value(p, n->in[0], part), count * sizeof *out);
    l->add(l, out, net_value(p, n->in[1], part), count);
}

static void sum_backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const float *dout = net_gradient(p, n->out, part);
    for (int in = 0; in < 2; in++) pass_on(p, n, in, part, dout);
}

static const net_op sum_op = {.name = "sum", .forward = sum_forward, .backward = sum_backward};

int sac_net_sum(sac_net *net, const char *name, int x, int beside)
{
    return sac_net_add(net, &sum_op, name, x, beside, net->values[x])->out;
}

// --- a vector for each place ---

static void places_forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const size_t size = net_size(net_shape_out(p, n));
    float *out = net_value(p, n->out, part);
    memcpy(out, net_value(p, n->in[0], part), (size_t)part->count * size * sizeof *out);
    for (int i = 0; i < part->count; i++) l->add(l, out + (size_t)i * size, net_tensor(p, n, 0), size);
}

static void places_backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_learn *l = &p->tables[part->thread];
    const size_t size = net_size(net_shape_out(p, n));
    const float *dout = net_gradient(p, n->out, part);
    pass_on(p, n, 0, part, dout);
    for (int i = 0; i < part->count; i++) l->add(l, net_slice_gradient(p, n, 0, part), dout + (size_t)i * size, size);
}

static const net_op places_op = {.name = "places", .forward = places_forward, .backward = places_backward};

int sac_net_places(sac_net *net, const char *name, int x)
{
    net_node *n = sac_net_add(net, &places_op, name, x, NET_NONE, net->values[x]);
    const sac_net_shape *s = &net->values[x];
    sac_net_give(net, n, 0, "weight", net_tokens(s), s->channels, SAC_NET_NORMAL, 0.02, false);
    return n->out;
}

// --- the mean of all tokens ---

static void mean_forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *s = net_shape_in(p, n, 0);
    const float *x = net_value(p, n->in[0], part);
    float *out = net_value(p, n->out, part);
    const int tokens = net_tokens(s), size = s->channels;
    const float share = 1.0f / (float)tokens;
    for (int i = 0; i < part->count; i++, out += size)
    {
        memset(out, 0, (size_t)size * sizeof *out);
        for (int t = 0; t < tokens; t++, x += size)
            for (int c = 0; c < size; c++) out[c] += x[c];
        for (int c = 0; c < size; c++) out[c] *= share;
    }
}

static void mean_backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *s = net_shape_in(p, n, 0);
    const float *dout = net_gradient(p, n->out, part);
    float *dx = net_gradient(p, n->in[0], part);
    const int tokens = net_tokens(s), size = s->channels;
    const float share = 1.0f / (float)tokens;
    SAC_ASSERT(!n->add[0]);
    for (int i = 0; i < part->count; i++, dout += size)
        for (int t = 0; t < tokens; t++, dx += size)
            for (int c = 0; c < size; c++) dx[c] = share * dout[c];
}

static const net_op mean_op = {.name = "mean", .forward = mean_forward, .backward = mean_backward};

int sac_net_mean(sac_net *net, const char *name, int x)
{
    return sac_net_add(net, &mean_op, name, x, NET_NONE, (sac_net_shape){1, 1, net->values[x].channels})->out;
}

// --- blocks of pixels become tokens ---

static void blocks_forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *in = net_shape_in(p, n, 0), *s = net_shape_out(p, n);
    const int side = n->blocks.side, line = side * in->channels;
    const float *x = net_value(p, n->in[0], part);
    float *out = net_value(p, n->out, part);
    for (int i = 0; i < part->count; i++, x += net_size(in))
        for (int row = 0; row < s->rows; row++)
            for (int column = 0; column < s->columns; column++)
                for (int y = 0; y < side; y++, out += line)
                    memcpy(out, x + ((ptrdiff_t)(row * side + y) * in->columns + column * side) * in->channels,
                           (size_t)line * sizeof *out);
}

static const net_op blocks_op = {.name = "blocks", .forward = blocks_forward};

int sac_net_blocks(sac_net *net, const char *name, int x, int side)
{
    const sac_net_shape in = net->values[x];
    SAC_ASSERT(x == 0); // a picture has no gradient
    if (in.rows % side || in.columns % side)
        sac_net_fail(net, sac_fail(SAC_ERROR_ARGUMENT, "net.patch is %d, which does not divide pictures of %d x %d",
                                   side, in.rows, in.columns));
    net_node *n = sac_net_add(net, &blocks_op, name, x, NET_NONE,
                              (sac_net_shape){in.rows / side, in.columns / side, side * side * in.channels});
    n->blocks.side = side;
    return n->out;
}
