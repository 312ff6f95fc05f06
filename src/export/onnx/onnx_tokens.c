#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "export/c/agent_c.h"
#include "export/onnx/onnx.h"
#include "tokens/image.h"

/// The image and its tokens, as nodes. Both have the library's bits: weights are split into digits so small that every
/// sum of a convolution is a whole number below 2^24, which a float holds exactly, in any order of summation.

enum
{
    EXACT = 1 << 24,
    WEIGHT_BITS = 16
};

// Find how many bits a digit may have so that its products with 255, summed over a patch, stay exact.
static int digit_bits(int inputs)
{
    int bits = 8;
    while (bits > 1 && (int64_t)((1 << bits) - 1) * 255 * inputs >= EXACT) bits--;
    return bits;
}

// Write digit `index` of the weights as a kernel [O, C, patch, patch]; the highest digit has the sign.
static sac_status add_digit(sac_onnx *o, int index, int bits, bool highest)
{
    const sac_embedding *e = o->parts.embedding;
    const sac_patches *p = &e->patches;
    int side = p->patch, channels = p->channels;
    float *kernel = SAC_NEW_MATRIX(float, (size_t)p->outputs, (size_t)e->inputs);
    if (!kernel) return sac_fail_memory("an ONNX graph");
    for (int out = 0; out < p->outputs; out++)
        for (int i = 0; i < e->inputs; i++)
        {
            int digit = sac_c_weight(&o->parts, out, i) >> (index * bits);
            if (!highest) digit &= (1 << bits) - 1;
            // the library has channels last, and ONNX has them first
            int pixel = i / channels, channel = i % channels;
            kernel[(out * channels + channel) * side * side + pixel] = (float)digit;
        }
    char name[32];
    snprintf(name, sizeof name, "kernel%d", index);
    sac_onnx_tensor(o, name, SAC_ONNX_FLOAT, kernel, 4, (const int64_t[]){p->outputs, channels, side, side});
    sac_free(kernel);
    return SAC_OK;
}

