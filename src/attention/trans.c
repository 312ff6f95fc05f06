#include <math.h>
#include <string.h>

#include "attention/blocks.h"
#include "base/error.h"
#include "saccade/trans.h"

/// IAP-trans (Choromanski et al. 2021, second version, section 3.2): P Q' K'^T V in three orders, over blocks of
/// features; and the same of softmax, P (A V). No array has N rows and N columns.

static const char *const names[] = {"cheapest", "left", "right", "middle"};

const char *sac_trans_order_name(int order)
{
    return order >= 0 && order <= SAC_TRANS_MIDDLE ? names[order] : NULL;
}

// Count the multiplications of an order. The order "left" makes P Q' K'^T [l, N] first, "right" makes Q' K'^T V [N, V]
// first, and "middle" makes two products, [l, F] and [F, V], whose own product is small.
double sac_trans_cost(sac_trans_order order, int rows, int feature_size, int token_count, int value_size)
{
    double l = rows, f = feature_size, n = token_count, v = value_size;
    switch (order)
    {
    case SAC_TRANS_LEFT: return l * n * (2 * f + v);
    case SAC_TRANS_RIGHT: return n * v * (2 * f + l);
    case SAC_TRANS_MIDDLE: return n * f * (l + v) + l * f * v;
    case SAC_TRANS_CHEAPEST: break;
    }
    return sac_trans_cost(sac_trans_cheapest(rows, feature_size, token_count, value_size), rows, feature_size,
                          token_count, value_size);
}

sac_trans_order sac_trans_cheapest(int rows, int feature_size, int token_count, int value_size)
{
    sac_trans_order best = SAC_TRANS_LEFT;
    for (int order = SAC_TRANS_RIGHT; order <= SAC_TRANS_MIDDLE; order++)
        if (sac_trans_cost((sac_trans_order)order, rows, feature_size, token_count, value_size) <
            sac_trans_cost(best, rows, feature_size, token_count, value_size))
            best = (sac_trans_order)order;
    return best;
}

typedef struct parts
{
    sac_block block;
    float *summary;             ///< [l, F] P Q'
    float *product;             ///< [V, F] the transpose of K'^T V
    float *mixed;               ///< [l or V, block]
    float *key_sums, *divisors; ///< where rows of A are divided by their sums
    float *carried;             ///< [l, V, SAC_LANES] the lanes of P V
    float *gathered;            ///< [V, stride] A V of softmax
    void *rest;                 ///< workspace of its attention
} parts;

enum
{
    BESIDE_FROM = 2048,  ///< tokens: from here on planes leave the cache between two passes
    FETCH_FROM = 8 << 20 ///< bytes of planes: from here on they are hardly in any cache
};

// P V is added up beside the passes of `middle` over P and V, so that both are read from memory once.
static bool adds_beside(const sac_trans *t, int token_count)
{
    return t->residual && token_count >= BESIDE_FROM;
}

static int gathered_stride(const sac_trans *t)
{
    return sac_round_up(t->projection_stride);
}

// softmax has no features, so that there is nothing else
static void split_exact(parts *p, const sac_trans *t, sac_workspace *workspace)
{
    p->gathered = sac_take(workspace, (size_t)t->value_size * (size_t)gathered_stride(t), sizeof(float));
    p->rest =
        sac_take(workspace, sac_attention_output_workspace_size(t->attention, t->projection_stride, t->value_size), 1);
}

static void split(parts *p, const sac_trans *t, sac_workspace *workspace)
{
    size_t l = (size_t)t->rows, v = (size_t)t->value_size, f = (size_t)sac_attention_feature_size(t->attention);
    bool divides = t->attention->divide_all;
    if (f == 0)
    {
        split_exact(p, t, workspace);
        return;
    }
    sac_block_take(&p->block, t->attention, SAC_BLOCK_LARGE, workspace);
    p->summary = sac_take(workspace, l * f, sizeof(float));
    p->product = sac_take(workspace, f * v, sizeof(float));
    p->mixed = sac_take(workspace, (l > v ? l : v) * (size_t)p->block.size, sizeof(float));
    p->carried = sac_take(workspace, adds_beside(t, t->projection_stride) ? l * v * SAC_LANES : 0, sizeof(float));
    p->key_sums = sac_take(workspace, divides ? f : 0, sizeof(float));
    p->divisors = sac_take(workspace, divides ? (size_t)p->block.size : 0, sizeof(float));
}

size_t sac_trans_workspace_size(const sac_trans *trans)
{
    sac_workspace workspace = {0};
    parts p;
    split(&p, trans, &workspace);
    return workspace.used;
}

/// The matrices that are multiplied, with their sizes.
typedef struct factors
{
    const sac_attention *a;
    const sac_kernels *k;
    const float *projection, *queries, *keys, *values;
    int projection_stride, n, stride, l, f, v;
    sac_trans_order order; ///< one of the three
    bool adds_beside;      ///< P V is added up on the way
    int ahead;             ///< tokens that are fetched ahead of that
} factors;

