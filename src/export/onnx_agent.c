#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "export/agent_c.h"
#include "export/onnx.h"

/// What an attention agent is made of, as nodes. Tokens have the library's bits: weights are split into digits so small
/// that every sum of a convolution is a whole number below 2^24, which float holds in any order.

enum
{
    EXACT = 1 << 24,
    WEIGHT_BITS = 16
};

// bits of a digit whose products with 255, summed over a patch, stay exact
static int digit_bits(int inputs)
{
    int bits = 8;
    while (bits > 1 && (int64_t)((1 << bits) - 1) * 255 * inputs >= EXACT) bits--;
    return bits;
}

// digit `index` of the weights as a kernel [O, C, patch, patch]; the highest one has the sign
static sac_status add_digit(sac_onnx *o, int index, int bits, bool highest)
{
    const sac_agent *a = o->agent;
    const sac_patches *p = &a->patches;
    int side = p->patch, channels = p->channels;
    float *kernel = SAC_NEW_ARRAY(float, (size_t)p->outputs *(size_t)a->inputs);
    if (!kernel) return sac_fail_memory("an ONNX graph");
    for (int out = 0; out < p->outputs; out++)
        for (int i = 0; i < a->inputs; i++)
        {
            int digit = sac_c_weight(o->state, out, i) >> (index * bits);
            if (!highest) digit &= (1 << bits) - 1;
            int pixel = i / channels, channel = i % channels;
            kernel[(out * channels + channel) * side * side + pixel] = (float)digit;
        }
    char name[32];
    snprintf(name, sizeof name, "kernel%d", index);
    sac_onnx_tensor(o, name, SAC_ONNX_FLOAT, kernel, 4, (const int64_t[]){p->outputs, channels, side, side});
    sac_free(kernel);
    return SAC_OK;
}

static void add_sums(sac_onnx *o, int digits, int bits)
{
    const sac_patches *p = &o->agent->patches;
    char kernel[48], sum[32], large[32], place[32], shifted[32], inputs[80], total[32];
    for (int i = 0; i < digits; i++)
    {
        double factor = ldexp(1, i * bits);
        snprintf(kernel, sizeof kernel, "pixels kernel%d", i);
        snprintf(sum, sizeof sum, "sum%d", i);
        snprintf(large, sizeof large, "large%d", i);
        snprintf(place, sizeof place, "place%d", i);
        snprintf(shifted, sizeof shifted, "shifted%d", i);
        sac_onnx_node(o, "Conv", kernel, sum, "strides", 'I', 2, p->stride, p->stride, "kernel_shape", 'I', 2, p->patch,
                      p->patch, NULL);
        sac_onnx_node(o, "Cast", sum, large, "to", 'i', SAC_ONNX_DOUBLE, NULL);
        sac_onnx_tensor(o, place, SAC_ONNX_DOUBLE, &factor, 0, NULL);
        snprintf(inputs, sizeof inputs, "%s %s", large, place);
        sac_onnx_node(o, "Mul", inputs, shifted, NULL);
        snprintf(total, sizeof total, "total%d", i);
        if (i > 0)
            snprintf(inputs, sizeof inputs, "total%d %s", i - 1, shifted);
        else
            snprintf(inputs, sizeof inputs, "%s", shifted);
        sac_onnx_node(o, i > 0 ? "Add" : "Identity", inputs, total, NULL);
    }
    sac_onnx_node(o, "Cast", total, "whole", "to", 'i', SAC_ONNX_FLOAT, NULL);
}

