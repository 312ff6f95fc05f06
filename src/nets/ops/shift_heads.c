#include <math.h>
#include <string.h>

#include "base/error.h"
#include "nets/ops/places.h"

/// Heads that look at places whatever is there: A [H, N, N] = softmax_j(T[h][p_i - p_j]) is the same for all pictures,
/// so it is computed once a step, and out [N, H C] are products of it with the tokens. The table T of a head is one of
///
///     quadratic, isotropic   -(s |d - mu|)^2 / 2                       mu [H, 2], s [H]
///     quadratic              -|R (d - mu)|^2 / 2                       mu [H, 2], R [H, 2, 2]
///     relative               v . (rows[d_1], columns[d_2])             v [H, 2 E], rows [2 R - 1, E], columns
///
/// over differences d = p_i - p_j in tokens: article, eq. 4, 7 and 8.

typedef struct shared
{
    float *weights, *tables, *dtables, *dweights; // [H, N, N], [H, down, right] twice, [H, N, N]
} shared;

static size_t table_size(const net_grid *g)
{
    return (size_t)g->down * (size_t)g->right;
}

static shared shared_of(const net_pass *p, const net_node *n)
{
    const net_grid g = net_grid_of(net_shape_in(p, n, 0));
    const size_t heads = (size_t)n->heads.heads, all = heads * (size_t)g.tokens * (size_t)g.tokens;
    float *at = net_shared(p, n);
    return (shared){at, at + all, at + all + heads * table_size(&g), at + all + 2 * heads * table_size(&g)};
}

static void difference_at(const net_grid *g, int index, float d[2])
{
    d[0] = (float)(index / g->right - (g->rows - 1));
    d[1] = (float)(index % g->right - (g->columns - 1));
}

// --- tables from parameters ---

static void quadratic_table(float *out, const net_grid *g, const float *centre, const float *root, bool isotropic)
{
    for (int i = 0; i < g->down * g->right; i++)
    {
        float d[2];
        difference_at(g, i, d);
        d[0] -= centre[0], d[1] -= centre[1];
        const float a = isotropic ? root[0] * d[0] : root[0] * d[0] + root[1] * d[1];
        const float b = isotropic ? root[0] * d[1] : root[2] * d[0] + root[3] * d[1];
        out[i] = -0.5f * (a * a + b * b);
    }
}

static void quadratic_back(const float *dtable, const net_grid *g, const float *centre, const float *root,
                           bool isotropic, float *dcentre, float *droot)
{
    // unit matrix times s, where it is isotropic
    const float r[4] = {root[0], isotropic ? 0 : root[1], isotropic ? 0 : root[2], isotropic ? root[0] : root[3]};
    double sums[6] = {0};
    for (int i = 0; i < g->down * g->right; i++)
    {
        float d[2];
        difference_at(g, i, d);
        d[0] -= centre[0], d[1] -= centre[1];
        // gradient of -(a^2 + b^2) / 2 with respect to a and b, and from there to R and mu
        const float a = r[0] * d[0] + r[1] * d[1], b = r[2] * d[0] + r[3] * d[1];
        const double da = -(double)dtable[i] * (double)a, db = -(double)dtable[i] * (double)b;
        sums[0] -= da * (double)r[0] + db * (double)r[2];
        sums[1] -= da * (double)r[1] + db * (double)r[3];
        sums[2] += da * (double)d[0];
        sums[3] += da * (double)d[1];
        sums[4] += db * (double)d[0];
        sums[5] += db * (double)d[1];
    }
    dcentre[0] += (float)sums[0];
    dcentre[1] += (float)sums[1];
    if (isotropic)
        droot[0] += (float)(sums[2] + sums[5]);
    else
        for (int k = 0; k < 4; k++) droot[k] += (float)sums[2 + k];
}

static float dot(const float *a, const float *b, int size)
{
    float sum = 0;
    for (int i = 0; i < size; i++) sum += a[i] * b[i];
    return sum;
}

// v [2 E], rows [down, E], columns [right, E]
static void relative_table(float *out, const net_grid *g, const float *v, const float *rows, const float *columns,
                           int size)
{
    for (int y = 0; y < g->down; y++)
    {
        const float row = dot(v, rows + (ptrdiff_t)y * size, size);
        for (int x = 0; x < g->right; x++)
            out[y * g->right + x] = row + dot(v + size, columns + (ptrdiff_t)x * size, size);
    }
}

