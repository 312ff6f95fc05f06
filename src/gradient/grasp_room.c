#include <string.h>

#include "base/error.h"
#include "gradient/grasp_cut.h"

/// The arrays of a minibatch of a policy that looks at point clouds, and what of such policies has gradients.

static enum sac_phi phi_of(const char *form)
{
    if (strcmp(form, "sara-exp") == 0) return SAC_PHI_EXP;
    if (strcmp(form, "sara-square") == 0) return SAC_PHI_SQUARE;
    return SAC_PHI_RELU; // relu, sara-relu
}

sac_map_side sac_grasp_map(const sac_pct *pct)
{
    return (sac_map_side){.phi = phi_of(pct->config.attention), .count = pct->config.width, .size = pct->config.width};
}

sac_attend sac_grasp_attend(const sac_pct *pct, int count)
{
    const int width = pct->config.width;
    const ptrdiff_t row = (ptrdiff_t)3 * width;
    return (sac_attend){.heads = 1,
                        .queries = count,
                        .keys = count,
                        .size = width,
                        .value_size = width,
                        .query_row = row,
                        .key_row = row,
                        .value_row = row,
                        .out_row = width,
                        .scale = (float)pct->attention->scale};
}

sac_status sac_grasp_check(const sac_pct *pct)
{
    if (pct->features == 0) return SAC_OK;
    if (pct->config.attention_features > 0 || pct->features != pct->config.width || pct->attention->scale != 1)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "gradient: of kind point-cloud softmax has one, and relu and sara-* with attention_features 0 "
                        "and scale 0; this is %.40s with %d and %g",
                        pct->config.attention, pct->config.attention_features, pct->config.scale);
    return SAC_OK;
}

static size_t kept_size(const sac_pct *pct)
{
    const sac_attend a = sac_grasp_attend(pct, pct->points);
    const sac_map_side map = sac_grasp_map(pct);
    return pct->features ? sac_attend_linear_kept(&a, &map, &map) : sac_attend_kept(&a);
}

static size_t workspace_size(const sac_pct *pct)
{
    const sac_attend a = sac_grasp_attend(pct, pct->points);
    const sac_map_side map = sac_grasp_map(pct);
    return pct->features ? sac_attend_linear_workspace(&a, &map, &map) : sac_attend_workspace(&a);
}

// Cut arrays of these sizes one behind the other; the floats that they take come back.
static size_t cut(float *at, float **const *arrays, const size_t *sizes, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; used += sizes[i++]) *arrays[i] = at ? at + used : NULL;
    return used;
}

static size_t cut_layer(sac_grasp_layer *l, const sac_pct *pct, float *at)
{
    const size_t n = (size_t)pct->points, width = (size_t)pct->config.width, units = (size_t)pct->config.units;
    const size_t sizes[] = {n * width, n * 3 * width, kept_size(pct), n * width, n * width,
                            n * 2,     n * width,     n * units,      n * width, n * 2};
    float **const arrays[] = {&l->x,      &l->mixed, &l->kept,     &l->gathered,    &l->first_sum, &l->first_moments,
                              &l->middle, &l->units, &l->last_sum, &l->last_moments};
    return cut(at, arrays, sizes, sizeof sizes / sizeof *sizes);
}

static size_t cut_frame(sac_grasp_frame *f, const sac_pct *pct, float *at)
{
    const size_t n = (size_t)pct->points, width = (size_t)pct->config.width;
    const size_t sizes[] = {
        3 * n, n * width, n * width, 2 * width + (size_t)pct->told, (size_t)pct->config.hidden, SAC_PCT_OUTPUTS};
    float **const arrays[] = {&f->points, &f->near, &f->last, &f->pooled, &f->hidden, &f->raw};
    size_t used = cut(at, arrays, sizes, sizeof sizes / sizeof *sizes);
    for (int l = 0; l < pct->config.layers; l++) used += cut_layer(&f->layers[l], pct, at ? at + used : NULL);
    return used;
}

sac_grasp_frame sac_grasp_frame_at(const sac_grasp_room *room, const sac_pct *pct, int frame)
{
    sac_grasp_frame f;
    const size_t one = cut_frame(&f, pct, NULL);
    cut_frame(&f, pct, room->frames + (size_t)frame * one);
    return f;
}

#define TAKE(field, count) (r->field = sac_take(at, (size_t)(count), sizeof *r->field))

void sac_grasp_place(sac_grasp_room *r, const sac_pct *pct, size_t frames, sac_workspace *at)
{
    const size_t n = (size_t)pct->points, width = (size_t)pct->config.width;
    sac_grasp_frame f;
    TAKE(gains, (size_t)pct->config.layers * 2 * width);
    TAKE(counts, frames);
    TAKE(frames, frames * cut_frame(&f, pct, NULL));
    TAKE(planar, 3 * (size_t)pct->stride);
    TAKE(workspace, workspace_size(pct));
    TAKE(dx, n * width);
    TAKE(dmiddle, n * width);
    TAKE(dplain, n * width);
    TAKE(dgathered, n * width);
    TAKE(dunits, n * (size_t)pct->config.units);
    TAKE(dmixed, n * 3 * width);
    TAKE(dpooled, 2 * width + (size_t)pct->told);
    TAKE(dhidden, pct->config.hidden);
    TAKE(draw, SAC_PCT_OUTPUTS);
}
