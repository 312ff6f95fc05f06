#include <math.h>
#include <string.h>

#include "base/error.h"
#include "nets/ops/places.h"

/// Heads that look at what is there and where it lies: Transformer-XL's four terms (Dai et al. 2019) in two dimensions,
///
///     A_ij = softmax_j(scale (q_i . k_j + q_i . r(p_i - p_j) + u . k_j + v . r(p_i - p_j)))        (a) (b) (c) (d)
///
/// with r(d) = rows[d_1] + columns[d_2] learned, which stands for W_kR R, and scale = 1 / sqrt(D). Relative positions
/// with content are (a) and (d). Queries and keys come as one value [N, 2 H D]; a head gives out_h = A_h x. The rows of
/// A are computed again in backward.

enum
{
    VECTORS, // u and v, [2, H D]
    ROWS,    // [2 R - 1, H D]
    COLUMNS,
};

// what a head of one picture needs; arrays lie in the workspace
typedef struct head
{
    const sac_learn *l;
    net_grid grid;
    int size, pitch; // D, H D
    bool all;        // four terms
    float scale;
    const float *q, *k, *u, *v, *rows, *columns; // of this head; q, k with 2 pitch from token to token
    float *weights, *dweights;                   // [N, N]
    float *content, *place;                      // [N, D]: q + u, and q + v or v
    float *dcontent, *dplace;
    float *down, *right; // [N, 2 R - 1], [N, 2 C - 1]: place . rows, place . columns
} head;

static size_t workspace_of(const net_grid *g, int size)
{
    const size_t n = (size_t)g->tokens;
    return 2 * n * n + 4 * n * (size_t)size + n * (size_t)(g->down + g->right);
}

static head head_of(const net_pass *p, const net_node *n, const sac_slice *part, int sample, int index)
{
    const int size = n->heads.size, pitch = n->heads.heads * size;
    const net_grid g = net_grid_of(net_shape_in(p, n, 0));
    const ptrdiff_t tokens = g.tokens, at = (ptrdiff_t)index * size;
    const float *queries = net_value(p, n->in[1], part) + (ptrdiff_t)sample * tokens * 2 * pitch;
    head h = {.l = &p->tables[part->thread],
              .grid = g,
              .size = size,
              .pitch = pitch,
              .all = n->heads.encoding == NET_TRANSFORMER_XL,
              .scale = 1.0f / sqrtf((float)size),
              .q = queries + at,
              .k = queries + pitch + at,
              .u = net_tensor(p, n, VECTORS) + at,
              .v = net_tensor(p, n, VECTORS) + pitch + at,
              .rows = net_tensor(p, n, ROWS) + at,
              .columns = net_tensor(p, n, COLUMNS) + at,
              .weights = p->workspaces[part->thread]};
    h.dweights = h.weights + tokens * tokens;
    h.content = h.dweights + tokens * tokens;
    h.place = h.content + tokens * size;
    h.dcontent = h.place + tokens * size;
    h.dplace = h.dcontent + tokens * size;
    h.down = h.dplace + tokens * size;
    h.right = h.down + tokens * g.down;
    return h;
}

static void add_places(const net_grid *g, float *logits, const float *down, const float *right, int i)
{
    const int row = i / g->columns, column = i % g->columns;
    for (int y = 0; y < g->rows; y++)
    {
        const float above = down[row - y + g->rows - 1], *line = right + column + g->columns - 1;
        for (int x = 0; x < g->columns; x++) *logits++ += above + line[-x];
    }
}

static void places_back(const net_grid *g, const float *dlogits, float *ddown, float *dright, int i)
{
    const int row = i / g->columns, column = i % g->columns;
    memset(ddown, 0, (size_t)g->down * sizeof *ddown);
    memset(dright, 0, (size_t)g->right * sizeof *dright);
    for (int y = 0; y < g->rows; y++)
    {
        float sum = 0, *line = dright + column + g->columns - 1;
        for (int x = 0; x < g->columns; x++, dlogits++)
        {
            sum += *dlogits;
            line[-x] += *dlogits;
        }
        ddown[row - y + g->rows - 1] = sum;
    }
}

static void look(const head *h)
{
    const int n = h->grid.tokens, size = h->size;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < size; d++)
        {
            const float q = h->q[(ptrdiff_t)i * 2 * h->pitch + d];
            h->content[i * size + d] = h->scale * (h->all ? q + h->u[d] : q);
            h->place[i * size + d] = h->scale * (h->all ? q + h->v[d] : h->v[d]);
        }
    net_product(h->l, h->weights, n, h->content, size, 1, h->k, 1, 2 * h->pitch, n, size, n, false);
    net_product(h->l, h->down, h->grid.down, h->place, size, 1, h->rows, 1, h->pitch, n, size, h->grid.down, false);
    net_product(h->l, h->right, h->grid.right, h->place, size, 1, h->columns, 1, h->pitch, n, size, h->grid.right,
                false);
    for (int i = 0; i < n; i++)
        add_places(&h->grid, h->weights + (ptrdiff_t)i * n, h->down + (ptrdiff_t)i * h->grid.down,
                   h->right + (ptrdiff_t)i * h->grid.right, i);
    h->l->softmax_forward(h->l, h->weights, h->weights, n, n);
}

