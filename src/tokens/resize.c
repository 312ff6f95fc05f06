#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "tokens/image.h"

/// Images are resized along one axis after the other, by weights that are computed ahead.

enum
{
    FRACTION_BITS = 22,
    MAX_SIDE = 32768,
    MAX_CHANNELS = 64
};

/// Along one axis, output i is the sum of weights[i][t] * input[first[i] + t].
typedef struct axis
{
    int in, out, taps;
    int *first, *count; // [out]
    double *weights;    // [out, taps]
    int32_t *fixed;     // [out, taps], the same in fixed point
} axis;

struct sac_resize
{
    int channels;
    axis rows, columns;
};

// The triangle filter of Pillow.
// Centres of pixels lie at halves. Where the image shrinks, the triangle is as wide as two new pixels, so that every
// old pixel counts; where it grows, it is plain linear interpolation.
static void plan_bilinear(axis *a, int i, double *weights)
{
    double scale = (double)a->in / a->out, widened = scale < 1 ? 1 : scale;
    double center = (i + 0.5) * scale, sum = 0;
    int first = (int)(center - widened + 0.5), end = (int)(center + widened + 0.5);
    if (center - widened + 0.5 < 0) first = 0;
    if (end > a->in) end = a->in;
    for (int t = 0; t < end - first; t++)
    {
        double distance = fabs((t + first - center + 0.5) * (1 / widened));
        weights[t] = distance < 1 ? 1 - distance : 0;
        sum += weights[t];
    }
    for (int t = 0; t < end - first; t++) weights[t] /= sum;
    a->first[i] = first;
    a->count[i] = end - first;
}

// New pixel i covers in / out old pixels. Counted in parts of 1 / out of an old pixel, these shares are whole numbers,
// so nothing is rounded.
static void plan_area(axis *a, int i, double *weights)
{
    int64_t in = a->in, out = a->out, start = i * in, end = start + in;
    int first = (int)(start / out), count = (int)((end + out - 1) / out) - first;
    for (int t = 0; t < count; t++)
    {
        int64_t low = (first + t) * out, high = low + out;
        int64_t overlap = (high < end ? high : end) - (low > start ? low : start);
        weights[t] = (double)overlap / (double)in;
    }
    a->first[i] = first;
    a->count[i] = count;
}

static sac_status create_axis(axis *a, int in, int out, sac_resize_method method)
{
    double scale = (double)in / out;
    *a = (axis){.in = in, .out = out, .taps = (int)ceil(scale < 1 ? 1 : scale) * 2 + 1};
    size_t size = (size_t)out * (size_t)a->taps;
    a->first = SAC_NEW_ARRAY(int, (size_t)out);
    a->count = SAC_NEW_ARRAY(int, (size_t)out);
    a->weights = SAC_NEW_ARRAY(double, size);
    a->fixed = SAC_NEW_ARRAY(int32_t, size);
    if (!a->first || !a->count || !a->weights || !a->fixed) return sac_fail_memory("resizing an image");
    for (int i = 0; i < out; i++)
        (method == SAC_RESIZE_AREA ? plan_area : plan_bilinear)(a, i, a->weights + (size_t)i * (size_t)a->taps);
    // 22 bits, as in Pillow: 8 are the pixel's and 2 keep a sum a little above 255 from reaching the sign
    for (size_t i = 0; i < size; i++) a->fixed[i] = (int32_t)(0.5 + a->weights[i] * (1 << FRACTION_BITS));
    return SAC_OK;
}

static void destroy_axis(axis *a)
{
    sac_free(a->first);
    sac_free(a->count);
    sac_free(a->weights);
    sac_free(a->fixed);
}

static sac_status check(int height, int width, int channels, int new_height, int new_width, sac_resize_method method)
{
    const int sides[] = {height, width, new_height, new_width};
    for (int i = 0; i < 4; i++)
        if (sides[i] < 1 || sides[i] > MAX_SIDE)
            return sac_fail(SAC_ERROR_ARGUMENT, "resize: %d x %d to %d x %d, expected 1 to %d", height, width,
                            new_height, new_width, MAX_SIDE);
    if (channels < 1 || channels > MAX_CHANNELS)
        return sac_fail(SAC_ERROR_ARGUMENT, "resize: channels is %d, expected 1 to %d", channels, MAX_CHANNELS);
    if (method != SAC_RESIZE_BILINEAR && method != SAC_RESIZE_AREA)
        return sac_fail(SAC_ERROR_ARGUMENT, "resize: method is %d, expected a sac_resize_method", (int)method);
    return SAC_OK;
}

