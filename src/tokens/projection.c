#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tokens/image.h"
#include "tokens/projector.h"

/// Multiply patches by weights, directly from the image. The weights are arranged in the order of the camera's bytes,
/// so that a frame costs the same in any layout: for blue first they are permuted, and a byte that is ignored gets the
/// weight 0.

enum
{
    COOKIE = 0x70ce45,
    MAX_SIDE = 32768,
    MAX_CHANNELS = 64,
    MAX_PATCH = 256,
    MAX_OUTPUTS = 4096,
};

struct sac_projection
{
    sac_projector projector;
    sac_pixel_order order;
    int channels; // that the weights know
    sac_projector_weights weights;
    void *memory; // of the weights
};

sac_projection_def sac_projection_default_def(void)
{
    return (sac_projection_def){.patch = 1, .stride = 1, .internal = COOKIE};
}

static sac_status check_range(const char *field, int value, int least, int most)
{
    if (value >= least && value <= most) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "projection: %s is %d, expected %d to %d", field, value, least, most);
}

static sac_status check(const sac_projection_def *def)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "projection: the def does not come from sac_projection_default_def()");
    SAC_TRY(check_range("height", def->height, 1, MAX_SIDE));
    SAC_TRY(check_range("width", def->width, 1, MAX_SIDE));
    SAC_TRY(check_range("channels", def->channels, 1, MAX_CHANNELS));
    int side = def->height < def->width ? def->height : def->width;
    SAC_TRY(check_range("patch", def->patch, 1, side < MAX_PATCH ? side : MAX_PATCH));
    SAC_TRY(check_range("stride", def->stride, 1, MAX_SIDE));
    SAC_TRY(check_range("outputs", def->outputs, 1, MAX_OUTPUTS));
    if ((unsigned)def->order > SAC_PIXELS_GREY)
        return sac_fail(SAC_ERROR_ARGUMENT, "projection: order is %d, expected a sac_pixel_order", (int)def->order);
    if (def->order != SAC_PIXELS_PLAIN && def->order != SAC_PIXELS_GREY && def->channels != 3)
        return sac_fail(SAC_ERROR_ARGUMENT, "projection: channels is %d, expected 3 for this order", def->channels);
    if (!def->weights) return sac_fail(SAC_ERROR_ARGUMENT, "projection: weights are missing");
    return SAC_OK;
}

// Move the weights of the channels that tokens see to the places of a pixel's bytes.
// Grey has three channels in one byte: its three weights are added up there.
static void arrange(float *out, const sac_projection *p)
{
    const sac_patches *bytes = &p->projector.bytes;
    int size = sac_patch_size(bytes), pixels = bytes->patch * bytes->patch;
    const float *w = p->weights.floats;
    memset(out, 0, (size_t)size * (size_t)bytes->outputs * sizeof *out);
    for (int o = 0; o < bytes->outputs; o++)
        for (int pixel = 0; pixel < pixels; pixel++, out += bytes->channels)
            for (int channel = 0; channel < p->channels; channel++) out[sac_pixel_byte(p->order, channel)] += *w++;
}

static sac_status fill(sac_projection *p, const sac_projection_def *def)
{
    size_t outputs = (size_t)def->outputs, count = outputs * (size_t)sac_patch_size(&p->projector.floats);
    sac_workspace room = {0};
    sac_projector_take_weights(&p->weights, &p->projector, &room);
    p->memory = sac_alloc(room.used);
    float *arranged = sac_alloc_array(outputs * (size_t)sac_patch_size(&p->projector.bytes), sizeof *arranged);
    bool there = p->memory && arranged;
    if (there)
    {
        sac_projector_take_weights(&p->weights, &p->projector, &(sac_workspace){.memory = p->memory});
        memcpy(p->weights.floats, def->weights, count * sizeof(float));
        if (def->bias) memcpy(p->weights.bias, def->bias, outputs * sizeof(float));
        arrange(arranged, p);
        sac_projector_pack(&p->weights, &p->projector, arranged);
    }
    sac_free(arranged);
    return there ? SAC_OK : sac_fail_memory("a projection");
}

sac_status sac_projection_create(sac_projection **out, const sac_projection_def *def)
{
    *out = NULL;
    SAC_TRY(check(def));
    sac_projection *p = SAC_NEW(sac_projection);
    if (!p) return sac_fail_memory("a projection");
    sac_image image = {.channels = def->channels, .order = def->order};
    p->order = def->order;
    p->channels = def->channels;
    p->projector = sac_projector_create(def->height, def->width, def->channels, sac_pixel_size(&image), def->patch,
                                        def->stride, def->outputs);
    sac_status status = fill(p, def);
    if (status != SAC_OK)
    {
        sac_projection_destroy(p);
        return status;
    }
    *out = p;
    return SAC_OK;
}

void sac_projection_destroy(sac_projection *projection)
{
    if (!projection) return;
    sac_free(projection->memory);
    sac_free(projection);
}

sac_grid sac_projection_grid(const sac_projection *projection)
{
    const sac_patches *p = &projection->projector.bytes;
    return sac_grid_of(p->height, p->width, p->patch, p->stride);
}

size_t sac_projection_workspace_size(const sac_projection *projection)
{
    sac_workspace room = {0};
    sac_projector_scratch scratch;
    sac_projector_take_scratch(&scratch, &projection->projector, &room);
    return room.used;
}

static sac_projector_scratch scratch_in(const sac_projection *p, void *workspace)
{
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    sac_projector_scratch scratch;
    sac_projector_take_scratch(&scratch, &p->projector, &(sac_workspace){.memory = workspace});
    return scratch;
}

void sac_projection_run_rows(const sac_projection *projection, float *tokens, int stride, const sac_image *image,
                             int first, int rows, void *workspace)
{
    const sac_projection *p = projection;
    const sac_patches *grid = &p->projector.bytes;
    SAC_ASSERT(image->height == grid->height && image->width == grid->width);
    SAC_ASSERT(image->channels == p->channels && image->order == p->order);
    SAC_ASSERT(image->height == 1 || llabs(image->row_stride) >= (ptrdiff_t)image->width * grid->channels);
    SAC_ASSERT(first >= 0 && rows >= 0 && first + rows <= grid->rows && stride >= rows * grid->columns);
    sac_projector_scratch scratch = scratch_in(p, workspace);
    const uint8_t *pixels = image->pixels + (ptrdiff_t)first * grid->stride * image->row_stride;
    sac_projector_run(&p->projector, &p->weights, tokens, stride, pixels, image->row_stride, rows, &scratch);
}

void sac_projection_run(const sac_projection *projection, float *tokens, int stride, const sac_image *image,
                        void *workspace)
{
    sac_projection_run_rows(projection, tokens, stride, image, 0, projection->projector.bytes.rows, workspace);
}

void sac_projection_run_floats(const sac_projection *projection, float *tokens, int stride,
                               const sac_float_image *image, void *workspace)
{
    const sac_projection *p = projection;
    SAC_ASSERT(image->height == p->projector.floats.height && image->width == p->projector.floats.width);
    SAC_ASSERT(image->channels == p->channels);
    SAC_ASSERT(stride >= p->projector.floats.rows * p->projector.floats.columns);
    sac_projector_scratch scratch = scratch_in(p, workspace);
    sac_projector_run_floats(&p->projector, &p->weights, tokens, stride, image->pixels, image->row_stride, &scratch);
}
