#include <string.h>

#include "attention/form.h"
#include "gradient/gradient.h"

/// The reading rank: scores of the patches -> K are kept -> what is told of them. Values learn from the patches that
/// were kept; scores learn through the soft choice of choose.c.

// One frame and what was kept of it; `size` numbers are told of each patch.
typedef struct look
{
    const sac_agent *a;
    sac_embedding_state image; // of which only the image as it is cut is used
    const int *top;            // [K]
    float *scores;             // [N]
    int n, kept, size;
} look;

static look look_of(const sac_pass *p, int frame)
{
    const sac_agent *a = p->g->parts.agent;
    const sac_embedding *e = &a->embedding;
    return (look){.a = a,
                  .image = sac_pass_image(p, frame),
                  .top = p->room.top + (ptrdiff_t)frame * a->config.top,
                  .scores = p->room.scores + (ptrdiff_t)frame * e->token_stride,
                  .n = e->count,
                  .kept = a->config.top,
                  .size = a->patch_numbers};
}

// --- what is told of patches ---

// read the patch features of one patch, as acting does
static void read_patch(const sac_pass *p, const look *f, int index, float *out)
{
    const sac_agent *a = f->a;
    const sac_patches *s = &a->embedding.patches;
    sac_patch patch = {.row = s->patch / 2 + index / s->columns * s->stride,
                       .column = s->patch / 2 + index % s->columns * s->stride,
                       .pixels = p->room.pixels,
                       .scratch = p->room.part_scratch};
    if (a->wants_pixels) sac_embedding_patch(&f->image, &a->embedding, index, p->room.pixels);
    for (int i = 0; i < a->part_count; i++)
    {
        a->parts[i]->read(a, p->parameters, &patch, out);
        out += a->part_sizes[i];
    }
}

// read the patch features of all patches, [N, size]
static void read_patches(const sac_pass *p, const look *f)
{
    for (int n = 0; n < f->n; n++) read_patch(p, f, n, p->room.all + (ptrdiff_t)n * f->size);
}

int sac_kept_values_at(const sac_agent *a)
{
    int at = 0;
    for (int i = 0; i < a->part_count; i++)
    {
        if (a->parts[i] == &sac_patch_features_values) return at;
        at += a->part_sizes[i];
    }
    return -1;
}

// --- choices ---

static bool is_soft(const sac_pass *p)
{
    return p->g->choosing == SAC_CHOOSE_SOFT;
}

static void choose(const sac_pass *p, const look *f)
{
    p->l.choose_forward(&p->l, p->room.choices, f->scores, f->top, f->kept, f->n, (float)p->batch->temperature);
}

static void tell_kept(const sac_pass *p, const look *f, float *told)
{
    if (f->a->config.masking) memset(told, 0, (size_t)f->a->told_count * sizeof *told);
    for (int k = 0; k < f->kept; k++)
        read_patch(p, f, f->top[k], told + (ptrdiff_t)(f->a->config.masking ? f->top[k] : k) * f->size);
}

// tell the mean over patches of what is told of them: told [K, size] = choices all
static void tell_mean(const sac_pass *p, const look *f, float *told)
{
    choose(p, f);
    read_patches(p, f);
    p->l.gemm(&(sac_gemm){.rows = f->kept,
                          .columns = f->size,
                          .inner = f->n,
                          .a = p->room.choices,
                          .a_row = f->n,
                          .a_column = 1,
                          .b = p->room.all,
                          .b_row = f->size,
                          .b_column = 1,
                          .out = told,
                          .out_row = f->size},
              p->l.scratch);
}

// Masking: each patch's numbers keep their place and are scaled by the patch's share of the choice.
static void tell_places(const sac_pass *p, const look *f, float *told)
{
    choose(p, f);
    read_patches(p, f);
    for (int n = 0; n < f->n; n++)
    {
        float share = 0;
        for (int k = 0; k < f->kept; k++) share += p->room.choices[k * f->n + n];
        for (int i = 0; i < f->size; i++) told[n * f->size + i] = share * p->room.all[n * f->size + i];
    }
}

void sac_kept_forward(sac_pass *p)
{
    sac_maps_set(p);
    for (int frame = 0; frame < p->frames; frame++)
    {
        look f = look_of(p, frame);
        float *told = p->room.told + (ptrdiff_t)frame * p->g->told;
        sac_look_frame(p, frame);
        sac_scores_forward(p, frame, f.scores);
        f.a->kernels.top(p->room.top + (ptrdiff_t)frame * f.kept, f.kept, f.scores, f.n);
        if (!is_soft(p))
            tell_kept(p, &f, told);
        else if (f.a->config.masking)
            tell_places(p, &f, told);
        else
            tell_mean(p, &f, told);
    }
}

