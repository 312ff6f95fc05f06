#include "attention/form.h"
#include "gradient/gradient.h"

/// The arrays of a minibatch.

// the next `count` elements of an array of the room
#define TAKE(field, count) (r->field = sac_take(at, (size_t)(count), sizeof *r->field))

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void place_look(sac_gradient_room *r, const sac_gradient *g, size_t frames, sac_workspace *at)
{
    r->scratch = sac_take(at, SAC_LEARN_SCRATCH, 1);
    const sac_embedding *e = g->parts.embedding;
    if (!e) return;
    const bool floats = sac_space_is_floats(&g->policy->def.inputs[g->policy->image]);
    const size_t outputs = (size_t)e->patches.outputs, inputs = (size_t)e->inputs, stride = (size_t)e->token_stride;
    const size_t image = (size_t)e->patches.height * (size_t)e->patches.width * (size_t)e->channels;

    sac_projector_take_weights(&r->weights, &e->projector, at);
    sac_projector_take_scratch(&r->project_scratch, &e->projector, at);
    TAKE(offsets, e->positions ? outputs * stride : 0);
    TAKE(resized, e->resize && !floats ? frames * image : 0);
    TAKE(floats, floats ? frames * image : 0);
    TAKE(scaled, floats && e->resize ? (size_t)e->height * (size_t)e->width * (size_t)e->channels : 0);
    TAKE(float_patches, floats ? (size_t)e->count * inputs : 0);
    r->resize_workspace = sac_take(at, e->resize ? sac_resize_workspace_size(e->resize) : 0, 1);
    TAKE(tokens, frames * outputs * stride);
    TAKE(dtokens, outputs * stride);
    TAKE(dtotal, e->positions ? outputs * stride : 0);
    TAKE(dweights, outputs * inputs);
    TAKE(dbias, outputs);
    TAKE(patches, sac_pixels_workspace(&e->patches));
}

// the agent's maps, for one head of one frame at a time
static void place_maps(sac_gradient_room *r, const sac_gradient *g, sac_workspace *at)
{
    const sac_agent *a = g->parts.agent;
    if (!a) return;
    const size_t m = (size_t)sac_attention_feature_size(a->attention), d = (size_t)a->config.key_size;
    const size_t stride = (size_t)a->embedding.token_stride;
    const bool divides = a->attention->divide_all;

    TAKE(units, d * stride);
    TAKE(map_workspace, (m + 2) * stride);
    TAKE(maps, a->has_learned_map ? a->heads : 0);
    for (int h = 0; a->has_learned_map && h < a->heads; h++)
        sac_learned_map_take(r->maps ? &r->maps[h] : NULL, a->attention, at);
    TAKE(dmatrix, a->has_learned_map ? m * d : 0);
    TAKE(key_sums, divides ? m : 0);
    TAKE(inverses, divides ? stride : 0);
    TAKE(along, divides ? stride : 0);
    TAKE(undivided, divides ? m * stride : 0);
}

// softmax between the tokens of one head of one frame, whose values are `v` numbers
static void place_exact(sac_gradient_room *r, const sac_agent *a, size_t v, size_t kept, sac_workspace *at)
{
    const size_t n = (size_t)a->embedding.count, d = (size_t)a->config.key_size;
    const int count = a->embedding.count, size = a->config.key_size;
    const sac_attend shape = {1, count, count, size, (int)v, size, size, (ptrdiff_t)v, (ptrdiff_t)v, 1};
    TAKE(queries, n * d);
    TAKE(token_keys, n * d);
    TAKE(dqueries, n * d);
    TAKE(dtoken_keys, n * d);
    TAKE(attended, n * v);
    TAKE(attend_kept, kept * sac_attend_kept(&shape));
    TAKE(attend_workspace, sac_attend_workspace(&shape));
}

static void place_mixed(sac_gradient_room *r, const sac_gradient *g, size_t frames, sac_workspace *at)
{
    const sac_agent *a = g->parts.agent;
    if (g->parts.reading != SAC_PARTS_TRANS) return;
    const size_t features = (size_t)sac_attention_feature_size(a->attention), v = (size_t)a->config.value_size;
    const size_t l = (size_t)a->trans.rows, stride = (size_t)a->embedding.token_stride,
                 heads = frames * (size_t)a->heads, n = (size_t)a->embedding.count;
    const size_t m = features ? features : v; // of the rows that P weighs beside the values

    TAKE(rows, heads * (m + v) * stride);
    TAKE(keys, heads * features * stride);
    TAKE(sides, heads * (m + v) * l);
    TAKE(products, heads * v * features);
    TAKE(plain, heads * l * v);
    TAKE(moments, heads * l * 2);
    TAKE(gain, a->value_size);
    r->attention_workspace = sac_take(at, sac_attention_workspace_size(a->attention, a->embedding.count), 1);
    TAKE(dplain, l * v);
    TAKE(dproducts, v * features);
    TAKE(drows, (m + v) * stride);
    TAKE(dkeys, features * stride);
    TAKE(dsides, heads * (m + v) * l);
    if (features) return;
    place_exact(r, a, v, heads, at);
    TAKE(token_values, n * v);
    TAKE(dtoken_values, n * v);
    TAKE(dattended, n * v);
}

