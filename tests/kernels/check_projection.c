#include <stdlib.h>

#include "check.h"

typedef struct shape
{
    int height, width, channels, patch, stride, outputs;
} shape;

static const shape shapes[] = {
    {96, 96, 3, 7, 4, 8},  {96, 96, 3, 7, 4, 1}, {1, 1, 1, 1, 1, 1},   {9, 31, 3, 5, 3, 9}, {20, 213, 3, 7, 4, 8},
    {33, 40, 4, 8, 1, 17}, {17, 90, 1, 6, 2, 5}, {12, 50, 2, 3, 7, 3}, {8, 9, 3, 8, 8, 2},  {64, 64, 3, 16, 16, 4},
};

enum
{
    SHAPE_COUNT = sizeof shapes / sizeof *shapes
};

// rows lie apart by any gap, and may go backwards
static sac_patches patches_of(const shape *s)
{
    sac_patches p = sac_patches_create(s->height, s->width, s->channels, s->patch, s->stride, s->outputs);
    p.pitch += check_integer(0, 1) * check_integer(0, 99);
    if (check_integer(0, 3) == 0) p.pitch = -p.pitch;
    return p;
}

static int image_size(const sac_patches *p)
{
    return (p->height - 1) * abs((int)p->pitch) + p->width * p->channels;
}

// where the first row is
static int image_start(const sac_patches *p)
{
    return p->pitch < 0 ? (p->height - 1) * abs((int)p->pitch) : 0;
}

static void check_bytes(const sac_kernels *ref, const sac_kernels *now, const shape *s)
{
    sac_patches p = patches_of(s);
    int count = p.rows * p.columns, out_stride = count + 3, size = sac_patch_size(&p);
    size_t pixels = (size_t)image_size(&p);
    uint8_t *memory = check_buffer(pixels, 1), *image = memory + image_start(&p);
    int16_t *weights = check_buffer((size_t)(size * p.outputs) * sizeof(int16_t), 2);
    int32_t *packed = check_buffer(sac_project_packed_count(&p) * sizeof(int32_t), 4);
    int32_t *expected = check_buffer((size_t)(out_stride * p.outputs) * sizeof(int32_t), 4);
    int32_t *out = check_buffer((size_t)(out_stride * p.outputs) * sizeof(int32_t), 4);
    void *scratch = check_buffer(sac_project_scratch_size(&p), 64);

    int limit = 32767;
    while ((int64_t)limit * 255 * size > INT32_MAX) limit--;
    for (size_t i = 0; i < pixels; i++) memory[i] = (uint8_t)check_integer(0, 255);
    for (int i = 0; i < size * p.outputs; i++) weights[i] = (int16_t)check_integer(-limit, limit);
    // the first output meets the largest sum
    for (int i = 0; i < size; i++) weights[i] = (int16_t)-limit;
    for (int i = 0; i < s->patch * s->channels; i++) image[i] = 255;
    sac_project_pack(packed, weights, &p);

    for (int i = 0; i < out_stride * p.outputs; i++) expected[i] = out[i] = i;
    ref->project_bytes(expected, out_stride, image, packed, &p, scratch);
    now->project_bytes(out, out_stride, image, packed, &p, scratch);
    check_same_integers(expected, out, out_stride * p.outputs, "%dx%dx%d patch %d stride %d outputs %d", s->height,
                        s->width, s->channels, s->patch, s->stride, s->outputs);
    if (s == shapes)
        check_bench("project_bytes 96x96x3 p7 s4 o8", k->project_bytes(out, out_stride, image, packed, &p, scratch));
}

static void check_float_image(const sac_kernels *ref, const sac_kernels *now, const shape *s)
{
    sac_patches p = patches_of(s);
    int count = p.rows * p.columns, out_stride = count + 3, size = sac_patch_size(&p);
    int pixels = image_size(&p);
    float *memory = check_floats(pixels), *image = memory + image_start(&p), *weights = check_floats(size * p.outputs);
    float *expected = check_floats(out_stride * p.outputs), *out = check_floats(out_stride * p.outputs);
    void *scratch = check_buffer(sac_project_scratch_size(&p), 64);
    check_fill(memory, pixels, 0, 1);
    check_fill(weights, size * p.outputs, -1, 1);
    for (int i = 0; i < out_stride * p.outputs; i++) expected[i] = out[i] = (float)i;
    ref->project_floats(expected, out_stride, image, weights, &p, scratch);
    now->project_floats(out, out_stride, image, weights, &p, scratch);
    check_same_floats(expected, out, out_stride * p.outputs, "%dx%dx%d patch %d stride %d outputs %d", s->height,
                      s->width, s->channels, s->patch, s->stride, s->outputs);
    if (s == shapes)
        check_bench("project_floats 96x96x3 p7 s4 o8", k->project_floats(out, out_stride, image, weights, &p, scratch));
}

static void check_rescale(const sac_kernels *ref, const sac_kernels *now)
{
    static const int counts[] = {0, 1, 15, 16, 17, 529};
    for (int c = 0; c < 6; c++)
    {
        int count = counts[c];
        int32_t *in = check_buffer((size_t)count * sizeof(int32_t), 4);
        float *expected = check_floats(count), *out = check_floats(count);
        for (int i = 0; i < count; i++) in[i] = check_integer(INT32_MIN / 2, INT32_MAX / 2);
        ref->rescale(expected, in, 3.1e-7f, -0.4f, count);
        now->rescale(out, in, 3.1e-7f, -0.4f, count);
        check_same_floats(expected, out, count, "%d", count);
        if (count == 529) check_bench("rescale 529", k->rescale(out, in, 3.1e-7f, -0.4f, count));
    }
}

// any shape, so that in time every edge is met
static shape random_shape(void)
{
    shape s = {.patch = check_integer(1, 9), .stride = check_integer(1, 9), .channels = check_integer(1, 4)};
    s.height = s.patch + check_integer(0, 20);
    s.width = s.patch + check_integer(0, 150);
    s.outputs = check_integer(1, 10);
    return s;
}

void check_projection(const sac_kernels *ref, const sac_kernels *now)
{
    if (check_kernel(rescale)) check_rescale(ref, now);
    for (int i = 0; i < SHAPE_COUNT + 20; i++)
    {
        shape any = random_shape();
        const shape *s = i < SHAPE_COUNT ? &shapes[i] : &any;
        if (check_kernel(project_floats)) check_float_image(ref, now, s);
        if (check_kernel(project_bytes)) check_bytes(ref, now, s);
        check_release();
    }
}
