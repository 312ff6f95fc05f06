#include <string.h>

#include "gradient/gradient.h"
#include "policy/look.h"

/// Frames to tokens, as an embedding does it: resized, cut into patches, multiplied by weights in whole numbers. Back
/// to the weights the rounding to 16 bits counts as if it were not there.

void sac_look_begin(sac_pass *p)
{
    const sac_embedding *e = p->g->parts.embedding;
    sac_gradient_room *r = &p->room;
    sac_embedding_state s = {.weights = r->weights, .offsets = r->offsets};
    sac_embedding_set(&s, e, p->parameters);
}

static size_t image_size(const sac_embedding *e)
{
    return (size_t)e->patches.height * (size_t)e->patches.width * (size_t)e->channels;
}

static bool sees_floats(const sac_pass *p)
{
    const sac_policy *policy = p->g->policy;
    return sac_space_is_floats(&policy->def.inputs[policy->image]);
}

// the rows of a frame's picture that are looked at
static const void *rows_of(const sac_pass *p, int frame)
{
    const void *one;
    const uint8_t *picture = sac_pass_inputs(p, frame, &one)[p->g->policy->image];
    return picture + p->g->parts.embedding->first * (sees_floats(p) ? sizeof(float) : sizeof(uint8_t));
}

sac_embedding_state sac_pass_image(const sac_pass *p, int frame)
{
    const sac_embedding *e = p->g->parts.embedding;
    const size_t at = (size_t)frame * image_size(e);
    if (sees_floats(p)) return (sac_embedding_state){.floats = p->room.floats + at};
    return (sac_embedding_state){.bytes = e->resize ? p->room.resized + at : rows_of(p, frame)};
}

void sac_look_frame(sac_pass *p, int frame)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    const size_t at = (size_t)frame * image_size(e);
    sac_embedding_state s = {.weights = r->weights,
                             .offsets = r->offsets,
                             .resize_workspace = r->resize_workspace,
                             .scratch = r->project_scratch,
                             .tokens = sac_pass_tokens(p, frame, 0)};
    if (!sees_floats(p))
    {
        s.resized_bytes = e->resize ? r->resized + at : NULL;
        sac_embedding_run(&s, e, rows_of(p, frame));
        return;
    }
    s.resized_floats = r->floats + at;
    float *scaled = e->resize ? r->scaled : r->floats + at;
    const size_t count = (size_t)e->height * (size_t)e->width * (size_t)e->channels;
    sac_look_scale(scaled, rows_of(p, frame), count, &p->g->policy->def.inputs[p->g->policy->image]);
    sac_embedding_run_floats(&s, e, scaled);
}

void sac_look_backward_begin(sac_pass *p)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    const size_t outputs = (size_t)e->patches.outputs;
    memset(r->dweights, 0, outputs * (size_t)e->inputs * sizeof(float));
    memset(r->dbias, 0, outputs * sizeof(float));
    if (e->positions) memset(r->dtotal, 0, outputs * (size_t)e->token_stride * sizeof(float));
}

// gradient with respect to weights [O, I] and bias of tokens [O, N] = weights patches^T + bias
static void floats_backward(const sac_pass *p, const sac_embedding_state *image)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    for (int n = 0; n < e->count; n++)
        sac_embedding_patch(image, e, n, r->float_patches + (size_t)n * (size_t)e->inputs);
    p->l.gemm(&(sac_gemm){.rows = e->patches.outputs,
                          .columns = e->inputs,
                          .inner = e->count,
                          .a = r->dtokens,
                          .a_row = e->token_stride,
                          .a_column = 1,
                          .b = r->float_patches,
                          .b_row = e->inputs,
                          .b_column = 1,
                          .out = r->dweights,
                          .out_row = e->inputs,
                          .add = true},
              p->l.scratch);
    for (int o = 0; o < e->patches.outputs; o++)
        for (int n = 0; n < e->count; n++) r->dbias[o] += r->dtokens[(ptrdiff_t)o * e->token_stride + n];
}

void sac_look_frame_backward(sac_pass *p, int frame)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    const sac_embedding_state image = sac_pass_image(p, frame);
    if (image.floats)
        floats_backward(p, &image);
    else
        p->l.pixels_backward(&p->l, &e->patches, r->dweights, r->dbias, r->dtokens, e->token_stride, image.bytes,
                             r->patches);
    if (e->positions) p->l.add(&p->l, r->dtotal, r->dtokens, (size_t)e->patches.outputs * (size_t)e->token_stride);
}

// W (x + position): the positions [I, token_stride] are the same in every frame
static void add_positions(sac_pass *p)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    p->l.gemm(&(sac_gemm){.rows = e->patches.outputs,
                          .columns = e->inputs,
                          .inner = e->count,
                          .a = r->dtotal,
                          .a_row = e->token_stride,
                          .a_column = 1,
                          .b = e->positions,
                          .b_row = 1,
                          .b_column = e->token_stride,
                          .out = r->dweights,
                          .out_row = e->inputs,
                          .add = true},
              p->l.scratch);
}

// the weights take pixels less the centre: dW = dtokens (x - centre)^T
static void centre_backward(const sac_pass *p)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    for (int o = 0; o < e->patches.outputs; o++)
        for (int i = 0; i < e->inputs; i++) r->dweights[(ptrdiff_t)o * e->inputs + i] -= e->centre * r->dbias[o];
}

void sac_look_backward_end(sac_pass *p)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    const size_t inputs = (size_t)e->inputs, count = (size_t)e->patches.outputs * inputs;
    for (size_t i = 0; !sees_floats(p) && i < count; i++) r->dweights[i] *= 1.0f / 255.0f;
    if (e->centre != 0) centre_backward(p);
    if (e->positions) add_positions(p);
    const float *dweights = r->dweights, *dbias = r->dbias;
    for (int i = 0; i < e->layer_count; i++)
    {
        const size_t outputs = (size_t)e->layers[i].outputs;
        p->l.add(&p->l, p->sums + e->layers[i].tensors.weight, dweights, outputs * inputs);
        p->l.add(&p->l, p->sums + e->layers[i].tensors.bias, dbias, outputs);
        dweights += outputs * inputs;
        dbias += outputs;
    }
}
