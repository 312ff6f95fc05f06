#include "tokens/projector.h"

enum
{
    BLOCK_BYTES = 1 << 15 // of sums, so that they stay in the first cache
};

// Rows of patches are projected in blocks whose integer sums stay in the first cache until they have become floats.
sac_projector sac_projector_create(int height, int width, int channels, int pixel_size, int patch, int stride,
                                   int outputs)
{
    sac_projector p = {.kernels = sac_kernels_create(sac_get_cpu_level()),
                       .bytes = sac_patches_create(height, width, pixel_size, patch, stride, outputs),
                       .floats = sac_patches_create(height, width, channels, patch, stride, outputs)};
    int row_bytes = outputs * p.bytes.columns * (int)sizeof(int32_t);
    p.block_rows = row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1;
    if (p.block_rows > p.bytes.rows) p.block_rows = p.bytes.rows;
    p.sum_stride = sac_round_up(p.block_rows * p.bytes.columns);
    return p;
}

void sac_projector_take_weights(sac_projector_weights *w, const sac_projector *p, sac_workspace *workspace)
{
    size_t outputs = (size_t)p->floats.outputs;
    w->floats = sac_take(workspace, outputs * (size_t)sac_patch_size(&p->floats), sizeof(float));
    w->bias = sac_take(workspace, outputs, sizeof(float));
    w->packed = sac_take(workspace, sac_project_packed_count(&p->bytes), sizeof(int32_t));
    w->scales = sac_take(workspace, outputs, sizeof(float));
}

void sac_projector_pack(sac_projector_weights *w, const sac_projector *p, const float *arranged)
{
    sac_project_quantise(w->packed, w->scales, arranged, &p->bytes);
    for (int o = 0; o < p->bytes.outputs; o++) w->scales[o] = (float)((double)w->scales[o] / 255.0);
}

void sac_projector_take_scratch(sac_projector_scratch *scratch, const sac_projector *p, sac_workspace *workspace)
{
    size_t bytes = sac_project_scratch_size(&p->bytes), floats = sac_project_scratch_size(&p->floats);
    scratch->lines = sac_take_scratch(workspace, bytes > floats ? bytes : floats, 1);
    scratch->sums = sac_take_scratch(workspace, (size_t)p->bytes.outputs * (size_t)p->sum_stride, sizeof(int32_t));
}

// The same grid cut down to `rows` rows of patches, from the first row of the image on.
static sac_patches part_of(const sac_patches *p, int rows, ptrdiff_t pitch)
{
    sac_patches part = *p;
    part.rows = rows;
    part.height = (rows - 1) * p->stride + p->patch;
    part.pitch = pitch;
    return part;
}

// Integer sums, exact and in any order, then one multiplication and one addition: the same bits on every processor.
void sac_projector_run(const sac_projector *p, const sac_projector_weights *w, float *tokens, int stride,
                       const uint8_t *pixels, ptrdiff_t pitch, int rows, const sac_projector_scratch *scratch)
{
    for (int done = 0; done < rows; done += p->block_rows)
    {
        int now = rows - done < p->block_rows ? rows - done : p->block_rows, count = now * p->bytes.columns;
        sac_patches part = part_of(&p->bytes, now, pitch);
        const uint8_t *first = pixels + (ptrdiff_t)done * p->bytes.stride * pitch;
        p->kernels.project_bytes(scratch->sums, p->sum_stride, first, w->packed, &part, scratch->lines);
        float *out = tokens + (size_t)done * (size_t)p->bytes.columns;
        for (int o = 0; o < p->bytes.outputs; o++)
            p->kernels.rescale(out + (size_t)o * (size_t)stride, scratch->sums + (size_t)o * (size_t)p->sum_stride,
                               w->scales[o], w->bias[o], count);
    }
}

void sac_projector_run_floats(const sac_projector *p, const sac_projector_weights *w, float *tokens, int stride,
                              const float *pixels, ptrdiff_t pitch, const sac_projector_scratch *scratch)
{
    int count = p->floats.rows * p->floats.columns;
    sac_patches part = part_of(&p->floats, p->floats.rows, pitch);
    p->kernels.project_floats(tokens, stride, pixels, w->floats, &part, scratch->lines);
    for (int o = 0; o < p->floats.outputs; o++)
        for (int i = 0; i < count; i++) tokens[(size_t)o * (size_t)stride + (size_t)i] += w->bias[o];
}
