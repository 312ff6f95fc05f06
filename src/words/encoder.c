#include "words/encoder.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "kernels/elementary.h"

static const float highest = 100; // T, as in CLIP

void sac_words_encoder_lay_out(words_encoder *e, int height, int width, int channels, int words, int size, int thick)
{
    const int outputs[WORDS_LAYERS] = {thick, thick * 3 / 2, thick * 2, thick * 3};
    *e = (words_encoder){.height = height, .width = width, .channels = channels, .words = words, .size = size};
    for (int i = 0; i < WORDS_LAYERS; i++)
    {
        const bool halves = i < WORDS_LAYERS - 1;
        sac_convolution *c = &e->layers[i];
        *c = (sac_convolution){.height = height,
                               .width = width,
                               .channels = channels,
                               .patch = halves ? 4 : 3,
                               .stride = halves ? 2 : 1,
                               .padding = 1,
                               .outputs = outputs[i],
                               .activation = SAC_ACTIVATION_RELU};
        const size_t room = sac_convolution_workspace(c);
        if (room > e->workspace) e->workspace = room;
        sac_convolution_size(c, &height, &width);
        channels = outputs[i];
        e->maps[i] = (size_t)height * (size_t)width * (size_t)channels;
        e->kept += e->maps[i];
    }
    size_t largest = 0;
    for (int i = 0; i < WORDS_LAYERS; i++) largest = e->maps[i] > largest ? e->maps[i] : largest;
    e->workspace = (e->workspace + 15) / 16 * 16;
    e->room = e->workspace + largest;
    e->rows = height;
    e->columns = width;
    e->count = height * width;
    // the picture as floats, what the last layer gives before it is of unit length, and its length
    e->kept += (size_t)e->height * (size_t)e->width * (size_t)e->channels + (size_t)e->count * (size_t)(size + 1);
}

// PyTorch's bound for a layer's weights and biases
static double bound(int inputs)
{
    return 1 / sqrt((double)inputs);
}

void sac_words_encoder_tensors(words_encoder *e, words_tensor tensors[WORDS_TENSORS])
{
    static const char *const names[WORDS_LAYERS][2] = {{"picture.0.weight", "picture.0.bias"},
                                                       {"picture.1.weight", "picture.1.bias"},
                                                       {"picture.2.weight", "picture.2.bias"},
                                                       {"picture.3.weight", "picture.3.bias"}};
    int n = 0;
    for (int i = 0; i < WORDS_LAYERS; i++)
    {
        const sac_convolution *c = &e->layers[i];
        const double limit = bound(c->patch * c->patch * c->channels);
        tensors[n++] =
            (words_tensor){names[i][0], 4, {c->outputs, c->patch, c->patch, c->channels}, limit, &e->weights[i]};
        tensors[n++] = (words_tensor){names[i][1], 1, {c->outputs}, limit, &e->biases[i]};
    }
    const int last = e->layers[WORDS_LAYERS - 1].outputs;
    tensors[n++] = (words_tensor){"key.weight", 2, {e->size, last}, bound(last), &e->key_weights};
    tensors[n++] = (words_tensor){"key.bias", 1, {e->size}, bound(last), &e->key_bias};
    tensors[n++] = (words_tensor){"text.weight", 2, {e->size, e->words}, 1, &e->text};
    tensors[n++] = (words_tensor){"temperature", 1, {1}, 0, &e->temperature};
    SAC_ASSERT(n == WORDS_TENSORS);
}

// T = exp(t + ln 10): 10 where the parameter is zero, as it is drawn
float sac_words_temperature(const words_encoder *e, const float *parameters)
{
    const float t = 10 * sac_exp(parameters[e->temperature]);
    return t < highest ? t : highest;
}

/// What is kept of a picture.
typedef struct kept_parts
{
    float *picture, *maps[WORDS_LAYERS], *raw, *lengths;
} kept_parts;

static kept_parts cut(const words_encoder *e, float *kept)
{
    kept_parts k = {.picture = kept};
    kept += (size_t)e->height * (size_t)e->width * (size_t)e->channels;
    for (int i = 0; i < WORDS_LAYERS; i++) k.maps[i] = kept, kept += e->maps[i];
    k.raw = kept;
    k.lengths = kept + (size_t)e->count * (size_t)e->size;
    return k;
}

void sac_words_look(const words_encoder *e, const sac_learn *l, const float *parameters, float *keys, float *kept,
                    const uint8_t *picture, float *workspace)
{
    const kept_parts k = cut(e, kept);
    const int pixels = e->height * e->width * e->channels;
    for (int i = 0; i < pixels; i++) k.picture[i] = (float)picture[i] * (1.0f / 127.5f) - 1.0f;
    const float *x = k.picture;
    for (int i = 0; i < WORDS_LAYERS; i++)
    {
        l->convolution_forward(l, &e->layers[i], k.maps[i], x, parameters + e->weights[i], parameters + e->biases[i],
                               workspace);
        x = k.maps[i];
    }
    l->linear_forward(l, k.raw, x, parameters + e->key_weights, parameters + e->key_bias, e->count,
                      e->layers[WORDS_LAYERS - 1].outputs, e->size, SAC_ACTIVATION_NONE);
    l->unit_forward(l, keys, k.lengths, k.raw, 1, e->count, e->size);
}

void sac_words_look_back(const words_encoder *e, const sac_learn *l, const float *parameters, float *gradient,
                         const float *dkeys, const float *keys, float *kept, float *workspace)
{
    const kept_parts k = cut(e, kept);
    const int last = WORDS_LAYERS - 1;
    // a gradient takes the place of what it is the gradient of, once nobody reads that any more
    l->unit_backward(l, k.raw, dkeys, keys, k.lengths, 1, e->count, e->size);
    const float *raw = k.raw;
    float *spare = workspace + e->workspace;
    l->linear_backward(l, spare, gradient + e->key_weights, gradient + e->key_bias, raw, k.maps[last],
                       parameters + e->key_weights, e->count, e->layers[last].outputs, e->size);
    for (int i = last; i >= 0; i--)
    {
        // the gradient with respect to what the layer gave is in `spare`; then that before its relu, in its map
        l->curve_backward(l, k.maps[i], spare, k.maps[i], SAC_CURVE_RELU, e->maps[i]);
        l->convolution_backward(l, &e->layers[i], i > 0 ? spare : NULL, gradient + e->weights[i],
                                gradient + e->biases[i], k.maps[i], i > 0 ? k.maps[i - 1] : k.picture,
                                parameters + e->weights[i], workspace);
    }
}

// --- captions

void sac_words_read(const words_encoder *e, const sac_learn *l, const float *parameters, float *queries, float *lengths,
                    const float *bags, int count)
{
    l->linear_forward(l, queries, bags, parameters + e->text, NULL, count, e->words, e->size, SAC_ACTIVATION_NONE);
    l->unit_forward(l, queries, lengths, queries, 1, count, e->size);
}

void sac_words_read_back(const words_encoder *e, const sac_learn *l, float *gradient, float *dqueries,
                         const float *queries, const float *lengths, const float *bags, int count)
{
    l->unit_backward(l, dqueries, dqueries, queries, lengths, 1, count, e->size);
    l->linear_backward(l, NULL, gradient + e->text, NULL, dqueries, bags, NULL, count, e->words, e->size);
}
