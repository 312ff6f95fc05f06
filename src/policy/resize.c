#include "policy/resize.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    FRACTION_BITS = 22
};

/// Along one axis, output i is the sum of weights[i][t] * input[first[i] + t].
typedef struct axis
{
    int in, out, taps;
    int *first, *count; // [out]
    double *weights;    // [out, taps]
    int32_t *fixed;     // [out, taps] the same in fixed point
} axis;

struct sac_resize
{
    int channels;
    axis rows, columns;
};

static void plan(axis *a)
{
    double scale = (double)a->in / a->out, widened = scale < 1 ? 1 : scale;
    for (int i = 0; i < a->out; i++)
    {
        double center = (i + 0.5) * scale, sum = 0;
        int first = (int)(center - widened + 0.5), end = (int)(center + widened + 0.5);
        if (center - widened + 0.5 < 0) first = 0;
        if (end > a->in) end = a->in;
        double *weights = a->weights + (size_t)i * (size_t)a->taps;
        for (int t = 0; t < end - first; t++)
        {
            double distance = fabs((t + first - center + 0.5) * (1 / widened));
            weights[t] = distance < 1 ? 1 - distance : 0;
            sum += weights[t];
        }
        for (int t = 0; t < end - first; t++)
        {
            weights[t] /= sum;
            a->fixed[(size_t)i * (size_t)a->taps + (size_t)t] = (int32_t)(0.5 + weights[t] * (1 << FRACTION_BITS));
        }
        a->first[i] = first;
        a->count[i] = end - first;
    }
}

static sac_status create_axis(axis *a, int in, int out)
{
    double scale = (double)in / out;
    *a = (axis){.in = in, .out = out, .taps = (int)ceil(scale < 1 ? 1 : scale) * 2 + 1};
    size_t size = (size_t)out * (size_t)a->taps;
    a->first = SAC_NEW_ARRAY(int, (size_t)out);
    a->count = SAC_NEW_ARRAY(int, (size_t)out);
    a->weights = SAC_NEW_ARRAY(double, size);
    a->fixed = SAC_NEW_ARRAY(int32_t, size);
    if (!a->first || !a->count || !a->weights || !a->fixed) return sac_fail_memory("resizing an image");
    plan(a);
    return SAC_OK;
}

static void destroy_axis(axis *a)
{
    sac_free(a->first);
    sac_free(a->count);
    sac_free(a->weights);
    sac_free(a->fixed);
}

sac_status sac_resize_create(sac_resize **out, int height, int width, int channels, int new_height, int new_width)
{
    *out = NULL;
    sac_resize *resize = SAC_NEW(sac_resize);
    if (!resize) return sac_fail_memory("resizing an image");
    resize->channels = channels;
    sac_status status = create_axis(&resize->columns, width, new_width);
    if (status == SAC_OK) status = create_axis(&resize->rows, height, new_height);
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

size_t sac_resize_scratch(const sac_resize *resize)
{
    return (size_t)resize->rows.in * (size_t)resize->columns.out * (size_t)resize->channels;
}

// the sums are between 0 and 255 in fixed point, half a step aside: weights are positive and add up to about 1
static uint8_t to_byte(int64_t sum)
{
    int64_t value = sum >> FRACTION_BITS;
    return (uint8_t)(value > 255 ? 255 : value);
}

// `outer` lines of a->in elements, each a group of `inner` values that are apart by 1
static void pass_bytes(const axis *a, uint8_t *out, const uint8_t *in, size_t outer, size_t inner)
{
    for (size_t line = 0; line < outer; line++, in += (size_t)a->in * inner)
        for (int i = 0; i < a->out; i++)
        {
            const int32_t *weights = a->fixed + (size_t)i * (size_t)a->taps;
            const uint8_t *from = in + (size_t)a->first[i] * inner;
            for (size_t c = 0; c < inner; c++)
            {
                int64_t sum = 1 << (FRACTION_BITS - 1);
                for (int t = 0; t < a->count[i]; t++) sum += (int64_t)from[(size_t)t * inner + c] * weights[t];
                *out++ = to_byte(sum);
            }
        }
}

static void pass_floats(const axis *a, float *out, const float *in, size_t outer, size_t inner)
{
    for (size_t line = 0; line < outer; line++, in += (size_t)a->in * inner)
        for (int i = 0; i < a->out; i++)
        {
            const double *weights = a->weights + (size_t)i * (size_t)a->taps;
            const float *from = in + (size_t)a->first[i] * inner;
            for (size_t c = 0; c < inner; c++)
            {
                double sum = 0;
                for (int t = 0; t < a->count[i]; t++) sum += (double)from[(size_t)t * inner + c] * weights[t];
                *out++ = (float)sum;
            }
        }
}

void sac_resize_bytes(const sac_resize *resize, uint8_t *out, const uint8_t *in, uint8_t *scratch)
{
    size_t channels = (size_t)resize->channels;
    pass_bytes(&resize->columns, scratch, in, (size_t)resize->rows.in, channels);
    pass_bytes(&resize->rows, out, scratch, 1, (size_t)resize->columns.out * channels);
}

void sac_resize_floats(const sac_resize *resize, float *out, const float *in, float *scratch)
{
    size_t channels = (size_t)resize->channels;
    pass_floats(&resize->columns, scratch, in, (size_t)resize->rows.in, channels);
    pass_floats(&resize->rows, out, scratch, 1, (size_t)resize->columns.out * channels);
}