// Read the next features of queries, divided where rows of A are.
static bool read_queries(const factors *x, parts *p, int first)
{
    if (!sac_block_read(&p->block, x->a, SAC_QUERIES, x->queries, first, x->n, x->stride)) return false;
    if (x->a->divide_all) sac_block_divide(&p->block, x->a, p->key_sums, p->divisors);
    return true;
}

// Compute P Q' [l, F].
static void summarise(const factors *x, parts *p)
{
    const sac_block *b = &p->block;
    for (int i = 0; read_queries(x, p, i); i += b->size)
        x->k->contract(p->summary, x->f, x->projection + i, x->projection_stride, x->l, b->features, x->f, b->count,
                       b->size);
    sac_apply_gains(x->a, SAC_QUERIES, p->summary, p->summary, x->l);
}

// Compute V^T K' [V, F].
static void gather(const factors *x, parts *p)
{
    sac_block *b = &p->block;
    for (int i = 0; sac_block_read(b, x->a, SAC_KEYS, x->keys, i, x->n, x->stride); i += b->size)
        x->k->contract(p->product, x->f, x->values + i, x->stride, x->v, b->features, x->f, b->count, b->size);
    sac_apply_gains(x->a, SAC_KEYS, p->product, p->product, x->v);
}

// Ask for the lines of a later block, which memory brings while this one is worked on. Left alone, a processor sees
// what is wanted only after the first lines of every plane. It takes a tenth longer where the planes are in the cache.
// There is one copy of the code, because the library is to stay small.
__attribute__((noinline)) static void fetch(const factors *x, const float *planes, int stride, int rows, int first)
{
    int last = first + x->ahead < x->n ? first + x->ahead : x->n;
    for (int r = 0; r < rows; r++, planes += stride)
        for (int i = first; i < last; i += SAC_LANES) __builtin_prefetch(planes + i, 0, 2);
    __asm__ volatile(""); // an effect, because gcc drops calls of functions that have none
}

// Compute both, and the lanes of P V, in one walk: V is read again right after its first use, and P soon after, when
// they are still in the cache.
static void gather_all(const factors *x, parts *p)
{
    sac_block *b = &p->block;
    memset(p->carried, 0, (size_t)x->l * (size_t)x->v * SAC_LANES * sizeof(float));
    for (int i = 0; sac_block_read(b, x->a, SAC_KEYS, x->keys, i, x->n, x->stride); i += b->size)
    {
        int next = i + b->size;
        const float *values = x->values + i, *projection = x->projection + i;
        fetch(x, x->keys, x->stride, x->a->key_size, next);
        x->k->contract(p->product, x->f, values, x->stride, x->v, b->features, x->f, b->count, b->size);
        fetch(x, x->values, x->stride, x->v, next);
        x->k->carry(p->carried, projection, x->projection_stride, x->l, values, x->v, b->count, x->stride);
        fetch(x, x->projection, x->projection_stride, x->l, next);
        read_queries(x, p, i);
        fetch(x, x->queries, x->stride, x->a->key_size, next);
        x->k->contract(p->summary, x->f, projection, x->projection_stride, x->l, b->features, x->f, b->count, b->size);
    }
    sac_apply_gains(x->a, SAC_QUERIES, p->summary, p->summary, x->l);
    sac_apply_gains(x->a, SAC_KEYS, p->product, p->product, x->v);
}

// out += ((P Q') K'^T) V
static void run_left(const factors *x, parts *p, float *out)
{
    sac_block *b = &p->block;
    summarise(x, p);
    sac_apply_gains(x->a, SAC_KEYS, p->summary, p->summary, x->l);
    for (int i = 0; sac_block_read(b, x->a, SAC_KEYS, x->keys, i, x->n, x->stride); i += b->size)
    {
        x->k->mix(p->mixed, b->size, p->summary, x->f, x->l, b->features, x->f, b->count, b->size);
        x->k->contract(out, x->v, p->mixed, b->size, x->l, x->values + i, x->v, b->count, x->stride);
    }
}

// out += P (Q' (K'^T V))
static void run_right(const factors *x, parts *p, float *out)
{
    sac_block *b = &p->block;
    gather(x, p);
    sac_apply_gains(x->a, SAC_QUERIES, p->product, p->product, x->v);
    for (int i = 0; read_queries(x, p, i); i += b->size)
    {
        x->k->mix(p->mixed, b->size, p->product, x->f, x->v, b->features, x->f, b->count, b->size);
        x->k->contract(out, x->v, x->projection + i, x->projection_stride, x->l, p->mixed, x->v, b->count, b->size);
    }
}

