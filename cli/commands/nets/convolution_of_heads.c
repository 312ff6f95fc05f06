#include "commands/nets/convolution_of_heads.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "conversion.h"
#include "files/json.h"
#include "nets/look.h"

/// The convolution that a layer of learned heads is: their shares of attention times the map from all that they saw
/// back to the width.

typedef struct layer
{
    char name[32];
    int index, heads, width;
    sac_head *list;     // [heads]
    float *weights, *x; // [heads, width, width], [width, side, side]
    float *convolution; // [K * K, width, width]
    const float *bias;  // [width]
    sac_planes planes;
} layer;

enum
{
    MOST = 15 // K
};

bool cli_has_gaussian_heads(const sac_trained_net *net)
{
    double place[2], precision[3];
    return sac_net_look_layer(net->net, 0) >= 0 && sac_net_look_form(net->net, 0, 0, net->parameters, place, precision);
}

static const char *layer_name(const void *user, int index)
{
    static char name[32];
    if (sac_net_look_layer(user, index) < 0) return NULL;
    snprintf(name, sizeof name, "layer%d", index);
    return name;
}

static sac_status find_layer(layer *l, const sac_trained_net *net, const char *name, const char *path)
{
    const char *found;
    for (l->index = 0; (found = layer_name(net->net, l->index)); l->index++)
        if (!name || strcmp(found, name) == 0) break;
    if (!found)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.400s has no layer of heads '%.80s', expected layer0 to layer%d", path,
                        name, l->index - 1);
    snprintf(l->name, sizeof l->name, "%s", found);
    l->heads = sac_net_look_heads(net->net, l->index);
    l->width = sac_net_look_tokens(net->net, l->index).channels;
    return SAC_OK;
}

static const float *tensor(const layer *l, const sac_trained_net *net, const char *part)
{
    char name[64];
    snprintf(name, sizeof name, "%s.values.%s", l->name, part);
    const sac_net_tensor *t = sac_net_find(net->net, name);
    SAC_ASSERT(t);
    return net->parameters + t->first;
}

// The map is [width, heads * width]; a layer of heads has [heads, width, outputs].
static sac_status take(layer *l, const sac_trained_net *net, int side, uint64_t seed)
{
    const size_t width = (size_t)l->width, inputs = (size_t)l->heads * width, pixels = (size_t)side * (size_t)side;
    l->list = SAC_NEW_ARRAY(sac_head, (size_t)l->heads);
    l->weights = SAC_NEW_MATRIX(float, inputs, width);
    l->x = SAC_NEW_MATRIX(float, width, pixels);
    l->convolution = SAC_NEW_MATRIX(float, (size_t)(MOST * MOST), width *width);
    if (!l->list || !l->weights || !l->x || !l->convolution) return sac_fail_memory("a layer of heads");
    for (int h = 0; h < l->heads; h++)
    {
        double place[2];
        sac_net_look_form(net->net, l->index, h, net->parameters, place, l->list[h].precision);
        l->list[h].target[0] = -place[0];
        l->list[h].target[1] = -place[1];
    }
    const float *map = tensor(l, net, "weight");
    for (size_t i = 0; i < inputs; i++)
        for (size_t o = 0; o < width; o++) l->weights[i * width + o] = map[o * inputs + i];
    l->bias = tensor(l, net, "bias");
    theory_uniform(l->x, width * pixels, seed, 0);
    l->planes = (sac_planes){l->x, side, side};
    return SAC_OK;
}

static sac_status print_size(const layer *l, int size, bool json, bool *holds)
{
    theory_of_heads found;
    const sac_filter f = {size, l->width, l->width, l->weights, l->bias};
    SAC_TRY(theory_convolve_heads(&found, l->convolution, &f, l->list, l->heads, &l->planes));
    *holds = *holds && found.error <= found.bound;
    if (json)
        return sac_json_print(stdout,
                              json_pack("{s:i, s:o, s:o, s:o}", "size", size, "outside", sac_json_number(found.outside),
                                        "error", sac_json_number(found.error), "bound", sac_json_number(found.bound)));
    printf("%4d  %8.2e  %9.2e %9.2e\n", size, found.outside, found.error, found.bound);
    return SAC_OK;
}

sac_status cli_print_convolution_of_heads(const sac_trained_net *net, const char *name, const char *path, int side,
                                          uint64_t seed, bool json, bool *holds)
{
    layer l = {.index = 0};
    SAC_TRY(find_layer(&l, net, name, path));
    sac_status status = take(&l, net, side, seed);
    if (status == SAC_OK && !json)
        printf("%s, %d head%s of %d channel%s, as a convolution; a picture of %d x %d, zeros around\n"
               "%4s  %8s  %9s %9s\n",
               l.name, l.heads, sac_plural(l.heads), l.width, sac_plural(l.width), side, side, "K", "outside", "error",
               "bound");
    for (int size = 1; size <= MOST && status == SAC_OK; size += 2) status = print_size(&l, size, json, holds);
    sac_free(l.list);
    sac_free(l.weights);
    sac_free(l.x);
    sac_free(l.convolution);
    return status;
}