// Places what is chosen among patches, and the scores by which it is chosen.
static void place_choices(sac_gradient_room *r, const sac_gradient *g, size_t frames, sac_workspace *at)
{
    const sac_agent *a = g->parts.agent;
    if (g->parts.reading != SAC_PARTS_RANK) return;
    const size_t n = (size_t)a->embedding.count, kept = (size_t)a->config.top, size = (size_t)a->patch_numbers;
    const size_t inputs = (size_t)a->embedding.inputs;

    TAKE(scores, frames * (size_t)a->embedding.token_stride);
    TAKE(top, frames * kept);
    TAKE(pixels, inputs);
    TAKE(part_scratch, a->scratch_size);
    TAKE(all, n * size);
    TAKE(dall, n * size);
    TAKE(all_pixels, n * inputs);
    TAKE(dvalues, n * (size_t)a->config.value_size);
    TAKE(choices, kept * n);
    TAKE(dchoices, kept * n);
    TAKE(dscores, a->embedding.token_stride);
}

static void place_scores(sac_gradient_room *r, const sac_gradient *g, sac_workspace *at)
{
    const sac_agent *a = g->parts.agent;
    if (g->parts.reading != SAC_PARTS_RANK) return;
    const size_t stride = (size_t)a->embedding.token_stride, n = (size_t)a->embedding.count;
    const size_t m = (size_t)sac_attention_feature_size(a->attention);
    const size_t workspace = sac_attention_workspace_size(a->attention, a->embedding.count);

    r->attention_workspace = sac_take(at, larger(workspace, m ? sac_rank_workspace_size(a->attention) : 0), 1);
    TAKE(head_scores, stride);
    TAKE(votes, stride);
    TAKE(summary, m);
    TAKE(query_features, m * stride);
    TAKE(key_features, m * stride);
    TAKE(dquery_features, m * stride);
    TAKE(dkey_features, m * stride);
    if (m) return;
    place_exact(r, a, 1, 1, at);
    TAKE(ones, n);
    TAKE(dones, n);
}

static void place_layers(sac_gradient_room *r, const sac_gradient *g, size_t frames, sac_workspace *at)
{
    const sac_cnn *cnn = g->parts.cnn;
    if (!cnn) return;
    size_t image = 0, workspace = 0;
    for (int i = 0; i < cnn->layer_count; i++)
    {
        const sac_image_layer *layer = &cnn->layers[i];
        const sac_patches *s = &layer->patches;
        const size_t places = (size_t)s->rows * (size_t)s->columns, size = places * (size_t)s->outputs;
        const size_t given = (size_t)layer->rows * (size_t)layer->columns * (size_t)s->outputs;
        TAKE(images[i], i < cnn->layer_count - 1 ? frames * given : 0);
        TAKE(plain_images[i], layer->pool > 1 ? frames * size : 0);
        image = larger(image, size);
        if (i) workspace = larger(workspace, places * (size_t)sac_patch_size(s));
    }

    TAKE(dimage, image);
    TAKE(dnext, image);
    TAKE(layer_workspace, workspace);
}

static void place_controller(sac_gradient_room *r, const sac_gradient *g, int steps, int sequences, sac_workspace *at)
{
    const sac_controller *c = &g->parts.actor->controller;
    const size_t frames = (size_t)steps * (size_t)sequences, hidden = (size_t)c->hidden;
    const size_t state = c->has_cell ? (size_t)sequences * hidden : 0;
    const sac_lstm shape = {steps, sequences, c->inputs, c->hidden};

    TAKE(told, frames * (size_t)g->told);
    TAKE(dtold, frames * (size_t)g->told);
    TAKE(inputs, frames * (size_t)g->inputs);
    TAKE(dinputs, frames * (size_t)g->inputs);
    TAKE(inverse_deviation, g->policy->normaliser_size);
    TAKE(inner, frames * hidden * (size_t)(c->has_cell ? 1 : c->layers));
    TAKE(dinner, frames * hidden);
    TAKE(dbefore, !c->has_cell && c->layers > 1 ? frames * hidden : 0);
    TAKE(squashed, frames * (size_t)g->outputs);
    TAKE(doutputs, frames * (size_t)g->outputs);
    TAKE(hidden, state);
    TAKE(cell, state);
    TAKE(dhidden, state);
    TAKE(dcell, state);
    TAKE(lstm_kept, c->has_cell ? sac_lstm_kept(&shape) : 0);
    TAKE(lstm_workspace, c->has_cell ? sac_lstm_workspace(&shape) : 0);
}

size_t sac_gradient_place(sac_gradient_room *room, const sac_gradient *g, int steps, int sequences,
                          unsigned char *block)
{
    const size_t frames = (size_t)steps * (size_t)sequences;
    sac_workspace at = {.memory = block};
    place_look(room, g, frames, &at);
    place_maps(room, g, &at);
    place_mixed(room, g, frames, &at);
    place_choices(room, g, frames, &at);
    place_scores(room, g, &at);
    place_layers(room, g, frames, &at);
    place_controller(room, g, steps, sequences, &at);
    if (g->parts.rt) sac_speech_place(&room->speech, g->parts.rt, frames, &at);
    if (g->parts.pct) sac_grasp_place(&room->grasp, g->parts.pct, frames, &at);
    return at.used;
}