sac_status sac_onnx_add_tokens(sac_onnx *o)
{
    const sac_agent *a = o->agent;
    const sac_patches *p = &a->patches;
    if (a->resize)
        return sac_fail(
            SAC_ERROR_UNAVAILABLE,
            "export: the policy resizes its observation to %d x %d pixels, which the ONNX graph does not do", p->height,
            p->width);
    sac_onnx_port(o, false, "image", SAC_ONNX_UINT8, 3, (const int64_t[]){p->height, p->width, p->channels});
    sac_onnx_node(o, "Cast", "image", "image_float", "to", 'i', SAC_ONNX_FLOAT, NULL);
    sac_onnx_node(o, "Transpose", "image_float", "planes", "perm", 'I', 3, 2, 0, 1, NULL);
    sac_onnx_ints(o, "zero", (const int64_t[]){0}, 1);
    sac_onnx_ints(o, "one", (const int64_t[]){1}, 1);
    sac_onnx_node(o, "Unsqueeze", "planes zero", "pixels", NULL);
    int bits = digit_bits(a->inputs), digits = (WEIGHT_BITS + bits - 1) / bits;
    for (int i = 0; i < digits; i++) SAC_TRY(add_digit(o, i, bits, i == digits - 1));
    add_sums(o, digits, bits);
    sac_onnx_ints(o, "token_shape", (const int64_t[]){p->outputs, a->count}, 2);
    sac_onnx_node(o, "Reshape", "whole token_shape", "sums", NULL);
    sac_onnx_floats(o, "scales", o->state->scales, p->outputs, 1);
    sac_onnx_floats(o, "biases", o->state->bias, p->outputs, 1);
    sac_onnx_node(o, "Mul", "sums scales", "scaled", NULL);
    sac_onnx_node(o, "Add", "scaled biases", a->positions ? "unplaced" : "tokens", NULL);
    if (!a->positions) return SAC_OK;
    float *code = SAC_NEW_ARRAY(float, (size_t)p->outputs *(size_t)a->count);
    if (!code) return sac_fail_memory("an ONNX graph");
    for (int out = 0; out < p->outputs; out++)
        memcpy(code + (size_t)out * (size_t)a->count, o->state->offsets + (size_t)out * (size_t)a->stride,
               (size_t)a->count * sizeof(float));
    sac_onnx_floats(o, "position_code", code, p->outputs, a->count);
    sac_free(code);
    sac_onnx_node(o, "Add", "unplaced position_code", "tokens", NULL);
    return SAC_OK;
}

// each column of NAME divided by its length; zero stays zero
static void add_normalized(sac_onnx *o, const char *name)
{
    char square[32], length[32], empty[32], safe[32], out[32], inputs[96];
    snprintf(square, sizeof square, "%s_square", name);
    snprintf(length, sizeof length, "%s_length", name);
    snprintf(empty, sizeof empty, "%s_empty", name);
    snprintf(safe, sizeof safe, "%s_safe", name);
    snprintf(out, sizeof out, "%s_unit", name);
    sac_onnx_node(o, "ReduceSumSquare", name, square, "axes", 'I', 1, 0, NULL);
    sac_onnx_node(o, "Sqrt", square, length, NULL);
    snprintf(inputs, sizeof inputs, "%s nothing", length);
    sac_onnx_node(o, "Equal", inputs, empty, NULL);
    snprintf(inputs, sizeof inputs, "%s unit %s", empty, length);
    sac_onnx_node(o, "Where", inputs, safe, NULL);
    snprintf(inputs, sizeof inputs, "%s %s", name, safe);
    sac_onnx_node(o, "Div", inputs, out, NULL);
}

static void add_softmax(sac_onnx *o, const char *queries, const char *keys)
{
    char inputs[64];
    sac_onnx_node(o, "Transpose", queries, "rows", "perm", 'I', 2, 1, 0, NULL);
    snprintf(inputs, sizeof inputs, "rows %s", keys);
    sac_onnx_node(o, "MatMul", inputs, "products", NULL);
    sac_onnx_number(o, "scale", (float)o->agent->attention->scale);
    sac_onnx_node(o, "Mul", "products scale", "scores", NULL);
    sac_onnx_node(o, "Softmax", "scores", "attention", "axis", 'i', 1, NULL);
    sac_onnx_node(o, "ReduceSum", "attention zero", "importance", "keepdims", 'i', 0, NULL);
}

