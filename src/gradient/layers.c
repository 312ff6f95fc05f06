#include <string.h>

#include "gradient/gradient.h"

/// A convolutional network: the first layer's outputs are the tokens; ReLU and then max pooling after each layer;
/// images are [rows, columns, channels].

static sac_convolution shape_of(const sac_cnn *cnn, int layer)
{
    const sac_patches *s = &cnn->layers[layer].patches;
    return (sac_convolution){.height = s->height,
                             .width = s->width,
                             .channels = s->channels,
                             .patch = s->patch,
                             .stride = s->stride,
                             .outputs = s->outputs,
                             .activation = SAC_ACTIVATION_RELU};
}

static sac_pooling pooling_of(const sac_cnn *cnn, int layer)
{
    const sac_image_layer *s = &cnn->layers[layer];
    const sac_patches *p = &s->patches;
    return (sac_pooling){p->rows, p->columns, p->outputs, s->pool, s->pool, false};
}

// numbers of a layer's image before it is pooled, and of what it gives
static size_t plain_size(const sac_cnn *cnn, int layer)
{
    const sac_patches *s = &cnn->layers[layer].patches;
    return (size_t)s->rows * (size_t)s->columns * (size_t)s->outputs;
}

static size_t image_size(const sac_cnn *cnn, int layer)
{
    const sac_image_layer *s = &cnn->layers[layer];
    return (size_t)s->rows * (size_t)s->columns * (size_t)s->patches.outputs;
}

// what a layer gives; of the last one that is what is told
static float *image_of(const sac_pass *p, int layer, int frame)
{
    const sac_cnn *cnn = p->g->parts.cnn;
    if (layer == cnn->layer_count - 1) return p->room.told + (ptrdiff_t)frame * p->g->told;
    return p->room.images[layer] + (size_t)frame * image_size(cnn, layer);
}

// a layer's image before it is pooled
static float *plain_of(const sac_pass *p, int layer, int frame)
{
    const sac_cnn *cnn = p->g->parts.cnn;
    if (cnn->layers[layer].pool == 1) return image_of(p, layer, frame);
    return p->room.plain_images[layer] + (size_t)frame * plain_size(cnn, layer);
}

static void pool(const sac_pass *p, int layer, int frame)
{
    const sac_pooling shape = pooling_of(p->g->parts.cnn, layer);
    if (shape.patch > 1) p->l.pooling_forward(&p->l, &shape, image_of(p, layer, frame), plain_of(p, layer, frame));
}

// planar tokens [O, token_stride] to [pixels, O] with ReLU
static void interleave(float *out, const float *tokens, const sac_embedding *e)
{
    for (int o = 0; o < e->patches.outputs; o++, tokens += e->token_stride)
        for (int n = 0; n < e->count; n++) out[(ptrdiff_t)n * e->patches.outputs + o] = tokens[n] > 0 ? tokens[n] : 0;
}

void sac_layers_forward(sac_pass *p)
{
    const sac_cnn *cnn = p->g->parts.cnn;
    for (int frame = 0; frame < p->frames; frame++)
    {
        sac_look_frame(p, frame);
        interleave(plain_of(p, 0, frame), sac_pass_tokens(p, frame, 0), &cnn->embedding);
        pool(p, 0, frame);
        for (int i = 1; i < cnn->layer_count; i++)
        {
            const sac_convolution shape = shape_of(cnn, i);
            const sac_layer *tensors = &cnn->layers[i].tensors;
            p->l.convolution_forward(&p->l, &shape, plain_of(p, i, frame), image_of(p, i - 1, frame),
                                     p->parameters + tensors->weight, p->parameters + tensors->bias,
                                     p->room.layer_workspace);
            pool(p, i, frame);
        }
    }
}

// gradient with respect to the tokens, from that with respect to the first layer's image
static void interleave_backward(float *dtokens, const float *dimage, const sac_embedding *e)
{
    for (int o = 0; o < e->patches.outputs; o++, dtokens += e->token_stride)
        for (int n = 0; n < e->count; n++) dtokens[n] = dimage[(ptrdiff_t)n * e->patches.outputs + o];
}

static void swap(float **a, float **b)
{
    float *first = *a;
    *a = *b;
    *b = first;
}

static void backward_frame(sac_pass *p, int frame)
{
    const sac_cnn *cnn = p->g->parts.cnn;
    const int last = cnn->layer_count - 1;
    const size_t told = image_size(cnn, last);
    float *dimage = p->room.dimage, *dnext = p->room.dnext;
    memcpy(dimage, p->room.dtold + (ptrdiff_t)frame * p->g->told, told * sizeof *dimage);
    for (int i = last; i >= 0; i--)
    {
        const sac_pooling pooling = pooling_of(cnn, i);
        if (pooling.patch > 1)
        {
            p->l.pooling_backward(&p->l, &pooling, dnext, dimage, plain_of(p, i, frame));
            swap(&dimage, &dnext);
        }
        p->l.curve_backward(&p->l, dimage, dimage, plain_of(p, i, frame), SAC_CURVE_RELU, plain_size(cnn, i));
        if (i == 0) break;
        const sac_convolution shape = shape_of(cnn, i);
        const sac_layer *tensors = &cnn->layers[i].tensors;
        p->l.convolution_backward(&p->l, &shape, dnext, p->sums + tensors->weight, p->sums + tensors->bias, dimage,
                                  image_of(p, i - 1, frame), p->parameters + tensors->weight, p->room.layer_workspace);
        swap(&dimage, &dnext);
    }
    interleave_backward(p->room.dtokens, dimage, &cnn->embedding);
    sac_look_frame_backward(p, frame);
}

void sac_layers_backward(sac_pass *p)
{
    for (int frame = 0; frame < p->frames; frame++) backward_frame(p, frame);
}