static void add_scaled(float *out, const float *x, float factor, int size)
{
    for (int i = 0; i < size; i++) out[i] += factor * x[i];
}

static void relative_back(const float *dtable, const net_grid *g, const float *v, const float *rows,
                          const float *columns, int size, float *dv, float *drows, float *dcolumns)
{
    for (int y = 0; y < g->down; y++)
    {
        float sum = 0;
        for (int x = 0; x < g->right; x++) sum += dtable[y * g->right + x];
        add_scaled(dv, rows + (ptrdiff_t)y * size, sum, size);
        add_scaled(drows + (ptrdiff_t)y * size, v, sum, size);
    }
    for (int x = 0; x < g->right; x++)
    {
        float sum = 0;
        for (int y = 0; y < g->down; y++) sum += dtable[y * g->right + x];
        add_scaled(dv + size, columns + (ptrdiff_t)x * size, sum, size);
        add_scaled(dcolumns + (ptrdiff_t)x * size, v + size, sum, size);
    }
}

static int root_size(const net_node *n)
{
    return n->heads.encoding == NET_QUADRATIC ? 4 : 1;
}

static void make_table(const net_pass *p, const net_node *n, const net_grid *g, int head, float *out)
{
    const int size = n->heads.size, root = root_size(n);
    if (n->heads.encoding == NET_RELATIVE)
        relative_table(out, g, net_tensor(p, n, 0) + (ptrdiff_t)head * 2 * size, net_tensor(p, n, 1),
                       net_tensor(p, n, 2), size);
    else
        quadratic_table(out, g, net_tensor(p, n, 0) + 2 * head, net_tensor(p, n, 1) + (ptrdiff_t)root * head,
                        root == 1);
}

static float *sum_tensor(const net_pass *p, const net_node *n, int i)
{
    return p->sum + p->net->tensors[n->tensors[i]].first;
}

static void table_back(const net_pass *p, const net_node *n, const net_grid *g, int head, const float *dtable)
{
    const int size = n->heads.size, root = root_size(n);
    if (n->heads.encoding == NET_RELATIVE)
        relative_back(dtable, g, net_tensor(p, n, 0) + (ptrdiff_t)head * 2 * size, net_tensor(p, n, 1),
                      net_tensor(p, n, 2), size, sum_tensor(p, n, 0) + (ptrdiff_t)head * 2 * size, sum_tensor(p, n, 1),
                      sum_tensor(p, n, 2));
    else
        quadratic_back(dtable, g, net_tensor(p, n, 0) + 2 * head, net_tensor(p, n, 1) + (ptrdiff_t)root * head,
                       root == 1, sum_tensor(p, n, 0) + 2 * head, sum_tensor(p, n, 1) + (ptrdiff_t)root * head);
}

// --- the node ---

static void prepare(const net_pass *p, const net_node *n)
{
    const net_grid g = net_grid_of(net_shape_in(p, n, 0));
    const shared s = shared_of(p, n);
    const sac_learn *l = &p->tables[0];
    for (int h = 0; h < n->heads.heads; h++)
    {
        float *weights = s.weights + (ptrdiff_t)h * g.tokens * g.tokens;
        float *table = s.tables + (size_t)h * table_size(&g);
        make_table(p, n, &g, h, table);
        for (int i = 0; i < g.tokens; i++) net_grid_look(&g, weights + (ptrdiff_t)i * g.tokens, table, i);
        l->softmax_forward(l, weights, weights, g.tokens, g.tokens);
    }
}

static void forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *in = net_shape_in(p, n, 0);
    const int tokens = net_tokens(in), size = in->channels, heads = n->heads.heads, row = heads * size;
    const shared s = shared_of(p, n);
    const sac_learn *l = &p->tables[part->thread];
    const float *x = net_value(p, n->in[0], part);
    float *out = net_value(p, n->out, part);
    for (int i = 0; i < part->count; i++, x += net_size(in), out += (size_t)tokens * (size_t)row)
        for (int h = 0; h < heads; h++)
            net_product(l, out + (ptrdiff_t)h * size, row, s.weights + (ptrdiff_t)h * tokens * tokens, tokens, 1, x,
                        size, 1, tokens, tokens, size, false);
}