// Sums of products, digit by digit: each is exact as a float, and their total, up to 2^31, is exact as a double.
static void add_sums(sac_onnx *o, int digits, int bits)
{
    const sac_patches *p = &o->parts.embedding->patches;
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

// Write one axis of a resizing as a matrix [in, out] of whole numbers; transposed: [out, in].
static sac_status add_axis(sac_onnx *o, const char *name, bool rows)
{
    sac_resize_axis axis = sac_resize_get_axis(o->parts.embedding->resize, rows);
    double *matrix = SAC_NEW_MATRIX(double, (size_t)axis.in, (size_t)axis.out);
    if (!matrix) return sac_fail_memory("an ONNX graph");
    for (int i = 0; i < axis.out; i++)
        for (int t = 0; t < axis.count[i]; t++)
        {
            int from = axis.first[i] + t;
            matrix[rows ? i * axis.in + from : from * axis.out + i] = axis.weights[i * axis.taps + t];
        }
    const int64_t shape[] = {rows ? axis.out : axis.in, rows ? axis.in : axis.out};
    sac_onnx_tensor(o, name, SAC_ONNX_DOUBLE, matrix, 2, shape);
    sac_free(matrix);
    return SAC_OK;
}

// Convert sums in units of 1 / 2^22 to bytes. They are whole numbers that a double holds: half a unit is added, and the
// rest is cut.
static void add_bytes(sac_onnx *o)
{
    sac_onnx_node(o, "Add", "sums@ half_unit", "more@", NULL);
    sac_onnx_node(o, "Mul", "more@ part", "units@", NULL);
    sac_onnx_node(o, "Floor", "units@", "whole@", NULL);
    sac_onnx_node(o, "Min", "whole@ brightest", "bytes@", NULL);
}

// "large" [C, H, W] -> "planes" [C, height, width], with exactly the library's bits
static sac_status add_resize(sac_onnx *o)
{
    const double half_unit = 1 << 21, part = ldexp(1, -22), brightest = 255;
    sac_onnx_tensor(o, "half_unit", SAC_ONNX_DOUBLE, &half_unit, 0, NULL);
    sac_onnx_tensor(o, "part", SAC_ONNX_DOUBLE, &part, 0, NULL);
    sac_onnx_tensor(o, "brightest", SAC_ONNX_DOUBLE, &brightest, 0, NULL);
    SAC_TRY(add_axis(o, "weights_across", false));
    SAC_TRY(add_axis(o, "weights_down", true));
    sac_onnx_node(o, "Cast", "large", "large_double", "to", 'i', SAC_ONNX_DOUBLE, NULL);
    o->side = "_across";
    sac_onnx_node(o, "MatMul", "large_double weights@", "sums@", NULL);
    add_bytes(o);
    o->side = "_down";
    sac_onnx_node(o, "MatMul", "weights@ bytes_across", "sums@", NULL);
    add_bytes(o);
    sac_onnx_node(o, "Cast", "bytes@", "planes", "to", 'i', SAC_ONNX_FLOAT, NULL);
    o->side = NULL;
    return SAC_OK;
}

// "image" [H, W, C] -> "cropped" [height, W, C], those that are looked at
static void add_crop(sac_onnx *o)
{
    const sac_embedding *e = o->parts.embedding;
    sac_onnx_ints(o, "crop_top", (const int64_t[]){e->above}, 1);
    sac_onnx_ints(o, "crop_end", (const int64_t[]){e->above + e->height}, 1);
    sac_onnx_node(o, "Slice", "image crop_top crop_end zero", "cropped", NULL);
}

// "image" [H, W, C] of bytes -> "pixels" [1, C, height, width] of floats
static sac_status add_pixels(sac_onnx *o)
{
    const sac_embedding *e = o->parts.embedding;
    const sac_policy_def *def = &o->policy->def;
    sac_onnx_port(o, false, "image", SAC_ONNX_UINT8, 3, (const int64_t[]){def->height, def->width, def->channels});
    const bool crops = e->above > 0 || e->beneath > 0;
    if (crops) add_crop(o);
    sac_onnx_node(o, "Cast", crops ? "cropped" : "image", "image_float", "to", 'i', SAC_ONNX_FLOAT, NULL);
    sac_onnx_node(o, "Transpose", "image_float", e->resize ? "large" : "planes", "perm", 'I', 3, 2, 0, 1, NULL);
    if (e->resize) SAC_TRY(add_resize(o));
    sac_onnx_node(o, "Unsqueeze", "planes zero", "pixels", NULL);
    return SAC_OK;
}

sac_status sac_onnx_add_tokens(sac_onnx *o)
{
    const sac_embedding *e = o->parts.embedding;
    const sac_patches *p = &e->patches;
    SAC_TRY(add_pixels(o));
    int bits = digit_bits(e->inputs), digits = (WEIGHT_BITS + bits - 1) / bits;
    for (int i = 0; i < digits; i++) SAC_TRY(add_digit(o, i, bits, i == digits - 1));
    add_sums(o, digits, bits);
    sac_onnx_ints(o, "token_shape", (const int64_t[]){p->outputs, e->count}, 2);
    sac_onnx_node(o, "Reshape", "whole token_shape", "sums", NULL);
    sac_onnx_floats(o, "scales", o->parts.embedding_state->weights.scales, p->outputs, 1);
    sac_onnx_floats(o, "biases", o->parts.embedding_state->weights.bias, p->outputs, 1);
    // two nodes, hence two roundings, as the kernel `rescale` has them
    sac_onnx_node(o, "Mul", "sums scales", "scaled", NULL);
    sac_onnx_node(o, "Add", "scaled biases", e->positions ? "unplaced" : "tokens", NULL);
    if (!e->positions) return SAC_OK;
    // rows of the library are padded to whole vectors, and those of the graph are not
    float *code = SAC_NEW_MATRIX(float, (size_t)p->outputs, (size_t)e->count);
    if (!code) return sac_fail_memory("an ONNX graph");
    for (int out = 0; out < p->outputs; out++)
        memcpy(code + (size_t)out * (size_t)e->count,
               o->parts.embedding_state->offsets + (size_t)out * (size_t)e->token_stride,
               (size_t)e->count * sizeof(float));
    sac_onnx_floats(o, "position_code", code, p->outputs, e->count);
    sac_free(code);
    sac_onnx_node(o, "Add", "unplaced position_code", "tokens", NULL);
    return SAC_OK;
}