// out += (P Q') (K'^T V)
static void run_middle(const factors *x, parts *p, float *out)
{
    if (x->adds_beside)
        gather_all(x, p);
    else
        summarise(x, p), gather(x, p);
    // Multiply [l, F] by the transpose of [V, F].
    x->k->contract(out, x->v, p->summary, x->f, x->l, p->product, x->v, x->f, x->f);
    // Add up the lanes, as contract does after a walk over all tokens.
    for (int r = 0; r < x->l && x->adds_beside; r++)
        x->k->contract(out + (size_t)r * (size_t)x->v, x->v, NULL, 0, 1,
                       p->carried + (size_t)r * (size_t)x->v * SAC_LANES, x->v, SAC_LANES, SAC_LANES);
}

// out += P A V in the order that was asked for
static void run_linear(const factors *x, parts *p, float *out)
{
    SAC_ASSERT(p->summary && p->product); // as the form has features
    memset(p->summary, 0, (size_t)x->l * (size_t)x->f * sizeof(float));
    memset(p->product, 0, (size_t)x->f * (size_t)x->v * sizeof(float));
    if (x->a->divide_all) sac_block_sum_keys(&p->block, x->a, p->key_sums, x->keys, x->n, x->stride);
    if (x->order == SAC_TRANS_LEFT) run_left(x, p, out);
    if (x->order == SAC_TRANS_RIGHT) run_right(x, p, out);
    if (x->order == SAC_TRANS_MIDDLE) run_middle(x, p, out);
}

// out += P (A V) of softmax
static void run_exact(const factors *x, const parts *p, int stride, float *out)
{
    sac_attention_output(x->a, p->gathered, stride, x->queries, x->n, x->stride, x->keys, x->values, x->n, x->stride,
                         x->v, p->rest);
    x->k->contract(out, x->v, x->projection, x->projection_stride, x->l, p->gathered, x->v, x->n, stride);
}

// Bytes of Q, K, V and P.
static size_t plane_bytes(const sac_trans *t, int token_count)
{
    size_t rows = 2 * (size_t)t->attention->key_size + (size_t)t->value_size + (size_t)t->rows;
    return rows * (size_t)token_count * sizeof(float);
}

static factors factors_of(const sac_trans *t, const float *queries, const float *keys, const float *values,
                          int token_count, int stride, int block_size)
{
    const sac_attention *a = t->attention;
    int f = sac_attention_feature_size(a);
    sac_trans_order order = t->order;
    if (order == SAC_TRANS_CHEAPEST && f > 0) order = sac_trans_cheapest(t->rows, f, token_count, t->value_size);
    return (factors){.a = a,
                     .k = &a->kernels,
                     .projection = t->projection,
                     .queries = queries,
                     .keys = keys,
                     .values = values,
                     .projection_stride = t->projection_stride,
                     .n = token_count,
                     .stride = stride,
                     .l = t->rows,
                     .f = f,
                     .v = t->value_size,
                     .order = order,
                     .adds_beside = f > 0 && order == SAC_TRANS_MIDDLE && adds_beside(t, token_count),
                     .ahead = plane_bytes(t, token_count) > FETCH_FROM ? block_size : 0};
}

void sac_trans_run(const sac_trans *trans, float *out, const float *queries, const float *keys, const float *values,
                   int token_count, int stride, void *workspace)
{
    SAC_ASSERT(token_count >= 1 && stride >= token_count && trans->projection_stride >= token_count);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    parts p = {0};
    split(&p, trans, &(sac_workspace){.memory = workspace});
    factors x = factors_of(trans, queries, keys, values, token_count, stride, p.block.size);
    memset(out, 0, (size_t)x.l * (size_t)x.v * sizeof *out);
    if (x.f > 0)
        run_linear(&x, &p, out);
    else
        run_exact(&x, &p, gathered_stride(trans), out);
    if (trans->residual && !x.adds_beside)
        x.k->contract(out, x.v, x.projection, x.projection_stride, x.l, values, x.v, x.n, stride);
    if (trans->gain)
        sac_layer_norm(out, out, x.l, x.v, trans->gain, trans->bias, trans->epsilon > 0 ? trans->epsilon : 1e-5f);
}

// Layer normalisation (Ba, Kiros and Hinton 2016): each row minus its mean, over its deviation, times gain plus bias.
// The sums run in double, in their order, so that every level gives the same bits.
void sac_layer_norm(float *out, const float *x, int rows, int size, const float *gain, const float *bias, float epsilon)
{
    for (int r = 0; r < rows; r++, out += size, x += size)
    {
        double mean = 0, variance = 0;
        for (int i = 0; i < size; i++) mean += (double)x[i];
        mean /= size;
        for (int i = 0; i < size; i++) variance += ((double)x[i] - mean) * ((double)x[i] - mean);
        double length = sqrt(variance / size + (double)epsilon);
        for (int i = 0; i < size; i++)
            out[i] = (float)(((double)x[i] - mean) / length * (double)gain[i] + (double)bias[i]);
    }
}
