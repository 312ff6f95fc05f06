#include "attention/form.h"
#include "gradient/gradient.h"
#include "policy/arrays.h"

/// The arrays of a minibatch.

#define COUNT(arrays) (sizeof(arrays) / sizeof *(arrays))

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t place_look(sac_gradient_room *r, const sac_gradient *g, size_t frames, unsigned char *block)
{
    const sac_embedding *e = g->parts.embedding;
    const size_t outputs = (size_t)e->patches.outputs, inputs = (size_t)e->inputs, stride = (size_t)e->stride;
    const size_t image = (size_t)e->patches.height * (size_t)e->patches.width * (size_t)e->channels;
    const sac_array arrays[] = {
        SAC_BYTES(r, scratch, SAC_LEARN_SCRATCH),
        SAC_ARRAY(r, weights, outputs * inputs),
        SAC_ARRAY(r, bias, outputs),
        SAC_ARRAY(r, offsets, e->positions ? outputs * stride : 0),
        SAC_ARRAY(r, packed, sac_project_packed_count(&e->patches)),
        SAC_ARRAY(r, scales, outputs),
        SAC_ARRAY(r, resized, e->resize ? frames * image : 0),
        SAC_BYTES(r, resize_workspace, e->resize ? sac_resize_workspace_size(e->resize) : 0),
        SAC_BYTES(r, project_scratch, sac_project_scratch_size(&e->patches)),
        SAC_ARRAY(r, sums, outputs * stride),
        SAC_ARRAY(r, tokens, frames * outputs * stride),
        SAC_ARRAY(r, dtokens, outputs * stride),
        SAC_ARRAY(r, dtotal, e->positions ? outputs * stride : 0),
        SAC_ARRAY(r, dweights, outputs * inputs),
        SAC_ARRAY(r, dbias, outputs),
        SAC_ARRAY(r, patches, sac_pixels_workspace(&e->patches)),
    };
    return sac_arrays_place(arrays, COUNT(arrays), block);
}

static size_t place_mixed(sac_gradient_room *r, const sac_gradient *g, size_t frames, unsigned char *block)
{
    const sac_agent *a = g->parts.agent;
    if (g->parts.reading != SAC_PARTS_TRANS) return 0;
    const size_t m = (size_t)sac_attention_feature_size(a->attention), v = (size_t)a->config.value_size;
    const size_t l = (size_t)a->trans.rows, stride = (size_t)a->embedding.stride, heads = frames * (size_t)a->heads;
    const sac_array arrays[] = {
        SAC_ARRAY(r, rows, heads * (m + v) * stride),
        SAC_ARRAY(r, keys, heads * m * stride),
        SAC_ARRAY(r, sides, heads * (m + v) * l),
        SAC_ARRAY(r, products, heads * v * m),
        SAC_ARRAY(r, plain, heads * l * v),
        SAC_ARRAY(r, moments, heads * l * 2),
        SAC_ARRAY(r, gain, a->value_size),
        SAC_BYTES(r, attention_workspace, sac_attention_workspace_size(a->attention, a->embedding.count)),
        SAC_ARRAY(r, dplain, l * v),
        SAC_ARRAY(r, dproducts, v * m),
        SAC_ARRAY(r, drows, (m + v) * stride),
        SAC_ARRAY(r, dkeys, m * stride),
        SAC_ARRAY(r, dsides, heads * (m + v) * l),
        SAC_ARRAY(r, units, (size_t)a->config.key_size * stride),
        SAC_ARRAY(r, map_workspace, (m + 2) * stride),
    };
    return sac_arrays_place(arrays, COUNT(arrays), block);
}

// what is chosen among patches, and the scores that it is chosen by
static size_t place_choices(sac_gradient_room *r, const sac_gradient *g, size_t frames, unsigned char *block)
{
    const sac_agent *a = g->parts.agent;
    if (g->parts.reading != SAC_PARTS_RANK) return 0;
    const size_t n = (size_t)a->embedding.count, kept = (size_t)a->config.top, size = (size_t)a->patch_features;
    const size_t inputs = (size_t)a->embedding.inputs;
    const sac_array arrays[] = {
        SAC_ARRAY(r, scores, frames * (size_t)a->embedding.stride),
        SAC_ARRAY(r, top, frames * kept),
        SAC_ARRAY(r, pixels, inputs),
        SAC_ARRAY(r, part_scratch, a->scratch_size),
        SAC_ARRAY(r, all, n * size),
        SAC_ARRAY(r, dall, n * size),
        SAC_ARRAY(r, all_pixels, n * inputs),
        SAC_ARRAY(r, dvalues, n * (size_t)a->config.value_size),
        SAC_ARRAY(r, choices, kept * n),
        SAC_ARRAY(r, dchoices, kept * n),
        SAC_ARRAY(r, dscores, a->embedding.stride),
    };
    return sac_arrays_place(arrays, COUNT(arrays), block);
}