// phi of a side's tokens into "phi_SIDE" [F, N]
static sac_status add_map(sac_onnx *o, const char *tokens, const char *side, sac_attention_side which)
{
    const sac_attention *a = o->agent->attention;
    const sac_kernels *k = &a->kernels;
    const sac_features *f = &a->features[which];
    char matrix[32], u[32], out[32], square[48], more[48], power[48], inputs[128];
    snprintf(matrix, sizeof matrix, "map_%s", side);
    snprintf(u, sizeof u, "u_%s", side);
    snprintf(out, sizeof out, "phi_%s", side);
    if (f->matrix)
    {
        sac_onnx_floats(o, matrix, f->matrix, f->count, f->size);
        snprintf(inputs, sizeof inputs, "%s %s", matrix, tokens);
        sac_onnx_node(o, "MatMul", inputs, u, NULL);
    }
    else
    {
        sac_onnx_number(o, matrix, f->factor);
        snprintf(inputs, sizeof inputs, "%s %s", tokens, matrix);
        sac_onnx_node(o, "Mul", inputs, u, NULL);
    }
    if (a->map == k->relu_features)
    {
        sac_onnx_node(o, "Relu", u, out, NULL);
        return SAC_OK;
    }
    if (a->map == k->square_features)
    {
        snprintf(inputs, sizeof inputs, "%s %s", u, u);
        sac_onnx_node(o, "Mul", inputs, out, NULL);
        return SAC_OK;
    }
    if (a->map != k->exp_features)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: attention %s is not among the forms that the ONNX graph knows",
                        a->form->name);
    snprintf(square, sizeof square, "square_%s", side);
    snprintf(more, sizeof more, "damping_%s", side);
    snprintf(power, sizeof power, "power_%s", side);
    sac_onnx_node(o, "ReduceSumSquare", tokens, square, "axes", 'I', 1, 0, NULL);
    snprintf(inputs, sizeof inputs, "%s factor_%s", square, side);
    char factor[32];
    snprintf(factor, sizeof factor, "factor_%s", side);
    sac_onnx_number(o, factor, f->square);
    sac_onnx_node(o, "Mul", inputs, more, NULL);
    snprintf(inputs, sizeof inputs, "%s %s", u, more);
    sac_onnx_node(o, "Add", inputs, power, NULL);
    snprintf(inputs, sizeof inputs, "two %s", power);
    sac_onnx_node(o, "Pow", inputs, out, NULL);
    return SAC_OK;
}

static sac_status add_linear(sac_onnx *o, const char *queries, const char *keys)
{
    const sac_attention *a = o->agent->attention;
    sac_onnx_number(o, "two", 2);
    SAC_TRY(add_map(o, queries, "q", SAC_QUERIES));
    SAC_TRY(add_map(o, keys, "k", SAC_KEYS));
    float *gains = SAC_NEW_ARRAY(float, (size_t)a->feature_size);
    if (!gains) return sac_fail_memory("an ONNX graph");
    for (int f = 0; f < a->feature_size; f++)
        gains[f] = (float)(a->gains[SAC_QUERIES][f] * a->gains[SAC_KEYS][f] / o->agent->count);
    sac_onnx_floats(o, "gains", gains, 0, a->feature_size);
    sac_free(gains);
    sac_onnx_node(o, "ReduceSum", "phi_q one", "z", "keepdims", 'i', 0, NULL);
    sac_onnx_node(o, "Mul", "z gains", "weights", NULL);
    sac_onnx_node(o, "MatMul", "weights phi_k", "importance", NULL);
    return SAC_OK;
}

sac_status sac_onnx_add_attention(sac_onnx *o)
{
    const sac_attention *a = o->agent->attention;
    int d = a->key_size;
    sac_onnx_ints(o, "halves", (const int64_t[]){d, d}, 2);
    sac_onnx_node(o, "Split", "tokens halves", "queries keys", "axis", 'i', 0, NULL);
    const char *queries = "queries", *keys = "keys";
    if (a->normalize)
    {
        sac_onnx_number(o, "nothing", 0);
        sac_onnx_number(o, "unit", 1);
        add_normalized(o, queries);
        add_normalized(o, keys);
        queries = "queries_unit", keys = "keys_unit";
    }
    if (a->form->map) return add_linear(o, queries, keys);
    add_softmax(o, queries, keys);
    return SAC_OK;
}
