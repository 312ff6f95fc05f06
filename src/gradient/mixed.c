#include <string.h>

#include "attention/form.h"
#include "gradient/gradient.h"

/// The reading trans: N tokens become l, out = LN(P V + P Q' K'^T V), for every frame and head.
///
/// rows [M + V, N] are the features Q' of the queries and the values; sides = rows P^T is P Q' and P V at once;
/// products [V, M] = V^T K'; plain [l, V] = P V + (P Q') products^T.

// where a head of a frame lies in the arrays
typedef struct head
{
    int features, size, value_size, tokens, n, stride; // M, D, V, l, N
    float *rows, *keys, *sides, *products, *plain, *moments, *told, *dtold, *dsides;
    int query_row, key_row, value_row; // of the tokens
    size_t value;                      // of the norm's numbers
    bool norm, residual;
} head;

static head head_of(const sac_pass *p, int frame, int h)
{
    const sac_gradient_room *r = &p->room;
    const sac_agent *a = p->g->parts.agent;
    const ptrdiff_t features = sac_attention_feature_size(a->attention), stride = a->embedding.token_stride;
    const ptrdiff_t size = a->config.key_size, v = a->config.value_size, l = a->trans.rows;
    const ptrdiff_t at = (ptrdiff_t)frame * a->heads + h, rows = features + v;
    const ptrdiff_t told = (ptrdiff_t)frame * p->g->told + h * l * v; // behind all heads stand the numbers
    const bool norm = a->config.layer_norm;
    return (head){.features = (int)features,
                  .size = (int)size,
                  .value_size = (int)v,
                  .tokens = (int)l,
                  .n = a->embedding.count,
                  .stride = (int)stride,
                  .rows = r->rows + at * rows * stride,
                  .keys = r->keys + at * features * stride,
                  .sides = r->sides + at * rows * l,
                  .products = r->products + at * v * features,
                  .plain = norm ? r->plain + at * l * v : r->told + told,
                  .moments = r->moments + at * 2 * l,
                  .told = r->told + told,
                  .dtold = r->dtold + told,
                  .dsides = r->dsides + at * rows * l,
                  .query_row = h * (int)size,
                  .key_row = a->query_size + h * (int)size,
                  .value_row = 2 * a->query_size + h * (int)v,
                  .value = (size_t)(h * v),
                  .norm = norm,
                  .residual = a->trans.residual};
}

static void gemm(const sac_pass *p, sac_gemm g)
{
    p->l.gemm(&g, p->l.scratch);
}

// features and values of a frame's tokens
static void read_tokens(const sac_pass *p, const head *h, int frame)
{
    const sac_attention *a = p->g->parts.agent->attention;
    void *workspace = p->room.attention_workspace;
    sac_attention_features(a, SAC_QUERIES, h->rows, h->stride, sac_pass_tokens(p, frame, h->query_row), h->n, h->stride,
                           workspace);
    sac_attention_features(a, SAC_KEYS, h->keys, h->stride, sac_pass_tokens(p, frame, h->key_row), h->n, h->stride,
                           workspace);
    memcpy(h->rows + h->features * h->stride, sac_pass_tokens(p, frame, h->value_row),
           (size_t)h->value_size * (size_t)h->stride * sizeof(float));
}

static void forward_head(const sac_pass *p, const head *h)
{
    const int m = h->features, v = h->value_size, l = h->tokens;
    // products = V^T K'
    gemm(p, (sac_gemm){.rows = v,
                       .columns = m,
                       .inner = h->n,
                       .a = h->rows + m * h->stride,
                       .a_row = h->stride,
                       .a_column = 1,
                       .b = h->keys,
                       .b_row = 1,
                       .b_column = h->stride,
                       .out = h->products,
                       .out_row = m});
    // plain = P V + (P Q') products^T
    for (int j = 0; j < l; j++)
        for (int i = 0; i < v; i++) h->plain[j * v + i] = h->residual ? h->sides[(m + i) * l + j] : 0.0f;
    gemm(p, (sac_gemm){.rows = l,
                       .columns = v,
                       .inner = m,
                       .a = h->sides,
                       .a_row = 1,
                       .a_column = l,
                       .b = h->products,
                       .b_row = 1,
                       .b_column = m,
                       .out = h->plain,
                       .out_row = v,
                       .add = true});
    if (h->norm)
        p->l.norm_forward(&p->l, h->told, h->moments, h->plain, p->room.gain + h->value,
                          p->parameters + p->g->parts.agent->trans_bias + h->value, 1e-5f, l, v);
}

void sac_mixed_forward(sac_pass *p)
{
    const sac_agent *a = p->g->parts.agent;
    const int heads = p->frames * a->heads;
    // the vector holds gain - 1
    for (int v = 0; a->config.layer_norm && v < a->value_size; v++)
        p->room.gain[v] = 1 + p->parameters[a->trans_gain + (size_t)v];
    for (int i = 0; i < heads; i++)
    {
        head h = head_of(p, i / a->heads, i % a->heads);
        if (i % a->heads == 0) sac_look_frame(p, i / a->heads);
        read_tokens(p, &h, i / a->heads);
    }
    // sides = rows P^T, of all frames at once
    head first = head_of(p, 0, 0);
    gemm(p, (sac_gemm){.rows = heads * (first.features + first.value_size),
                       .columns = first.tokens,
                       .inner = first.n,
                       .a = first.rows,
                       .a_row = first.stride,
                       .a_column = 1,
                       .b = p->parameters + a->trans_projection,
                       .b_row = 1,
                       .b_column = first.n,
                       .out = first.sides,
                       .out_row = first.tokens});
    for (int i = 0; i < heads; i++)
    {
        head h = head_of(p, i / a->heads, i % a->heads);
        forward_head(p, &h);
    }
}

