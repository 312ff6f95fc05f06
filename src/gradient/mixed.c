#include <string.h>

#include "attention/form.h"
#include "gradient/gradient.h"

/// The reading trans, IAP-trans (Choromanski et al. 2021, second version, section 3.2): N tokens become l,
/// out = LN(P V + P Q' K'^T V), for every frame and head.
///
/// rows [M + V, N] are the features Q' of the queries and the values; sides = rows P^T is P Q' and P V at once;
/// products [V, M] = V^T K'; plain [l, V] = P V + (P Q') products^T. Where rows of attention have to sum to 1, the
/// rows of Q' are divided instead. With softmax in place of features, rows [V + V, N] are A V and the values, and plain
/// is the sum of both sides.

// The arrays of one head of one frame, which lie in the workspace.
typedef struct head
{
    int index, features, size, value_size, tokens, n, stride; // of the frame's heads; M, D, V, l, N
    float *rows, *keys, *sides, *products, *plain, *moments, *told, *dtold, *dsides;
    int query_row, key_row, value_row; // of the tokens
    size_t value;                      // of the norm's numbers
    bool norm, residual;
} head;

static bool is_exact(const sac_pass *p)
{
    return sac_attention_feature_size(p->g->parts.agent->attention) == 0;
}

static head head_of(const sac_pass *p, int frame, int h)
{
    const sac_gradient_room *r = &p->room;
    const sac_agent *a = p->g->parts.agent;
    const ptrdiff_t stride = a->embedding.token_stride, size = a->config.key_size, v = a->config.value_size;
    const ptrdiff_t l = a->trans.rows, features = is_exact(p) ? v : sac_attention_feature_size(a->attention);
    const ptrdiff_t at = (ptrdiff_t)frame * a->heads + h, rows = features + v;
    const ptrdiff_t told = (ptrdiff_t)frame * p->g->told + h * l * v; // behind all heads stand the numbers
    const bool norm = a->config.layer_norm;
    return (head){.index = h,
                  .features = (int)features,
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

// softmax between a head's tokens, whose arrays have one token in each row
static sac_attend shape_of(const sac_pass *p, const head *h)
{
    const float scale = (float)p->g->parts.agent->attention->scale;
    return (sac_attend){1, h->n, h->n, h->size, h->value_size, h->size, h->size, h->value_size, h->value_size, scale};
}

static float *kept_of(const sac_pass *p, const head *h, int frame)
{
    const sac_attend shape = shape_of(p, h);
    const size_t at = (size_t)frame * (size_t)p->g->parts.agent->heads + (size_t)h->index;
    return p->room.attend_kept + at * sac_attend_kept(&shape);
}

static void turn_tokens(const sac_pass *p, const head *h, int frame)
{
    const sac_gradient_room *r = &p->room;
    sac_turn(r->queries, sac_maps_units(p, sac_pass_tokens(p, frame, h->query_row), r->units), h->n, h->size,
             h->stride);
    sac_turn(r->token_keys, sac_maps_units(p, sac_pass_tokens(p, frame, h->key_row), r->units), h->n, h->size,
             h->stride);
    sac_turn(r->token_values, sac_pass_tokens(p, frame, h->value_row), h->n, h->value_size, h->stride);
}

static void gather_exact(const sac_pass *p, const head *h, int frame)
{
    const sac_gradient_room *r = &p->room;
    const sac_attend shape = shape_of(p, h);
    turn_tokens(p, h, frame);
    p->l.attend_forward(&p->l, &shape, r->attended, kept_of(p, h, frame), r->queries, r->token_keys, r->token_values,
                        r->attend_workspace);
    sac_turn_back(h->rows, r->attended, h->n, h->value_size, h->stride);
}

// features and values of a frame's tokens or, with softmax, the attention-weighted sums of the values
static void read_tokens(const sac_pass *p, const head *h, int frame)
{
    if (is_exact(p))
        gather_exact(p, h, frame);
    else
    {
        sac_maps_features(p, h->index, SAC_QUERIES, h->rows, sac_pass_tokens(p, frame, h->query_row));
        sac_maps_features(p, h->index, SAC_KEYS, h->keys, sac_pass_tokens(p, frame, h->key_row));
        sac_maps_divide(p, h->rows, h->keys);
    }
    memcpy(h->rows + h->features * h->stride, sac_pass_tokens(p, frame, h->value_row),
           (size_t)h->value_size * (size_t)h->stride * sizeof(float));
}

// plain += (P Q') products^T, products = V^T K'
static void add_products(const sac_pass *p, const head *h)
{
    const int m = h->features, v = h->value_size, l = h->tokens;
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
}

static void forward_head(const sac_pass *p, const head *h)
{
    const int m = h->features, v = h->value_size, l = h->tokens;
    for (int j = 0; j < l; j++)
        for (int i = 0; i < v; i++)
        {
            float attended = is_exact(p) ? h->sides[i * l + j] : 0.0f;
            h->plain[j * v + i] = h->residual ? h->sides[(m + i) * l + j] + attended : attended;
        }
    if (!is_exact(p)) add_products(p, h);
    if (h->norm)
        p->l.norm_forward(&p->l, h->told, h->moments, h->plain, p->room.gain + h->value,
                          p->parameters + p->g->parts.agent->trans_bias + h->value, 1e-5f, l, v);
}

void sac_mixed_forward(sac_pass *p)
{
    const sac_agent *a = p->g->parts.agent;
    const int heads = p->frames * a->heads;
    sac_maps_set(p);
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

// Gradient with respect to sides and products of plain = P V + (P Q') products^T or, with softmax, with respect to
// sides of plain = P V + P A V.
static void plain_backward(const sac_pass *p, const head *h, const float *dplain)
{
    const int m = h->features, v = h->value_size, l = h->tokens;
    for (int i = 0; i < v; i++)
        for (int j = 0; j < l; j++) h->dsides[(m + i) * l + j] = h->residual ? dplain[j * v + i] : 0.0f;
    for (int i = 0; is_exact(p) && i < v; i++)
        for (int j = 0; j < l; j++) h->dsides[i * l + j] = dplain[j * v + i];
    if (is_exact(p)) return;
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

// gradient with respect to rows and keys of sides = rows P^T, products = V^T K'
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
    if (is_exact(p)) return;
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

// gradient with respect to the tokens of their features; those of the queries may be divided
static void features_backward(const sac_pass *p, const head *h, int frame)
{
    const sac_gradient_room *r = &p->room;
    const float *queries = sac_pass_tokens(p, frame, h->query_row), *keys = sac_pass_tokens(p, frame, h->key_row);
    const float *phi = h->rows;
    if (p->g->parts.agent->attention->divide_all)
    {
        sac_maps_features(p, h->index, SAC_QUERIES, r->undivided, queries);
        sac_maps_divide_backward(p, r->drows, r->dkeys, r->undivided, h->keys);
        phi = r->undivided;
    }
    sac_maps_backward(p, h->index, SAC_QUERIES, r->dtokens + h->query_row * h->stride, queries, r->drows, phi);
    sac_maps_backward(p, h->index, SAC_KEYS, r->dtokens + h->key_row * h->stride, keys, r->dkeys, h->keys);
}

// gradient with respect to the tokens of softmax's weighted sums; the values' part is added to their rows of drows
static void exact_backward(const sac_pass *p, const head *h, int frame)
{
    const sac_gradient_room *r = &p->room;
    const sac_attend shape = shape_of(p, h);
    const int n = h->n, v = h->value_size, stride = h->stride;
    float *dqueries = r->dtokens + h->query_row * stride, *dkeys = r->dtokens + h->key_row * stride;
    turn_tokens(p, h, frame);
    sac_turn(r->attended, h->rows, n, v, stride);
    sac_turn(r->dattended, r->drows, n, v, stride);
    p->l.attend_backward(&p->l, &shape, r->dqueries, r->dtoken_keys, r->dtoken_values, r->dattended, r->attended,
                         kept_of(p, h, frame), r->queries, r->token_keys, r->token_values, r->attend_workspace);
    sac_turn_back(dqueries, r->dqueries, n, h->size, stride);
    sac_turn_back(dkeys, r->dtoken_keys, n, h->size, stride);
    sac_maps_units_backward(p, dqueries, sac_pass_tokens(p, frame, h->query_row));
    sac_maps_units_backward(p, dkeys, sac_pass_tokens(p, frame, h->key_row));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < v; j++) r->drows[(v + j) * stride + i] += r->dtoken_values[i * v + j];
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
    (is_exact(p) ? exact_backward : features_backward)(p, h, frame);
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
    // gradient with respect to P of sides = rows P^T, of all frames at once
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
