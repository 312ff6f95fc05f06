#include <stdio.h>

#include "export/c/agent_c.h"

// This file writes the convolutional network. Its first layer is the projection of patches, and the others read the
// image that this layer makes.

// The weights of layer 0 are those of the tokens, which c_tokens.c writes.
sac_status sac_c_layer_constants(sac_c_file *file)
{
    const sac_cnn *cnn = file->parts.cnn;
    for (int i = 1; i < cnn->layer_count; i++)
    {
        const sac_image_layer *layer = &cnn->layers[i];
        const sac_patches *p = &layer->patches;
        char name[32];
        snprintf(name, sizeof name, "layer%d_bias", i);
        sac_c_floats(file, name, file->rounded->parameters + layer->tensors.bias, (size_t)p->outputs);
        snprintf(name, sizeof name, "layer%d_weight", i);
        sac_c_matrix(file, name, layer->tensors.weight, p->outputs, sac_patch_size(p));
    }
    return SAC_OK;
}

// Count the floats of the largest image between two layers, or before one is pooled.
static size_t image_room(const sac_cnn *cnn)
{
    size_t most = 0;
    for (int i = 0; i < cnn->layer_count; i++)
    {
        const sac_patches *p = &cnn->layers[i].patches;
        size_t read = i ? (size_t)p->height * (size_t)p->width * (size_t)p->channels : 0;
        size_t plain = cnn->layers[i].pool > 1 ? (size_t)p->rows * (size_t)p->columns * (size_t)p->outputs : 0;
        if (read > most) most = read;
        if (plain > most) most = plain;
    }
    return most;
}

void sac_c_layer_fields(sac_c_file *file)
{
    const sac_cnn *cnn = file->parts.cnn;
    char shape[48];
    // two images take turns, as in the library: each layer reads the one that the layer before has written
    size_t room = image_room(cnn);
    sac_c_field(file, "float", sizeof(float), "tokens", "[OUTPUTS][TOKENS]",
                (size_t)cnn->embedding.count * (size_t)cnn->embedding.patches.outputs);
    snprintf(shape, sizeof shape, "[2][%zu]", room);
    sac_c_field(file, "float", sizeof(float), "images", shape, 2 * room);
}

// The image that a layer gives: the last one writes to what the controller is told, the others take turns.
static const char *image_of(const sac_cnn *cnn, int layer)
{
    if (layer == cnn->layer_count - 1) return "state.told";
    return layer % 2 ? "state.images[1]" : "state.images[0]";
}

// The image of a layer before it is pooled, which may be pooled in its own place.
static const char *plain_of(const sac_cnn *cnn, int layer)
{
    if (cnn->layers[layer].pool == 1) return image_of(cnn, layer);
    return layer % 2 ? "state.images[1]" : "state.images[0]";
}

static void add_pooling(sac_c_file *file, int layer)
{
    const sac_cnn *cnn = file->parts.cnn;
    const sac_image_layer *l = &cnn->layers[layer];
    if (l->pool == 1) return;
    sac_grow_text(&file->text, "    pool(%s, %s, %d, %d, %d, %d, %d);\n", image_of(cnn, layer), plain_of(cnn, layer),
                  l->pool, l->patches.columns, l->rows, l->columns, l->patches.outputs);
}

static bool has_pooling(const sac_cnn *cnn)
{
    for (int i = 0; i < cnn->layer_count; i++)
        if (cnn->layers[i].pool > 1) return true;
    return false;
}

void sac_c_layer_code(sac_c_file *file)
{
    const sac_cnn *cnn = file->parts.cnn;
    sac_growing *text = &file->text;
    sac_c_part(file, "layers.c");
    if (has_pooling(cnn)) sac_c_part(file, "pooling.c");
    sac_grow_text(text, "static void read_image(void)\n{\n    interleave(%s);\n", plain_of(cnn, 0));
    add_pooling(file, 0);
    for (int i = 1; i < cnn->layer_count; i++)
    {
        const sac_patches *p = &cnn->layers[i].patches;
        sac_grow_text(text, "    convolve(%s, %s, layer%d_weight, layer%d_bias, %d, %d, %d, %d, %d);\n",
                      plain_of(cnn, i), image_of(cnn, i - 1), i, i, p->width, p->channels, p->rows, p->columns,
                      p->outputs);
        add_pooling(file, i);
    }
    // a function that is never called would be a warning
    if (cnn->layer_count == 1) sac_grow_text(text, "    (void)convolve;\n");
    sac_grow_text(text, "}\n\n");
}