static size_t place_scores(sac_gradient_room *r, const sac_gradient *g, unsigned char *block)
{
    const sac_agent *a = g->parts.agent;
    if (g->parts.reading != SAC_PARTS_RANK) return 0;
    const size_t d = (size_t)a->config.key_size, stride = (size_t)a->embedding.stride;
    const size_t m = (size_t)sac_attention_feature_size(a->attention), n = (size_t)a->embedding.count;
    const int count = a->embedding.count, size = a->config.key_size;
    const sac_attend shape = {1, count, count, size, 1, size, size, 1, 1, 1};
    size_t workspace = sac_attention_workspace_size(a->attention, count);
    const sac_array arrays[] = {
        SAC_BYTES(r, attention_workspace, larger(workspace, m ? sac_rank_workspace_size(a->attention) : 0)),
        SAC_ARRAY(r, head_scores, stride),
        SAC_ARRAY(r, votes, stride),
        SAC_ARRAY(r, summary, m),
        SAC_ARRAY(r, units, d * stride),
        SAC_ARRAY(r, map_workspace, (m + 2) * stride),
        SAC_ARRAY(r, query_features, m * stride),
        SAC_ARRAY(r, key_features, m * stride),
        SAC_ARRAY(r, dquery_features, m * stride),
        SAC_ARRAY(r, dkey_features, m * stride),
        SAC_ARRAY(r, queries, m ? 0 : n * d),
        SAC_ARRAY(r, token_keys, m ? 0 : n * d),
        SAC_ARRAY(r, dqueries, m ? 0 : n * d),
        SAC_ARRAY(r, dtoken_keys, m ? 0 : n * d),
        SAC_ARRAY(r, ones, m ? 0 : n),
        SAC_ARRAY(r, attended, m ? 0 : n),
        SAC_ARRAY(r, dones, m ? 0 : n),
        SAC_ARRAY(r, attend_kept, m ? 0 : sac_attend_kept(&shape)),
        SAC_ARRAY(r, attend_workspace, m ? 0 : sac_attend_workspace(&shape)),
    };
    return sac_arrays_place(arrays, COUNT(arrays), block);
}

static size_t place_layers(sac_gradient_room *r, const sac_gradient *g, size_t frames, unsigned char *block)
{
    const sac_cnn *cnn = g->parts.cnn;
    if (!cnn) return 0;
    size_t image = 0, workspace = 0, used = 0;
    for (int i = 0; i < cnn->layer_count; i++)
    {
        const sac_patches *s = &cnn->layers[i].patches;
        const size_t places = (size_t)s->rows * (size_t)s->columns, size = places * (size_t)s->outputs;
        const sac_array kept[] = {SAC_ARRAY(r, images[i], i < cnn->layer_count - 1 ? frames * size : 0)};
        used += sac_arrays_place(kept, 1, block ? block + used : NULL);
        image = larger(image, size);
        if (i) workspace = larger(workspace, places * (size_t)sac_patch_size(s));
    }
    const sac_array arrays[] = {
        SAC_ARRAY(r, dimage, image),
        SAC_ARRAY(r, dnext, image),
        SAC_ARRAY(r, layer_workspace, workspace),
    };
    return used + sac_arrays_place(arrays, COUNT(arrays), block ? block + used : NULL);
}

static size_t place_controller(sac_gradient_room *r, const sac_gradient *g, int steps, int sequences,
                               unsigned char *block)
{
    const sac_controller *c = &g->parts.actor->controller;
    const size_t frames = (size_t)steps * (size_t)sequences, hidden = (size_t)c->hidden;
    const size_t state = c->has_cell ? (size_t)sequences * hidden : 0;
    const sac_lstm shape = {steps, sequences, c->inputs, c->hidden};
    const sac_array arrays[] = {
        SAC_ARRAY(r, told, frames * (size_t)g->told),
        SAC_ARRAY(r, dtold, frames * (size_t)g->told),
        SAC_ARRAY(r, inputs, frames * (size_t)g->inputs),
        SAC_ARRAY(r, dinputs, frames * (size_t)g->inputs),
        SAC_ARRAY(r, whitening, g->policy->filter_size),
        SAC_ARRAY(r, inner, frames * hidden),
        SAC_ARRAY(r, dinner, frames * hidden),
        SAC_ARRAY(r, squashed, frames * (size_t)g->outputs),
        SAC_ARRAY(r, doutputs, frames * (size_t)g->outputs),
        SAC_ARRAY(r, hidden, state),
        SAC_ARRAY(r, cell, state),
        SAC_ARRAY(r, dhidden, state),
        SAC_ARRAY(r, dcell, state),
        SAC_ARRAY(r, lstm_kept, c->has_cell ? sac_lstm_kept(&shape) : 0),
        SAC_ARRAY(r, lstm_workspace, c->has_cell ? sac_lstm_workspace(&shape) : 0),
    };
    return sac_arrays_place(arrays, COUNT(arrays), block);
}

size_t sac_gradient_place(sac_gradient_room *room, const sac_gradient *g, int steps, int sequences,
                          unsigned char *block)
{
    const size_t frames = (size_t)steps * (size_t)sequences;
    size_t used = place_look(room, g, frames, block);
    used += place_mixed(room, g, frames, block ? block + used : NULL);
    used += place_choices(room, g, frames, block ? block + used : NULL);
    used += place_scores(room, g, block ? block + used : NULL);
    used += place_layers(room, g, frames, block ? block + used : NULL);
    return used + place_controller(room, g, steps, sequences, block ? block + used : NULL);
}
