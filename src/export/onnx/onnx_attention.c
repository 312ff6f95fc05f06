#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "export/onnx/onnx.h"

// tokens -> importance: exact softmax, or features of queries and keys, which iap-trans takes directly

// "raw@" with each column divided by its length; zero stays zero
static void add_normalised(sac_onnx *o)
{
    sac_onnx_node(o, "ReduceSumSquare", "raw@", "squared_length@", "axes", 'I', 1, 0, NULL);
    sac_onnx_node(o, "Sqrt", "squared_length@", "length@", NULL);
    sac_onnx_node(o, "Equal", "length@ nothing", "empty@", NULL);
    sac_onnx_node(o, "Where", "empty@ unit length@", "divisor@", NULL);
    sac_onnx_node(o, "Div", "raw@ divisor@", "tokens@", NULL);
}

// softmax(Q^T K) summed over its rows: the whole matrix, which a runtime multiplies fast. "zero" is the axis of the
// sum.
static void add_softmax(sac_onnx *o)
{
    sac_onnx_node(o, "Transpose", "tokens_q", "rows", "perm", 'I', 2, 1, 0, NULL);
    sac_onnx_node(o, "MatMul", "rows tokens_k", "products", NULL);
    sac_onnx_number(o, "scale", (float)o->parts.agent->attention->scale);
    sac_onnx_node(o, "Mul", "products scale", "scores", NULL);
    sac_onnx_node(o, "Softmax", "scores", "attention", "axis", 'i', 1, NULL);
    sac_onnx_node(o, "ReduceSum", "attention zero", "importance", "keepdims", 'i', 0, NULL);
}

// "u@" [M, N], W times the tokens
static void add_projection(sac_onnx *o, const sac_features *f)
{
    if (f->matrix)
    {
        sac_onnx_floats(o, "map@", f->matrix, f->count, f->size);
        sac_onnx_node(o, "MatMul", "map@ tokens@", "u@", NULL);
        return;
    }
    sac_onnx_number(o, "map@", f->factor);
    sac_onnx_node(o, "Mul", "tokens@ map@", "u@", NULL);
}

// "damping@" [1, N]: the exponent of 2 that depends on the token's length
static void add_damping(sac_onnx *o, const sac_features *f)
{
    sac_onnx_number(o, "square@", f->square);
    sac_onnx_number(o, "two@", 2);
    sac_onnx_node(o, "ReduceSumSquare", "tokens@", "norm@", "axes", 'I', 1, 0, NULL);
    sac_onnx_node(o, "Mul", "norm@ square@", "damping@", NULL);
}

// 2^(u + damping): the positive features of Choromanski et al. 2021 ("Rethinking Attention with Performers", lemma 1);
// log2(e) is part of both.
static void add_exp(sac_onnx *o, const char *out)
{
    sac_onnx_node(o, "Add", "u@ damping@", "power@", NULL);
    sac_onnx_node(o, "Pow", "two@ power@", out, NULL);
}

// Sine and cosine of quarter turns. Whole turns are subtracted exactly, and the two rows of each wave follow one
// another.
static void add_trig(sac_onnx *o, const sac_features *f, const char *out)
{
    sac_onnx_number(o, "turn@", f->turn);
    sac_onnx_number(o, "quarter@", 0.25f);
    sac_onnx_number(o, "four@", 4);
    sac_onnx_number(o, "right_angle@", 1.57079632679f);
    sac_onnx_ints(o, "wave_shape@", (const int64_t[]){2 * f->count, -1}, 2);
    sac_onnx_node(o, "Mul", "u@ turn@", "quarters@", NULL);
    sac_onnx_node(o, "Mul", "quarters@ quarter@", "turns@", NULL);
    // a runtime's sine is inexact for large angles, so that whole turns go first
    sac_onnx_node(o, "Round", "turns@", "whole_turns@", NULL);
    sac_onnx_node(o, "Mul", "whole_turns@ four@", "whole_quarters@", NULL);
    sac_onnx_node(o, "Sub", "quarters@ whole_quarters@", "rest@", NULL);
    sac_onnx_node(o, "Mul", "rest@ right_angle@", "angle@", NULL);
    sac_onnx_node(o, "Sin", "angle@", "sine@", NULL);
    sac_onnx_node(o, "Cos", "angle@", "cosine@", NULL);
    sac_onnx_node(o, "Unsqueeze", "sine@ one", "sines@", NULL);
    sac_onnx_node(o, "Unsqueeze", "cosine@ one", "cosines@", NULL);
    sac_onnx_node(o, "Concat", "sines@ cosines@", "pairs@", "axis", 'i', 1, NULL);
    sac_onnx_node(o, "Reshape", "pairs@ wave_shape@", "waves@", NULL);
    // the opposite exponent: it turns the Gaussian kernel of the waves into that of softmax
    sac_onnx_node(o, "Neg", "damping@", "growth@", NULL);
    sac_onnx_node(o, "Pow", "two@ growth@", "height@", NULL);
    sac_onnx_node(o, "Mul", "waves@ height@", out, NULL);
}

