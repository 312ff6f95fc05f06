#include <stdio.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "export/onnx/onnx.h"

// IAP-trans and the convolutional network, which compute the controller's inputs without keeping any patch.

// "gain@" [F]: what each feature of a side is multiplied by.
static sac_status add_gains(sac_onnx *o, sac_attention_side side)
{
    const sac_attention *a = o->parts.agent->attention;
    float *gains = SAC_NEW_ARRAY(float, (size_t)a->feature_size);
    if (!gains) return sac_fail_memory("an ONNX graph");
    for (int f = 0; f < a->feature_size; f++) gains[f] = (float)a->gains[side][f];
    sac_onnx_floats(o, "gain@", gains, 0, a->feature_size);
    sac_free(gains);
    return SAC_OK;
}

// OUT = A B^T
static void add_product(sac_onnx *o, const char *inputs, const char *out)
{
    sac_onnx_node(o, "Gemm", inputs, out, "transB", 'i', 1, NULL);
}

// "mixture" [L, V] = P Q' K'^T V, multiplied in the library's order
static void add_mixture(sac_onnx *o)
{
    const sac_trans *t = &o->parts.agent->trans;
    sac_trans_order order = t->order;
    if (order == SAC_TRANS_CHEAPEST)
        order = sac_trans_cheapest(t->rows, sac_attention_feature_size(t->attention), o->parts.embedding->count,
                                   t->value_size);
    if (order != SAC_TRANS_RIGHT)
    {
        add_product(o, "projection_double phi_q_double", "raw_summary");
        sac_onnx_node(o, "Mul", "raw_summary gain_q_double", "summary", NULL);
    }
    if (order != SAC_TRANS_LEFT)
    {
        add_product(o, "values_double phi_k_double", "raw_gathered");
        sac_onnx_node(o, "Mul", "raw_gathered gain_k_double", "gathered", NULL);
    }
    if (order == SAC_TRANS_LEFT)
    {
        sac_onnx_node(o, "Mul", "summary gain_k_double", "summary_twice", NULL);
        sac_onnx_node(o, "MatMul", "summary_twice phi_k_double", "from_patches", NULL);
        add_product(o, "from_patches values_double", "mixture");
    }
    else if (order == SAC_TRANS_RIGHT)
    {
        sac_onnx_node(o, "Mul", "gathered gain_q_double", "gathered_twice", NULL);
        sac_onnx_node(o, "MatMul", "gathered_twice phi_q_double", "to_patches", NULL);
        add_product(o, "projection_double to_patches", "mixture");
    }
    else
        add_product(o, "summary gathered", "mixture");
}

// Bring each row to mean 0 and variance 1 in double, then apply gain and bias.
static void add_norm(sac_onnx *o, const char *in)
{
    const sac_agent *a = o->parts.agent;
    // the library's epsilon is a float
    const double epsilon = (double)1e-5f;
    int v = a->value_size;
    sac_onnx_tensor(o, "epsilon", SAC_ONNX_DOUBLE, &epsilon, 0, NULL);
    sac_onnx_floats(o, "norm_gain", o->parts.agent_state->gain, 0, v);
    sac_onnx_floats(o, "norm_bias", o->policy->parameters + a->trans_bias, 0, v);
    sac_onnx_node(o, "Identity", in, "row", NULL);
    sac_onnx_node(o, "ReduceMean", "row", "row_mean", "axes", 'I', 1, 1, NULL);
    sac_onnx_node(o, "Sub", "row row_mean", "centred_row", NULL);
    sac_onnx_node(o, "Mul", "centred_row centred_row", "row_squares", NULL);
    sac_onnx_node(o, "ReduceMean", "row_squares", "row_variance", "axes", 'I', 1, 1, NULL);
    sac_onnx_node(o, "Add", "row_variance epsilon", "row_more", NULL);
    sac_onnx_node(o, "Sqrt", "row_more", "row_deviation", NULL);
    sac_onnx_node(o, "Div", "centred_row row_deviation", "row_scaled", NULL);
    sac_onnx_node(o, "Cast", "norm_gain", "row_gain", "to", 'i', SAC_ONNX_DOUBLE, NULL);
    sac_onnx_node(o, "Cast", "norm_bias", "row_bias", "to", 'i', SAC_ONNX_DOUBLE, NULL);
    sac_onnx_node(o, "Mul", "row_scaled row_gain", "row_gained", NULL);
    sac_onnx_node(o, "Add", "row_gained row_bias", "row_biased", NULL);
    sac_onnx_node(o, "Cast", "row_biased", "normed", "to", 'i', SAC_ONNX_FLOAT, NULL);
}

// What the controller is told is one row.
static void add_seen(sac_onnx *o, const char *in)
{
    char inputs[64];
    snprintf(inputs, sizeof inputs, "%s seen_shape", in);
    sac_onnx_ints(o, "seen_shape", (const int64_t[]){1, o->parts.actor->told_count}, 2);
    sac_onnx_node(o, "Reshape", inputs, "seen", NULL);
}

