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
    float *weights, *dweights; // [H, N, N]
    float *tables, *dtables;   // [H, down, right]
    float *roots, *droots;     // [H, 2, 2], where spreads stand for them
} shared;

static sac_place_heads heads_of(const net_node *n, const sac_net_shape *s)
{
    return (sac_place_heads){n->heads.heads, s->rows, s->columns};
}

static shared shared_of(const net_pass *p, const net_node *n)
{
    const sac_net_shape *s = net_shape_in(p, n, 0);
    const sac_place_heads g = heads_of(n, s);
    const size_t tables = sac_place_heads_tables(&g), heads = (size_t)g.heads;
    const size_t all = heads * (size_t)net_tokens(s) * (size_t)net_tokens(s);
    shared h = {.weights = net_shared(p, n)};
    h.dweights = h.weights + all;
    h.tables = h.dweights + all;
    h.dtables = h.tables + tables;
    h.roots = h.dtables + tables;
    h.droots = h.roots + 4 * heads;
    return h;
}

// --- tables of embeddings ---

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

static float *sum_tensor(const net_pass *p, const net_node *n, int i)
{
    return p->sum + p->net->tensors[n->tensors[i]].first;
}

// the roots of the precisions: s 1 where heads are isotropic
static const float *roots_of(const net_pass *p, const net_node *n, const shared *s)
{
    const float *given = net_tensor(p, n, 1);
    if (n->heads.encoding == NET_QUADRATIC) return given;
    for (int i = 0; i < 4 * n->heads.heads; i++) s->roots[i] = i % 4 == 0 || i % 4 == 3 ? given[i / 4] : 0;
    return s->roots;
}

// --- the node ---

static void prepare(const net_pass *p, const net_node *n)
{
    const sac_net_shape *in = net_shape_in(p, n, 0);
    const net_grid g = net_grid_of(in);
    const sac_place_heads heads = heads_of(n, in);
    const shared s = shared_of(p, n);
    const sac_learn *l = &p->tables[0];
    if (n->heads.encoding != NET_RELATIVE)
        l->gaussian_forward(l, &heads, s.tables, net_tensor(p, n, 0), roots_of(p, n, &s));
    else
        for (int h = 0; h < heads.heads; h++)
            relative_table(s.tables + (ptrdiff_t)h * g.down * g.right, &g,
                           net_tensor(p, n, 0) + (ptrdiff_t)h * 2 * n->heads.size, net_tensor(p, n, 1),
                           net_tensor(p, n, 2), n->heads.size);
    l->place_heads_forward(l, &heads, s.weights, s.tables);
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

static void tables_back(const net_pass *p, const net_node *n, const shared *s)
{
    const sac_net_shape *in = net_shape_in(p, n, 0);
    const net_grid g = net_grid_of(in);
    const sac_place_heads heads = heads_of(n, in);
    const sac_learn *l = &p->tables[0];
    if (n->heads.encoding == NET_RELATIVE)
    {
        for (int h = 0; h < heads.heads; h++)
            relative_back(s->dtables + (ptrdiff_t)h * g.down * g.right, &g,
                          net_tensor(p, n, 0) + (ptrdiff_t)h * 2 * n->heads.size, net_tensor(p, n, 1),
                          net_tensor(p, n, 2), n->heads.size, sum_tensor(p, n, 0) + (ptrdiff_t)h * 2 * n->heads.size,
                          sum_tensor(p, n, 1), sum_tensor(p, n, 2));
        return;
    }
    const bool isotropic = n->heads.encoding == NET_QUADRATIC_ISOTROPIC;
    float *droots = isotropic ? s->droots : sum_tensor(p, n, 1);
    memset(s->droots, 0, 4 * (size_t)heads.heads * sizeof *s->droots);
    l->gaussian_backward(l, &heads, sum_tensor(p, n, 0), droots, s->dtables, net_tensor(p, n, 0), roots_of(p, n, s));
    for (int h = 0; isotropic && h < heads.heads; h++)
        sum_tensor(p, n, 1)[h] += s->droots[4 * h] + s->droots[4 * h + 3];
}

static void finish(const net_pass *p, const net_node *n)
{
    const sac_net_shape *in = net_shape_in(p, n, 0);
    const sac_place_heads heads = heads_of(n, in);
    const shared s = shared_of(p, n);
    const sac_learn *l = &p->tables[0];
    const size_t all = (size_t)heads.heads * (size_t)net_tokens(in) * (size_t)net_tokens(in);
    memset(s.dweights, 0, all * sizeof *s.dweights);
    for (int i = 0; i < p->slices; i++) l->add(l, s.dweights, net_sliced(p, n, i), all);
    memset(s.dtables, 0, sac_place_heads_tables(&heads) * sizeof *s.dtables);
    l->place_heads_backward(l, &heads, s.dtables, s.dweights, s.weights);
    tables_back(p, n, &s);
}

static const net_op op = {
    .name = "shift heads", .prepare = prepare, .forward = forward, .backward = backward, .finish = finish};

int sac_net_shift_heads(sac_net *net, const char *name, int x, int heads, net_encoding encoding, int size)
{
    const sac_net_shape in = net->values[x];
    const net_grid g = net_grid_of(&in);
    net_node *n = sac_net_add(net, &op, name, x, NET_NONE, (sac_net_shape){in.rows, in.columns, heads * in.channels});
    const size_t all = (size_t)heads * (size_t)g.tokens * (size_t)g.tokens;
    const sac_place_heads of = {heads, in.rows, in.columns};
    SAC_ASSERT(encoding <= NET_RELATIVE);
    n->heads.heads = heads;
    n->heads.encoding = encoding;
    n->heads.size = size;
    n->shared = 2 * all + 2 * sac_place_heads_tables(&of) + 8 * (size_t)heads;
    n->sliced = all * sizeof(float);
    if (encoding == NET_RELATIVE)
    {
        sac_net_give(net, n, 0, "vectors", heads, 2 * size, SAC_NET_NORMAL, 1, false);
        sac_net_give(net, n, 1, "rows", g.down, size, SAC_NET_NORMAL, 1 / sqrt(size), false);
        sac_net_give(net, n, 2, "columns", g.right, size, SAC_NET_NORMAL, 1 / sqrt(size), false);
        return n->out;
    }
    // as the authors' code draws them: centres two tokens away, spreads of one token
    sac_net_give(net, n, 0, "centres", heads, 2, SAC_NET_NORMAL, 2, false);
    if (encoding == NET_QUADRATIC)
        sac_net_give(net, n, 1, "roots", heads, 4, SAC_NET_ROOTS, 0.01, false);
    else
        sac_net_give(net, n, 1, "spreads", heads, 0, SAC_NET_ONES, 0, false);
    return n->out;
}