// by sides and products of: plain = P V + (P Q') products^T
static void plain_backward(const sac_pass *p, const head *h, const float *dplain)
{
    const int m = h->features, v = h->value_size, l = h->tokens;
    gemm(p, (sac_gemm){.rows = m,
                       .columns = l,
                       .inner = v,
                       .a = h->products,
                       .a_row = 1,
                       .a_column = m,
                       .b = dplain,
                       .b_row = 1,
                       .b_column = v,
                       .out = h->dsides,
                       .out_row = l});
    for (int i = 0; i < v; i++)
        for (int j = 0; j < l; j++) h->dsides[(m + i) * l + j] = h->residual ? dplain[j * v + i] : 0.0f;
    gemm(p, (sac_gemm){.rows = v,
                       .columns = m,
                       .inner = l,
                       .a = dplain,
                       .a_row = 1,
                       .a_column = v,
                       .b = h->sides,
                       .b_row = 1,
                       .b_column = l,
                       .out = p->room.dproducts,
                       .out_row = m});
}

// by rows and keys of: sides = rows P^T, products = V^T K'
static void rows_backward(const sac_pass *p, const head *h)
{
    const int m = h->features, v = h->value_size, l = h->tokens;
    const float *values = h->rows + m * h->stride;
    gemm(p, (sac_gemm){.rows = m + v,
                       .columns = h->n,
                       .inner = l,
                       .a = h->dsides,
                       .a_row = l,
                       .a_column = 1,
                       .b = p->parameters + p->g->parts.agent->trans_projection,
                       .b_row = h->n,
                       .b_column = 1,
                       .out = p->room.drows,
                       .out_row = h->stride});
    gemm(p, (sac_gemm){.rows = v,
                       .columns = h->n,
                       .inner = m,
                       .a = p->room.dproducts,
                       .a_row = m,
                       .a_column = 1,
                       .b = h->keys,
                       .b_row = h->stride,
                       .b_column = 1,
                       .out = p->room.drows + m * h->stride,
                       .out_row = h->stride,
                       .add = true});
    gemm(p, (sac_gemm){.rows = m,
                       .columns = h->n,
                       .inner = v,
                       .a = p->room.dproducts,
                       .a_row = 1,
                       .a_column = m,
                       .b = values,
                       .b_row = h->stride,
                       .b_column = 1,
                       .out = p->room.dkeys,
                       .out_row = h->stride});
}

// by a side's tokens of its features
static void side_backward(const sac_pass *p, const head *h, sac_attention_side side, float *dtokens,
                          const float *tokens, float *dphi, const float *phi)
{
    const sac_attention *a = p->g->parts.agent->attention;
    const float *x = tokens;
    if (a->normalize) a->kernels.normalize(p->room.units, h->stride, tokens, h->size, h->n, h->stride);
    if (a->normalize) x = p->room.units;
    p->l.map_columns_backward(&p->l, &p->g->maps[side], dtokens, dphi, phi, x, h->n, h->stride, p->room.map_workspace);
    if (a->normalize)
        p->l.unit_columns_backward(&p->l, dtokens, dtokens, tokens, h->size, h->n, h->stride, p->room.map_workspace);
}

static void backward_head(const sac_pass *p, const head *h, int frame)
{
    const sac_gradient_room *r = &p->room;
    const sac_agent *a = p->g->parts.agent;
    const float *dplain = h->dtold;
    float *dtokens = r->dtokens;
    if (h->norm)
    {
        p->l.norm_backward(&p->l, r->dplain, p->sums + a->trans_gain + h->value, p->sums + a->trans_bias + h->value,
                           h->dtold, h->plain, h->moments, r->gain + h->value, h->tokens, h->value_size);
        dplain = r->dplain;
    }
    plain_backward(p, h, dplain);
    rows_backward(p, h);
    side_backward(p, h, SAC_QUERIES, dtokens + h->query_row * h->stride, sac_pass_tokens(p, frame, h->query_row),
                  r->drows, h->rows);
    side_backward(p, h, SAC_KEYS, dtokens + h->key_row * h->stride, sac_pass_tokens(p, frame, h->key_row), r->dkeys,
                  h->keys);
    memcpy(dtokens + h->value_row * h->stride, r->drows + h->features * h->stride,
           (size_t)h->value_size * (size_t)h->stride * sizeof(float));
}

void sac_mixed_backward(sac_pass *p)
{
    const sac_agent *a = p->g->parts.agent;
    const int heads = p->frames * a->heads;
    for (int i = 0; i < heads; i++)
    {
        head h = head_of(p, i / a->heads, i % a->heads);
        backward_head(p, &h, i / a->heads);
        if (i % a->heads == a->heads - 1) sac_look_frame_backward(p, i / a->heads);
    }
    // by P of: sides = rows P^T, of all frames at once
    head first = head_of(p, 0, 0);
    gemm(p, (sac_gemm){.rows = first.tokens,
                       .columns = first.n,
                       .inner = heads * (first.features + first.value_size),
                       .a = first.dsides,
                       .a_row = 1,
                       .a_column = first.tokens,
                       .b = first.rows,
                       .b_row = first.stride,
                       .b_column = 1,
                       .out = p->sums + a->trans_projection,
                       .out_row = first.n,
                       .add = true});
}