// --- backward ---

// add the gradient with respect to the values' weights: dout [rows, size] is of patches whose pixels are [rows, I]
static void values_backward(const sac_pass *p, const look *f, const float *dout, const float *pixels, int rows)
{
    const int at = sac_kept_values_at(f->a);
    if (at < 0) return;
    const int count = f->a->config.value_size, inputs = f->a->embedding.inputs;
    float *dvalues = p->room.dvalues; // [rows, count]
    for (int i = 0; i < rows; i++) memcpy(dvalues + i * count, dout + i * f->size + at, (size_t)count * sizeof(float));
    p->l.linear_backward(&p->l, NULL, p->sums + f->a->value.weight, p->sums + f->a->value.bias, dvalues, pixels, NULL,
                         rows, inputs, count);
}

// add the same gradient, from the patches that were kept
static void kept_values_backward(const sac_pass *p, const look *f, const float *dtold)
{
    if (sac_kept_values_at(f->a) < 0) return;
    const int inputs = f->a->embedding.inputs;
    for (int k = 0; k < f->kept; k++)
    {
        const float *d = dtold + (ptrdiff_t)(f->a->config.masking ? f->top[k] : k) * f->size;
        memcpy(p->room.dall + k * f->size, d, (size_t)f->size * sizeof *d);
        sac_embedding_patch(&f->image, &f->a->embedding, f->top[k], p->room.all_pixels + (ptrdiff_t)k * inputs);
    }
    values_backward(p, f, p->room.dall, p->room.all_pixels, f->kept);
}

// Add the same gradient, from all patches: dall [N, size] = choices^T dtold is the gradient with respect to all
// patches' numbers, weighted by the choices.
static void mean_values_backward(const sac_pass *p, const look *f, const float *dtold)
{
    if (sac_kept_values_at(f->a) < 0) return;
    const int inputs = f->a->embedding.inputs;
    for (int n = 0; n < f->n; n++)
    {
        sac_embedding_patch(&f->image, &f->a->embedding, n, p->room.all_pixels + (ptrdiff_t)n * inputs);
        for (int i = 0; i < f->size; i++)
        {
            float sum = 0;
            for (int k = 0; k < f->kept; k++)
                sum += p->room.choices[k * f->n + n] * dtold[(f->a->config.masking ? n : k) * f->size + i];
            p->room.dall[n * f->size + i] = sum;
        }
    }
    values_backward(p, f, p->room.dall, p->room.all_pixels, f->n);
}

// gradient with respect to choices of told = choices all or, with masking, of told[n] = sum_k choices[k][n] all[n]
static void choices_backward(const sac_pass *p, const look *f, const float *dtold)
{
    if (!f->a->config.masking)
    {
        p->l.gemm(&(sac_gemm){.rows = f->kept,
                              .columns = f->n,
                              .inner = f->size,
                              .a = dtold,
                              .a_row = f->size,
                              .a_column = 1,
                              .b = p->room.all,
                              .b_row = 1,
                              .b_column = f->size,
                              .out = p->room.dchoices,
                              .out_row = f->n},
                  p->l.scratch);
        return;
    }
    for (int n = 0; n < f->n; n++)
    {
        float sum = 0;
        for (int i = 0; i < f->size; i++) sum += dtold[n * f->size + i] * p->room.all[n * f->size + i];
        for (int k = 0; k < f->kept; k++) p->room.dchoices[k * f->n + n] = sum;
    }
}

static void backward_frame(sac_pass *p, int frame)
{
    look f = look_of(p, frame);
    const float *dtold = p->room.dtold + (ptrdiff_t)frame * p->g->told;
    if (!is_soft(p)) kept_values_backward(p, &f, dtold);
    if (p->g->choosing == SAC_CHOOSE_FIXED) return;
    choose(p, &f);
    if (is_soft(p)) mean_values_backward(p, &f, dtold);
    read_patches(p, &f);
    choices_backward(p, &f, dtold);
    p->l.choose_backward(&p->l, p->room.dscores, p->room.dchoices, p->room.choices, f.scores, f.kept, f.n,
                         (float)p->batch->temperature);
    sac_scores_backward(p, frame, p->room.dscores);
    sac_look_frame_backward(p, frame);
}

void sac_kept_backward(sac_pass *p)
{
    for (int frame = 0; frame < p->frames; frame++) backward_frame(p, frame);
}