sac_status sac_resize_create(sac_resize **out, int height, int width, int channels, int new_height, int new_width,
                             sac_resize_method method)
{
    *out = NULL;
    SAC_TRY(check(height, width, channels, new_height, new_width, method));
    sac_resize *resize = SAC_NEW(sac_resize);
    if (!resize) return sac_fail_memory("resizing an image");
    resize->channels = channels;
    sac_status status = create_axis(&resize->columns, width, new_width, method);
    if (status == SAC_OK) status = create_axis(&resize->rows, height, new_height, method);
    if (status != SAC_OK)
    {
        sac_resize_destroy(resize);
        return status;
    }
    *out = resize;
    return SAC_OK;
}

void sac_resize_destroy(sac_resize *resize)
{
    if (!resize) return;
    destroy_axis(&resize->columns);
    destroy_axis(&resize->rows);
    sac_free(resize);
}

sac_resize_axis sac_resize_get_axis(const sac_resize *resize, bool rows)
{
    const axis *a = rows ? &resize->rows : &resize->columns;
    return (sac_resize_axis){a->in, a->out, a->taps, a->first, a->count, a->fixed};
}

// Count the elements of an image row after the pass over columns.
static size_t row_size(const sac_resize *resize)
{
    return (size_t)resize->columns.out * (size_t)resize->channels;
}

// The image after the first pass, and the sums of one row.
size_t sac_resize_workspace_size(const sac_resize *resize)
{
    sac_workspace workspace = {0};
    sac_take(&workspace, (size_t)resize->rows.in * row_size(resize), sizeof(float));
    sac_take(&workspace, row_size(resize), sizeof(double));
    return workspace.used;
}

// In fixed point the sums are between 0 and 255 up to half a step, because weights are positive and add up to about 1.
static uint8_t to_byte(int32_t sum)
{
    int32_t value = sum >> FRACTION_BITS;
    return (uint8_t)(value > 255 ? 255 : value);
}

static void add_taps(uint8_t *out, const uint8_t *pixel, const int32_t *weights, int taps, int channels, int size)
{
    for (int c = 0; c < channels; c++)
    {
        // a sum that starts at one half is rounded when its fraction is cut
        int32_t sum = 1 << (FRACTION_BITS - 1);
        for (int t = 0; t < taps; t++) sum += pixel[t * size + c] * weights[t];
        out[c] = to_byte(sum);
    }
}

// Three channels share one pass over the weights, which is faster than three passes.
static void add_colors(uint8_t *out, const uint8_t *pixel, const int32_t *weights, int taps, int size, bool reversed)
{
    int32_t a = 1 << (FRACTION_BITS - 1), b = a, c = a;
    for (int t = 0; t < taps; t++, pixel += size)
    {
        a += pixel[0] * weights[t];
        b += pixel[1] * weights[t];
        c += pixel[2] * weights[t];
    }
    out[reversed ? 2 : 0] = to_byte(a);
    out[1] = to_byte(b);
    out[reversed ? 0 : 2] = to_byte(c);
}

static void columns_of_bytes(const sac_resize *resize, uint8_t *out, const uint8_t *row, const sac_image *image)
{
    const axis *a = &resize->columns;
    int size = sac_pixel_size(image), channels = resize->channels;
    bool reversed = image->order == SAC_PIXELS_BGR || image->order == SAC_PIXELS_BGRX;
    for (int i = 0; i < a->out; i++, out += channels)
    {
        const int32_t *weights = a->fixed + (size_t)i * (size_t)a->taps;
        const uint8_t *pixel = row + (ptrdiff_t)a->first[i] * size;
        if (image->order == SAC_PIXELS_GREY)
        {
            add_taps(out, pixel, weights, a->count[i], 1, 1);
            memset(out, *out, (size_t)channels);
        }
        else if (channels == 3)
            add_colors(out, pixel, weights, a->count[i], size, reversed);
        else
            add_taps(out, pixel, weights, a->count[i], channels, size);
    }
}

