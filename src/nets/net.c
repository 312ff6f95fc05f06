#include "nets/net.h"

#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "nets/node.h"

/// Making nets of the kinds that there are.

static const net_kind *const kinds[] = {&sac_net_resnet, &sac_net_attention_net, &sac_net_vit, NULL};

const char *sac_net_kind_name(const void *unused, int index)
{
    (void)unused;
    return kinds[index] ? kinds[index]->name : NULL;
}

static const net_kind *find_kind(const char *name)
{
    for (int i = 0; kinds[i]; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

const sac_option *sac_net_options(const char *kind)
{
    const net_kind *found = find_kind(kind);
    return found ? found->options : NULL;
}

// those that decay first, so that the optimiser can tell them by where they are
static void place_tensors(sac_net *net)
{
    size_t at = 0;
    for (int decays = 1; decays >= 0; decays--)
    {
        for (int i = 0; i < net->tensor_count; i++)
            if (net->tensors[i].decays == (decays == 1))
            {
                net->tensors[i].first = at;
                at += net->tensors[i].count;
            }
        if (decays) net->decaying = at;
    }
    net->parameters = at;
}

// Backward runs from the last node to the first. The first one there that has a gradient for a value writes it, the
// others add to it.
static void find_additions(sac_net *net)
{
    bool written[NET_NODES + 1] = {false};
    for (int i = net->node_count - 1; i >= 0; i--)
        for (int k = 0; k < 2; k++)
        {
            net_node *n = &net->nodes[i];
            if (n->in[k] == NET_NONE) continue;
            n->add[k] = written[n->in[k]];
            written[n->in[k]] = true;
        }
}

sac_status sac_net_create(sac_net **out, const sac_net_def *def)
{
    *out = NULL;
    const net_kind *kind = find_kind(def->kind);
    if (!kind)
        return sac_fail(SAC_ERROR_ARGUMENT, "net.kind: there is no '%.60s'%s", def->kind,
                        sac_expected(def->kind, sac_net_kind_name, NULL));
    sac_net *net = SAC_NEW(sac_net);
    if (!net) return sac_fail_memory("a net");
    net->values[net->value_count++] = def->input;
    kind->build(net, def->config, def->classes);
    sac_status status = net->status;
    if (status != SAC_OK)
    {
        sac_free(net);
        return status;
    }
    place_tensors(net);
    find_additions(net);
    *out = net;
    return SAC_OK;
}

void sac_net_destroy(sac_net *net)
{
    sac_free(net);
}

size_t sac_net_parameters(const sac_net *net)
{
    return net->parameters;
}

size_t sac_net_decaying(const sac_net *net)
{
    return net->decaying;
}

size_t sac_net_measured(const sac_net *net)
{
    return net->measured;
}

int sac_net_value_count(const sac_net *net)
{
    return net->value_count;
}

sac_net_shape sac_net_value_shape(const sac_net *net, int value)
{
    return net->values[value];
}

const char *sac_net_value_name(const sac_net *net, int value)
{
    return value == 0 ? "input" : net->nodes[value - 1].name;
}

int sac_net_tensor_count(const sac_net *net)
{
    return net->tensor_count;
}

const sac_net_tensor *sac_net_tensor_at(const sac_net *net, int index)
{
    return &net->tensors[index];
}

const sac_net_tensor *sac_net_find(const sac_net *net, const char *name)
{
    for (int i = 0; i < net->tensor_count; i++)
        if (strcmp(net->tensors[i].name, name) == 0) return &net->tensors[i];
    return NULL;
}

// --- the start ---

static void draw_normal(float *out, const sac_net_tensor *t, uint64_t seed, int index)
{
    double some[256];
    for (size_t at = 0; at < t->count; at += 256)
    {
        const size_t count = t->count - at < 256 ? t->count - at : 256;
        sac_normals_from(some, at, count, seed, 0x6e657473, (uint64_t)index);
        for (size_t i = 0; i < count; i++) out[at + i] = (float)(t->spread * some[i]);
    }
}

const sac_net_tensor *sac_net_broken_tensor(const sac_net *net, const float *parameters)
{
    for (int i = 0; i < net->tensor_count; i++)
        if (!sac_all_finite(parameters + net->tensors[i].first, net->tensors[i].count)) return &net->tensors[i];
    return NULL;
}

void sac_net_draw(const sac_net *net, uint64_t seed, float *parameters, float *measured)
{
    for (int i = 0; i < net->tensor_count; i++)
    {
        const sac_net_tensor *t = &net->tensors[i];
        float *out = parameters + t->first;
        for (size_t k = 0; k < t->count; k++) out[k] = t->start == SAC_NET_ONES ? 1.0f : 0.0f;
        if (t->start == SAC_NET_NORMAL || t->start == SAC_NET_ROOTS) draw_normal(out, t, seed, i);
        if (t->start == SAC_NET_ROOTS)
            for (size_t k = 0; k < t->count; k++) out[k] += k % 4 == 0 || k % 4 == 3 ? 1.0f : 0.0f;
    }
    // of each batch norm [2, C]: means, variances
    for (int i = 0; i < net->node_count; i++)
        if (net->nodes[i].op->measure)
        {
            const int size = net->values[net->nodes[i].out].channels;
            for (int c = 0; c < 2 * size; c++) measured[net->nodes[i].measured + (size_t)c] = c < size ? 0.0f : 1.0f;
        }
}