static void forward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *in = net_shape_in(p, n, 0);
    const int tokens = net_tokens(in), size = in->channels, row = n->heads.heads * size;
    for (int i = 0; i < part->count; i++)
        for (int index = 0; index < n->heads.heads; index++)
        {
            const head h = head_of(p, n, part, i, index);
            float *out = net_value(p, n->out, part) + ((ptrdiff_t)i * tokens * row + (ptrdiff_t)index * size);
            look(&h);
            net_product(h.l, out, row, h.weights, tokens, 1, net_value(p, n->in[0], part) + i * net_size(in), size, 1,
                        tokens, tokens, size, false);
        }
}

// gradients of a head's logits to queries, keys and parameters
static void look_back(const net_pass *p, const net_node *n, const sac_slice *part, const head *h, int sample, int index)
{
    const int tokens = h->grid.tokens, size = h->size, pitch = h->pitch;
    const ptrdiff_t at = (ptrdiff_t)index * size;
    float *dq = net_gradient(p, n->in[1], part) + (ptrdiff_t)sample * tokens * 2 * pitch + at, *dk = dq + pitch;
    float *du = net_slice_gradient(p, n, VECTORS, part) + at, *dv = du + pitch;
    net_product(h->l, h->dcontent, size, h->dweights, tokens, 1, h->k, 2 * pitch, 1, tokens, tokens, size, false);
    net_product(h->l, dk, 2 * pitch, h->dweights, 1, tokens, h->content, size, 1, tokens, tokens, size, false);
    for (int i = 0; i < tokens; i++)
        places_back(&h->grid, h->dweights + (ptrdiff_t)i * tokens, h->down + (ptrdiff_t)i * h->grid.down,
                    h->right + (ptrdiff_t)i * h->grid.right, i);
    net_product(h->l, h->dplace, size, h->down, h->grid.down, 1, h->rows, pitch, 1, tokens, h->grid.down, size, false);
    net_product(h->l, h->dplace, size, h->right, h->grid.right, 1, h->columns, pitch, 1, tokens, h->grid.right, size,
                true);
    net_product(h->l, net_slice_gradient(p, n, ROWS, part) + at, pitch, h->down, 1, h->grid.down, h->place, size, 1,
                h->grid.down, tokens, size, true);
    net_product(h->l, net_slice_gradient(p, n, COLUMNS, part) + at, pitch, h->right, 1, h->grid.right, h->place, size,
                1, h->grid.right, tokens, size, true);
    for (int i = 0; i < tokens; i++)
        for (int d = 0; d < size; d++)
        {
            const float c = h->scale * h->dcontent[i * size + d], r = h->scale * h->dplace[i * size + d];
            dq[(ptrdiff_t)i * 2 * pitch + d] = h->all ? c + r : c;
            if (h->all) du[d] += c;
            dv[d] += r;
        }
}

static void backward(const net_pass *p, const net_node *n, const sac_slice *part)
{
    const sac_net_shape *in = net_shape_in(p, n, 0);
    const int tokens = net_tokens(in), size = in->channels, row = n->heads.heads * size;
    SAC_ASSERT(!n->add[1]);
    for (int i = 0; i < part->count; i++)
        for (int index = 0; index < n->heads.heads; index++)
        {
            const head h = head_of(p, n, part, i, index);
            const float *x = net_value(p, n->in[0], part) + i * net_size(in);
            const float *dout = net_gradient(p, n->out, part) + ((ptrdiff_t)i * tokens * row + (ptrdiff_t)index * size);
            float *dx = net_gradient(p, n->in[0], part) + i * net_size(in);
            look(&h);
            // out_h = A_h x
            net_product(h.l, h.dweights, tokens, dout, row, 1, x, 1, size, tokens, size, tokens, false);
            net_product(h.l, dx, size, h.weights, 1, tokens, dout, row, 1, tokens, tokens, size,
                        index > 0 || n->add[0]);
            h.l->softmax_backward(h.l, h.dweights, h.dweights, h.weights, tokens, tokens);
            look_back(p, n, part, &h, i, index);
        }
}

static const net_op op = {.name = "content heads", .forward = forward, .backward = backward};

int sac_net_content_heads(sac_net *net, const char *name, int x, int queries_keys, int heads, net_encoding encoding,
                          int size)
{
    const sac_net_shape in = net->values[x];
    const net_grid g = net_grid_of(&in);
    net_node *n =
        sac_net_add(net, &op, name, x, queries_keys, (sac_net_shape){in.rows, in.columns, heads * in.channels});
    SAC_ASSERT(net->values[queries_keys].channels == 2 * heads * size);
    n->heads.heads = heads;
    n->heads.encoding = encoding;
    n->heads.size = size;
    n->workspace = workspace_of(&g, size);
    sac_net_give(net, n, VECTORS, "vectors", 2, heads * size, SAC_NET_NORMAL, 1, false);
    sac_net_give(net, n, ROWS, "rows", g.down, heads * size, SAC_NET_NORMAL, 1 / sqrt(size), false);
    sac_net_give(net, n, COLUMNS, "columns", g.right, heads * size, SAC_NET_NORMAL, 1 / sqrt(size), false);
    return n->out;
}
