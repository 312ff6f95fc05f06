#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernels/kernels.h"
#include "tokens/image.h"

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
    BLOCK_BYTES = 1 << 15, // bytes of sums in a block, so that they stay in the first-level cache
};

struct sac_projection
{
    sac_kernels kernels;
    sac_pixel_order order;
    int channels;               // the channels that the weights are for
    sac_patches bytes, floats;  // the image as bytes (its channels are a pixel's bytes), and as floats
    int32_t *packed;            // for bytes
    float *scales;              // [O], one step of a packed weight times one step of a byte
    float *weights, *bias;      // [O, patch size], [O]
    int block_rows, sum_stride; // rows of the grid that are summed at a time, and columns of their sums
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
static void arrange(float *out, const sac_projection *p)
{
    int size = sac_patch_size(&p->bytes), pixels = p->bytes.patch * p->bytes.patch;
    const float *w = p->weights;
    memset(out, 0, (size_t)size * (size_t)p->bytes.outputs * sizeof *out);
    for (int o = 0; o < p->bytes.outputs; o++)
        for (int pixel = 0; pixel < pixels; pixel++, out += p->bytes.channels)
            for (int channel = 0; channel < p->channels; channel++) out[sac_pixel_byte(p->order, channel)] += *w++;
}

static sac_status fill(sac_projection *p, const sac_projection_def *def)
{
    size_t outputs = (size_t)def->outputs, count = outputs * (size_t)sac_patch_size(&p->floats);
    p->packed = SAC_NEW_ARRAY(int32_t, sac_project_packed_count(&p->bytes));
    p->scales = SAC_NEW_ARRAY(float, outputs);
    p->bias = SAC_NEW_ARRAY(float, outputs);
    p->weights = SAC_NEW_ARRAY(float, count);
    float *arranged = SAC_NEW_ARRAY(float, outputs *(size_t)sac_patch_size(&p->bytes));
    bool there = p->packed && p->scales && p->bias && p->weights && arranged;
    if (there)
    {
        memcpy(p->weights, def->weights, count * sizeof(float));
        if (def->bias) memcpy(p->bias, def->bias, outputs * sizeof(float));
        arrange(arranged, p);
        sac_project_quantise(p->packed, p->scales, arranged, &p->bytes);
        for (size_t o = 0; o < outputs; o++) p->scales[o] = (float)((double)p->scales[o] / 255.0);
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
    p->kernels = sac_kernels_create(sac_get_cpu_level());
    p->order = def->order;
    p->channels = def->channels;
    p->floats = sac_patches_create(def->height, def->width, def->channels, def->patch, def->stride, def->outputs);
    p->bytes =
        sac_patches_create(def->height, def->width, sac_pixel_size(&image), def->patch, def->stride, def->outputs);
    int row_bytes = def->outputs * p->bytes.columns * (int)sizeof(int32_t);
    p->block_rows = row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1;
    if (p->block_rows > p->bytes.rows) p->block_rows = p->bytes.rows;
    p->sum_stride = sac_round_up(p->block_rows * p->bytes.columns);
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
    sac_free(projection->packed);
    sac_free(projection->scales);
    sac_free(projection->weights);
    sac_free(projection->bias);
    sac_free(projection);
}

sac_grid sac_projection_grid(const sac_projection *projection)
{
    const sac_patches *p = &projection->bytes;
    return sac_grid_of(p->height, p->width, p->patch, p->stride);
}

// the kernel's scratch comes first
static size_t scratch_size(const sac_projection *p)
{
    size_t bytes = sac_project_scratch_size(&p->bytes), floats = sac_project_scratch_size(&p->floats);
    return bytes > floats ? bytes : floats;
}

size_t sac_projection_workspace_size(const sac_projection *projection)
{
    return scratch_size(projection) +
           (size_t)projection->bytes.outputs * (size_t)projection->sum_stride * sizeof(int32_t);
}

// Describe the patches of only `rows` rows of the grid; the image's first row is theirs.
static sac_patches part_of(const sac_patches *p, int rows, ptrdiff_t pitch)
{
    sac_patches part = *p;
    part.rows = rows;
    part.height = (rows - 1) * p->stride + p->patch;
    part.pitch = pitch;
    return part;
}

void sac_projection_run_rows(const sac_projection *projection, float *tokens, int stride, const sac_image *image,
                             int first, int rows, void *workspace)
{
    const sac_projection *p = projection;
    SAC_ASSERT(image->height == p->bytes.height && image->width == p->bytes.width);
    SAC_ASSERT(image->channels == p->channels && image->order == p->order);
    SAC_ASSERT(image->height == 1 || llabs(image->row_stride) >= (ptrdiff_t)image->width * p->bytes.channels);
    SAC_ASSERT(first >= 0 && rows >= 0 && first + rows <= p->bytes.rows && stride >= rows * p->bytes.columns);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    int32_t *sums = (int32_t *)((unsigned char *)workspace + scratch_size(p));
    for (int done = 0; done < rows; done += p->block_rows)
    {
        int now = rows - done < p->block_rows ? rows - done : p->block_rows, count = now * p->bytes.columns;
        sac_patches part = part_of(&p->bytes, now, image->row_stride);
        const uint8_t *pixels = image->pixels + (ptrdiff_t)(first + done) * p->bytes.stride * image->row_stride;
        p->kernels.project_bytes(sums, p->sum_stride, pixels, p->packed, &part, workspace);
        float *out = tokens + (size_t)done * (size_t)p->bytes.columns;
        for (int o = 0; o < p->bytes.outputs; o++)
            p->kernels.rescale(out + (size_t)o * (size_t)stride, sums + (size_t)o * (size_t)p->sum_stride, p->scales[o],
                               p->bias[o], count);
    }
}

void sac_projection_run(const sac_projection *projection, float *tokens, int stride, const sac_image *image,
                        void *workspace)
{
    sac_projection_run_rows(projection, tokens, stride, image, 0, projection->bytes.rows, workspace);
}

void sac_projection_run_floats(const sac_projection *projection, float *tokens, int stride,
                               const sac_float_image *image, void *workspace)
{
    const sac_projection *p = projection;
    int count = p->floats.rows * p->floats.columns;
    SAC_ASSERT(image->height == p->floats.height && image->width == p->floats.width);
    SAC_ASSERT(image->channels == p->channels && stride >= count && (uintptr_t)workspace % 64 == 0);
    sac_patches part = part_of(&p->floats, p->floats.rows, image->row_stride);
    p->kernels.project_floats(tokens, stride, image->pixels, p->weights, &part, workspace);
    for (int o = 0; o < p->floats.outputs; o++)
        for (int i = 0; i < count; i++) tokens[(size_t)o * (size_t)stride + (size_t)i] += p->bias[o];
}
