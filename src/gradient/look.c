#include <string.h>

#include "gradient/gradient.h"

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

void sac_look_frame(sac_pass *p, int frame)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    sac_embedding_state s = {.weights = r->weights,
                             .offsets = r->offsets,
                             .resized_bytes = e->resize ? r->resized + (size_t)frame * image_size(e) : NULL,
                             .resize_workspace = r->resize_workspace,
                             .scratch = r->project_scratch,
                             .tokens = sac_pass_tokens(p, frame, 0)};
    sac_embedding_run(&s, e, p->batch->frames[frame]);
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

void sac_look_frame_backward(sac_pass *p, int frame)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    const uint8_t *image = e->resize ? r->resized + (size_t)frame * image_size(e) : p->batch->frames[frame];
    p->l.pixels_backward(&p->l, &e->patches, r->dweights, r->dbias, r->dtokens, e->token_stride, image, r->patches);
    if (e->positions) p->l.add(&p->l, r->dtotal, r->dtokens, (size_t)e->patches.outputs * (size_t)e->token_stride);
}

// W (x + position): the positions [I, stride] are the same in every frame
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

void sac_look_backward_end(sac_pass *p)
{
    const sac_embedding *e = p->g->parts.embedding;
    const sac_gradient_room *r = &p->room;
    const size_t inputs = (size_t)e->inputs, count = (size_t)e->patches.outputs * inputs;
    for (size_t i = 0; i < count; i++) r->dweights[i] *= 1.0f / 255.0f;
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
