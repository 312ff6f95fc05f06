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

// Count the floats of the largest image between two layers.
static size_t image_room(const sac_cnn *cnn)
{
    size_t most = 0;
    for (int i = 1; i < cnn->layer_count; i++)
    {
        const sac_patches *p = &cnn->layers[i].patches;
        size_t size = (size_t)p->height * (size_t)p->width * (size_t)p->channels;
        if (size > most) most = size;
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

void sac_c_layer_code(sac_c_file *file)
{
    const sac_cnn *cnn = file->parts.cnn;
    sac_growing *text = &file->text;
    sac_c_part(file, "layers.c");
    // the last layer writes to what the controller is told
    bool one = cnn->layer_count == 1;
    sac_grow_text(text, "static void read_image(void)\n{\n    interleave(%s);\n",
                  one ? "state.told" : "state.images[0]");
    for (int i = 1; i < cnn->layer_count; i++)
    {
        const sac_patches *p = &cnn->layers[i].patches;
        char out[32];
        snprintf(out, sizeof out, i == cnn->layer_count - 1 ? "state.told" : "state.images[%d]", i % 2);
        sac_grow_text(text, "    convolve(%s, state.images[%d], layer%d_weight, layer%d_bias, %d, %d, %d, %d, %d);\n",
                      out, (i - 1) % 2, i, i, p->width, p->channels, p->rows, p->columns, p->outputs);
    }
    // a function that is never called would be a warning
    if (one) sac_grow_text(text, "    (void)convolve;\n");
    sac_grow_text(text, "}\n\n");
}