sac_status sac_onnx_add_trans(sac_onnx *o)
{
    const sac_agent *a = o->parts.agent;
    SAC_TRY(sac_onnx_add_attention(o));
    sac_onnx_floats(o, "projection", o->policy->parameters + a->trans_projection, a->trans.rows, a->embedding.count);
    o->side = "_q";
    SAC_TRY(add_gains(o, SAC_QUERIES));
    o->side = "_k";
    SAC_TRY(add_gains(o, SAC_KEYS));
    o->side = NULL;
    // in double, because a runtime adds in an order of its own: what that changes is far below the last place of a
    // float
    static const char *const names[] = {"projection", "values", "phi_q", "phi_k", "gain_q", "gain_k"};
    for (int i = 0; i < 6; i++)
    {
        char out[32];
        snprintf(out, sizeof out, "%s_double", names[i]);
        sac_onnx_node(o, "Cast", names[i], out, "to", 'i', SAC_ONNX_DOUBLE, NULL);
    }
    add_mixture(o);
    const char *rows = "mixture";
    if (a->trans.residual)
    {
        add_product(o, "projection_double values_double", "residual");
        sac_onnx_node(o, "Add", "mixture residual", "joined", NULL);
        rows = "joined";
    }
    if (a->config.layer_norm) add_norm(o, rows);
    add_seen(o, a->config.layer_norm ? "normed" : rows);
    return SAC_OK;
}

// Write a layer's weights [O, kernel, kernel, C] as ONNX wants them, [O, C, kernel, kernel].
static sac_status add_kernel(sac_onnx *o, const sac_image_layer *layer)
{
    const sac_patches *p = &layer->patches;
    int size = p->patch * p->patch, channels = p->channels;
    const float *weights = o->policy->parameters + layer->tensors.weight;
    float *kernel = SAC_NEW_MATRIX(float, (size_t)p->outputs, (size_t)(size * channels));
    if (!kernel) return sac_fail_memory("an ONNX graph");
    for (int i = 0; i < p->outputs * size * channels; i++)
    {
        int out = i / (size * channels), pixel = i / channels % size, channel = i % channels;
        kernel[(out * channels + channel) * size + pixel] = weights[i];
    }
    sac_onnx_tensor(o, "layer_kernel@", SAC_ONNX_FLOAT, kernel, 4,
                    (const int64_t[]){p->outputs, channels, p->patch, p->patch});
    sac_free(kernel);
    sac_onnx_floats(o, "layer_bias@", o->policy->parameters + layer->tensors.bias, 0, p->outputs);
    return SAC_OK;
}

// Write the pooling of a layer's picture, where it has one. @return the name of what the layer gives
static const char *add_pooling(sac_onnx *o, const sac_image_layer *layer)
{
    const int pool = layer->pool;
    if (pool == 1) return "picture";
    sac_onnx_node(o, "MaxPool", "picture@", "pooled@", "kernel_shape", 'I', 2, pool, pool, "strides", 'I', 2, pool,
                  pool, NULL);
    return "pooled";
}

sac_status sac_onnx_add_layers(sac_onnx *o)
{
    const sac_cnn *cnn = o->parts.cnn;
    const sac_patches *p = &cnn->embedding.patches;
    sac_onnx_ints(o, "first_shape", (const int64_t[]){1, p->outputs, p->rows, p->columns}, 4);
    sac_onnx_node(o, "Relu", "tokens", "first_lit", NULL);
    sac_onnx_node(o, "Reshape", "first_lit first_shape", "picture0", NULL);
    char last[32] = "";
    for (int i = 0; i < cnn->layer_count; i++)
    {
        char side[16], inputs[64];
        const sac_patches *q = &cnn->layers[i].patches;
        snprintf(side, sizeof side, "%d", i);
        snprintf(inputs, sizeof inputs, "%s layer_kernel@ layer_bias@", last);
        o->side = side;
        if (i > 0)
        {
            SAC_TRY(add_kernel(o, &cnn->layers[i]));
            sac_onnx_node(o, "Conv", inputs, "layer@", "strides", 'I', 2, q->stride, q->stride, "kernel_shape", 'I', 2,
                          q->patch, q->patch, NULL);
            sac_onnx_node(o, "Relu", "layer@", "picture@", NULL);
        }
        snprintf(last, sizeof last, "%s%d", add_pooling(o, &cnn->layers[i]), i);
        o->side = NULL;
    }
    // [1, O, rows, columns] -> [1, rows, columns, O]: the controller's weights are in the library's order
    sac_onnx_node(o, "Transpose", last, "by_pixel", "perm", 'I', 4, 0, 2, 3, 1, NULL);
    add_seen(o, "by_pixel");
    return SAC_OK;
}