static void backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *in = net_shape_in(p, n, 0);
    const int tokens = net_tokens(in), size = in->channels, heads = n->heads.heads, row = heads * size;
    const ptrdiff_t all = (ptrdiff_t)tokens * tokens;
    const shared s = shared_of(p, n);
    const sac_learn *l = &p->tables[part->thread];
    const float *x = net_value(p, n->in[0], part), *dout = net_gradient(p, n->out, part);
    float *dx = net_gradient(p, n->in[0], part), *dweights = net_sliced(p, n, part->index);
    for (int i = 0; i < part->count; i++, x += net_size(in), dout += (size_t)tokens * (size_t)row)
    {
        for (int h = 0; h < heads; h++)
        {
            const float *dhead = dout + (ptrdiff_t)h * size;
            // out_h = A_h x
            net_product(l, dweights + h * all, tokens, dhead, row, 1, x, 1, size, tokens, size, tokens, true);
            if (dx)
                net_product(l, dx, size, s.weights + h * all, 1, tokens, dhead, row, 1, tokens, tokens, size,
                            h > 0 || n->add[0]);
        }
        if (dx) dx += net_size(in);
    }
}

static void finish(const net_pass *p, const net_node *n)
{
    const net_grid g = net_grid_of(net_shape_in(p, n, 0));
    const shared s = shared_of(p, n);
    const sac_learn *l = &p->tables[0];
    const size_t all = (size_t)n->heads.heads * (size_t)g.tokens * (size_t)g.tokens;
    memset(s.dweights, 0, all * sizeof *s.dweights);
    for (int i = 0; i < p->slices; i++) l->add(l, s.dweights, net_sliced(p, n, i), all);
    l->softmax_backward(l, s.dweights, s.dweights, s.weights, n->heads.heads * g.tokens, g.tokens);
    memset(s.dtables, 0, (size_t)n->heads.heads * table_size(&g) * sizeof *s.dtables);
    for (int h = 0; h < n->heads.heads; h++)
    {
        float *dtable = s.dtables + (size_t)h * table_size(&g);
        for (int i = 0; i < g.tokens; i++)
            net_grid_look_back(&g, dtable, s.dweights + ((ptrdiff_t)h * g.tokens + i) * g.tokens, i);
        table_back(p, n, &g, h, dtable);
    }
}

static const net_op op = {
    .name = "shift heads", .prepare = prepare, .forward = forward, .backward = backward, .finish = finish};

int net_shift_heads(sac_net *net, const char *name, int x, int heads, net_encoding encoding, int size)
{
    const sac_net_shape in = net->values[x];
    const net_grid g = net_grid_of(&in);
    net_node *n = net_add(net, &op, name, x, NET_NONE, (sac_net_shape){in.rows, in.columns, heads * in.channels});
    const size_t all = (size_t)heads * (size_t)g.tokens * (size_t)g.tokens;
    SAC_ASSERT(encoding <= NET_RELATIVE);
    n->heads.heads = heads;
    n->heads.encoding = encoding;
    n->heads.size = size;
    n->shared = 2 * all + 2 * (size_t)heads * table_size(&g);
    n->sliced = all * sizeof(float);
    if (encoding == NET_RELATIVE)
    {
        net_give(net, n, 0, "vectors", heads, 2 * size, SAC_NET_NORMAL, 1, false);
        net_give(net, n, 1, "rows", g.down, size, SAC_NET_NORMAL, 1 / sqrt(size), false);
        net_give(net, n, 2, "columns", g.right, size, SAC_NET_NORMAL, 1 / sqrt(size), false);
        return n->out;
    }
    // as the authors' code draws them: centres two tokens away, spreads of one token
    net_give(net, n, 0, "centres", heads, 2, SAC_NET_NORMAL, 2, false);
    if (encoding == NET_QUADRATIC)
        net_give(net, n, 1, "roots", heads, 4, SAC_NET_ROOTS, 0.01, false);
    else
        net_give(net, n, 1, "spreads", heads, 0, SAC_NET_ONES, 0, false);
    return n->out;
}