// Waves and powers, and both times the sides of R planes on which a token lies.
static void add_hybrid(sac_onnx *o, const sac_features *f)
{
    int m = f->count, r = f->direction_count;
    add_trig(o, f, "trig@");
    add_exp(o, "exp@");
    sac_onnx_floats(o, "planes@", f->directions, r, f->size);
    sac_onnx_number(o, "below@", -1);
    // [planes, features] by broadcasting, and then flattened to the order of the library's rows
    sac_onnx_ints(o, "side_shape@", (const int64_t[]){1, r, 1, -1}, 4);
    sac_onnx_ints(o, "trig_shape@", (const int64_t[]){m, 1, 2, -1}, 4);
    sac_onnx_ints(o, "exp_shape@", (const int64_t[]){m, 1, 1, -1}, 4);
    sac_onnx_ints(o, "alpha_shape@", (const int64_t[]){2 * m * r, -1}, 2);
    sac_onnx_ints(o, "beta_shape@", (const int64_t[]){m * r, -1}, 2);
    sac_onnx_node(o, "MatMul", "planes@ tokens@", "above_plane@", NULL);
    sac_onnx_node(o, "Less", "above_plane@ nothing", "is_below@", NULL);
    sac_onnx_node(o, "Where", "is_below@ below@ unit", "side@", NULL);
    sac_onnx_node(o, "Reshape", "side@ side_shape@", "sides@", NULL);
    sac_onnx_node(o, "Reshape", "trig@ trig_shape@", "trigs@", NULL);
    sac_onnx_node(o, "Reshape", "exp@ exp_shape@", "exps@", NULL);
    sac_onnx_node(o, "Mul", "trigs@ sides@", "alphas@", NULL);
    sac_onnx_node(o, "Mul", "exps@ sides@", "betas@", NULL);
    sac_onnx_node(o, "Reshape", "alphas@ alpha_shape@", "alpha@", NULL);
    sac_onnx_node(o, "Reshape", "betas@ beta_shape@", "beta@", NULL);
    sac_onnx_node(o, "Concat", "trig@ exp@ alpha@ beta@", "phi@", "axis", 'i', 0, NULL);
}

// "phi@" [F, N] without its gains
static sac_status add_map(sac_onnx *o, sac_attention_side side)
{
    const sac_attention *a = o->parts.agent->attention;
    const sac_kernels *k = &a->kernels;
    const sac_features *f = &a->features[side];
    add_projection(o, f);
    // the map is known by its kernel, since two forms may share one
    bool trig = a->map == k->trig_features, hybrid = a->map == k->hybrid_features;
    if (trig || hybrid || a->map == k->exp_features) add_damping(o, f);
    if (a->map == k->relu_features)
        sac_onnx_node(o, "Relu", "u@", "phi@", NULL);
    else if (a->map == k->square_features)
        sac_onnx_node(o, "Mul", "u@ u@", "phi@", NULL);
    else if (a->map == k->exp_features)
        add_exp(o, "phi@");
    else if (trig)
        add_trig(o, f, "phi@");
    else if (hybrid)
        add_hybrid(o, f);
    else
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: attention %s is not among the forms that the ONNX graph knows",
                        a->form->name);
    return SAC_OK;
}

// (1/N) phi(k).z, where z is the sum of phi(q)
static sac_status add_linear(sac_onnx *o)
{
    const sac_attention *a = o->parts.agent->attention;
    // both sides' gains and 1/N are multiplied once, with z, and not with every key
    float *gains = SAC_NEW_ARRAY(float, (size_t)a->feature_size);
    if (!gains) return sac_fail_memory("an ONNX graph");
    for (int f = 0; f < a->feature_size; f++)
        gains[f] = (float)(a->gains[SAC_QUERIES][f] * a->gains[SAC_KEYS][f] / o->parts.embedding->count);
    sac_onnx_floats(o, "gains", gains, 0, a->feature_size);
    sac_free(gains);
    sac_onnx_node(o, "ReduceSum", "phi_q one", "z", "keepdims", 'i', 0, NULL);
    sac_onnx_node(o, "Mul", "z gains", "weights", NULL);
    sac_onnx_node(o, "MatMul", "weights phi_k", "importance", NULL);
    return SAC_OK;
}

sac_status sac_onnx_add_attention(sac_onnx *o)
{
    const sac_attention *a = o->parts.agent->attention;
    int d = a->key_size, v = o->parts.agent->value_size;
    sac_onnx_ints(o, "kinds", (const int64_t[]){d, d, v}, v > 0 ? 3 : 2);
    // normalised tokens are made of "raw"; where there is nothing to normalise the split gives tokens at once
    char outputs[64] = "raw_q raw_k values";
    if (!a->normalise) strcpy(outputs, "tokens_q tokens_k values");
    if (v == 0) *strstr(outputs, " values") = 0;
    sac_onnx_node(o, "Split", "tokens kinds", outputs, "axis", 'i', 0, NULL);
    static const char *const sides[] = {[SAC_QUERIES] = "_q", [SAC_KEYS] = "_k"};
    for (int side = SAC_QUERIES; side <= SAC_KEYS; side++)
    {
        o->side = sides[side];
        if (a->normalise) add_normalised(o);
        if (a->form->map) SAC_TRY(add_map(o, (sac_attention_side)side));
    }
    o->side = NULL;
    if (a->form->map) return add_linear(o);
    add_softmax(o);
    return SAC_OK;
}

void sac_onnx_add_importance_port(sac_onnx *o)
{
    sac_onnx_port(o, true, "importance", SAC_ONNX_FLOAT, 1, (const int64_t[]){o->parts.agent->embedding.count});
}