static void rows_of_bytes(const sac_resize *resize, uint8_t *out, const uint8_t *in, int32_t *sums)
{
    const axis *a = &resize->rows;
    size_t size = row_size(resize);
    for (int i = 0; i < a->out; i++, out += size)
    {
        for (size_t x = 0; x < size; x++) sums[x] = 1 << (FRACTION_BITS - 1);
        for (int t = 0; t < a->count[i]; t++)
        {
            const uint8_t *row = in + (size_t)(a->first[i] + t) * size;
            int32_t weight = a->fixed[(size_t)i * (size_t)a->taps + (size_t)t];
            for (size_t x = 0; x < size; x++) sums[x] += row[x] * weight;
        }
        for (size_t x = 0; x < size; x++) out[x] = to_byte(sums[x]);
    }
}

void sac_resize_run(const sac_resize *resize, uint8_t *out, const sac_image *image, void *workspace)
{
    SAC_ASSERT(image->height == resize->rows.in && image->width == resize->columns.in);
    SAC_ASSERT(image->channels == resize->channels && (uintptr_t)workspace % 64 == 0);
    sac_workspace at = {.memory = workspace};
    // Columns first, and bytes between the two passes: both are rounded, as they are in Pillow.
    uint8_t *narrow = sac_take(&at, (size_t)resize->rows.in * row_size(resize), sizeof *narrow);
    int32_t *sums = sac_take(&at, row_size(resize), sizeof *sums);
    for (int y = 0; y < resize->rows.in; y++)
        columns_of_bytes(resize, narrow + (size_t)y * row_size(resize), image->pixels + y * image->row_stride, image);
    rows_of_bytes(resize, out, narrow, sums);
}

static void columns_of_floats(const sac_resize *resize, float *out, const float *row)
{
    const axis *a = &resize->columns;
    size_t channels = (size_t)resize->channels;
    for (int i = 0; i < a->out; i++)
    {
        const double *weights = a->weights + (size_t)i * (size_t)a->taps;
        const float *from = row + (size_t)a->first[i] * channels;
        for (size_t c = 0; c < channels; c++)
        {
            double sum = 0;
            for (int t = 0; t < a->count[i]; t++) sum += (double)from[(size_t)t * channels + c] * weights[t];
            *out++ = (float)sum;
        }
    }
}

static void rows_of_floats(const sac_resize *resize, float *out, const float *in, double *sums)
{
    const axis *a = &resize->rows;
    size_t size = row_size(resize);
    for (int i = 0; i < a->out; i++, out += size)
    {
        for (size_t x = 0; x < size; x++) sums[x] = 0;
        for (int t = 0; t < a->count[i]; t++)
        {
            const float *row = in + (size_t)(a->first[i] + t) * size;
            double weight = a->weights[(size_t)i * (size_t)a->taps + (size_t)t];
            for (size_t x = 0; x < size; x++) sums[x] += (double)row[x] * weight;
        }
        for (size_t x = 0; x < size; x++) out[x] = (float)sums[x];
    }
}

void sac_resize_run_floats(const sac_resize *resize, float *out, const sac_float_image *image, void *workspace)
{
    SAC_ASSERT(image->height == resize->rows.in && image->width == resize->columns.in);
    SAC_ASSERT(image->channels == resize->channels && (uintptr_t)workspace % 64 == 0);
    sac_workspace at = {.memory = workspace};
    float *narrow = sac_take(&at, (size_t)resize->rows.in * row_size(resize), sizeof *narrow);
    double *sums = sac_take(&at, row_size(resize), sizeof *sums);
    for (int y = 0; y < resize->rows.in; y++)
        columns_of_floats(resize, narrow + (size_t)y * row_size(resize), image->pixels + y * image->row_stride);
    rows_of_floats(resize, out, narrow, sums);
}
