#include "base/memory.h"
#include "failing_memory.h"
#include "files/arrays/safetensors.h"
#include "saccade/tokens.h"

static sac_tensors *load(void)
{
    sac_tensors *tensors;
    assert_ok(sac_tensors_load(&tensors, "tests/golden/data/resize.safetensors", 1 << 20));
    return tensors;
}

static const sac_tensor *get(const sac_tensors *tensors, const char *kind, int index, const char *which)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d_%s", kind, index, which);
    const sac_tensor *tensor = sac_tensors_find(tensors, name);
    assert_non_null(tensor);
    return tensor;
}

enum
{
    CASES = 4
};

static sac_resize *create(int height, int width, int channels, int new_height, int new_width, sac_resize_method method)
{
    sac_resize *resize;
    assert_ok(sac_resize_create(&resize, height, width, channels, new_height, new_width, method));
    return resize;
}

static void run(const sac_resize *resize, uint8_t *out, const sac_image *image)
{
    void *workspace = sac_alloc(sac_resize_workspace_size(resize));
    sac_resize_run(resize, out, image, workspace);
    sac_free(workspace);
}

static void run_floats(const sac_resize *resize, float *out, const sac_float_image *image)
{
    void *workspace = sac_alloc(sac_resize_workspace_size(resize));
    sac_resize_run_floats(resize, out, image, workspace);
    sac_free(workspace);
}

TEST(bytes_are_those_of_pillow)
{
    sac_tensors *tensors = load();
    for (int i = 0; i < CASES; i++)
    {
        const sac_tensor *in = get(tensors, "bytes", i, "in"), *expected = get(tensors, "bytes", i, "out");
        sac_image image = sac_image_of(in->data, (int)in->shape[0], (int)in->shape[1], 3, SAC_PIXELS_PLAIN);
        sac_resize *resize =
            create(image.height, image.width, 3, (int)expected->shape[0], (int)expected->shape[1], SAC_RESIZE_BILINEAR);
        uint8_t *out = sac_alloc(sac_tensor_count(expected));
        run(resize, out, &image);
        assert_memory_equal(out, expected->data, sac_tensor_count(expected));
        sac_free(out);
        sac_resize_destroy(resize);
    }
    sac_tensors_destroy(tensors);
}

// Pillow sums in double in the same order, and rounds to float after each pass as we do
TEST(floats_are_those_of_pillow)
{
    sac_tensors *tensors = load();
    for (int i = 0; i < CASES; i++)
    {
        const sac_tensor *in = get(tensors, "floats", i, "in"), *expected = get(tensors, "floats", i, "out");
        sac_float_image image = sac_float_image_of(in->data, (int)in->shape[0], (int)in->shape[1], 1);
        sac_resize *resize =
            create(image.height, image.width, 1, (int)expected->shape[0], (int)expected->shape[1], SAC_RESIZE_BILINEAR);
        size_t count = sac_tensor_count(expected);
        float *out = SAC_NEW_ARRAY(float, count);
        run_floats(resize, out, &image);
        for (size_t j = 0; j < count; j++)
            assert_near((double)out[j], (double)((const float *)expected->data)[j],
                        1.2e-7); // one unit in the last place below 1
        sac_free(out);
        sac_resize_destroy(resize);
    }
    sac_tensors_destroy(tensors);
}

static const sac_resize_method methods[] = {SAC_RESIZE_BILINEAR, SAC_RESIZE_AREA};

TEST(the_same_size_is_the_identity)
{
    enum
    {
        SIDE = 9,
        SIZE = SIDE * SIDE * 3
    };
    uint8_t in[SIZE], out[SIZE];
    for (int i = 0; i < SIZE; i++) in[i] = (uint8_t)(i * 37);
    sac_image image = sac_image_of(in, SIDE, SIDE, 3, SAC_PIXELS_PLAIN);
    for (int m = 0; m < 2; m++)
    {
        sac_resize *resize = create(SIDE, SIDE, 3, SIDE, SIDE, methods[m]);
        run(resize, out, &image);
        assert_memory_equal(in, out, SIZE);
        sac_resize_destroy(resize);
    }
}

// no rounding can make a uniform image anything else
TEST(a_uniform_image_stays_uniform)
{
    uint8_t in[40 * 30] = {0}, out[7 * 41];
    sac_image image = sac_image_of(in, 40, 30, 1, SAC_PIXELS_PLAIN);
    for (int m = 0; m < 2; m++)
    {
        sac_resize *resize = create(40, 30, 1, 7, 41, methods[m]);
        for (int value = 0; value < 256; value++)
        {
            memset(in, value, sizeof in);
            run(resize, out, &image);
            for (size_t i = 0; i < sizeof out; i++) assert_int_equal(out[i], value);
        }
        sac_resize_destroy(resize);
    }
}

// whatever the order and the stride of the bytes, the result is red, green, blue without gaps
TEST(layouts_give_the_same_bytes)
{
    enum
    {
        H = 12,
        W = 17,
        PITCH = 4 * W + 3
    };
    static const sac_pixel_order orders[] = {SAC_PIXELS_PLAIN, SAC_PIXELS_BGR, SAC_PIXELS_RGBX, SAC_PIXELS_BGRX};
    uint8_t memory[H * PITCH], expected[7 * 5 * 3], out[7 * 5 * 3];
    sac_resize *resize = create(H, W, 3, 7, 5, SAC_RESIZE_BILINEAR);
    for (int o = 0; o < 4; o++)
    {
        sac_image image = sac_image_of(memory, H, W, 3, orders[o]);
        image.row_stride = PITCH;
        memset(memory, 77, sizeof memory);
        for (int i = 0; i < H * W * 3; i++)
        {
            int c = i % 3, place = o % 2 == 1 ? 2 - c : c;
            memory[i / (3 * W) * PITCH + i / 3 % W * sac_pixel_size(&image) + place] = (uint8_t)(i * i * 7);
        }
        run(resize, o == 0 ? expected : out, &image);
        if (o > 0) assert_memory_equal(out, expected, sizeof out);
    }

    // a grey camera where colours were meant
    uint8_t thrice[H * W * 3];
    for (int i = 0; i < H * W * 3; i++) thrice[i] = memory[i / 3];
    sac_image grey = sac_image_of(memory, H, W, 3, SAC_PIXELS_GREY);
    sac_image colors = sac_image_of(thrice, H, W, 3, SAC_PIXELS_PLAIN);
    run(resize, out, &grey);
    run(resize, expected, &colors);
    assert_memory_equal(out, expected, sizeof out);
    sac_resize_destroy(resize);
}

// a whole factor: each new pixel is the mean of its block. Two passes round to float once each
TEST(areas_are_means_of_blocks)
{
    enum
    {
        H = 12,
        W = 20,
        V = 3,
        U = 4
    };
    float in[H * W], out[H / V * W / U];
    for (int i = 0; i < H * W; i++) in[i] = (float)(i * i % 97);
    sac_float_image image = sac_float_image_of(in, H, W, 1);
    sac_resize *resize = create(H, W, 1, H / V, W / U, SAC_RESIZE_AREA);
    run_floats(resize, out, &image);
    for (int n = 0; n < H / V * W / U; n++)
    {
        double sum = 0;
        for (int i = 0; i < V * U; i++) sum += (double)in[(n / (W / U) * V + i / U) * W + n % (W / U) * U + i % U];
        assert_near((double)out[n], sum / (V * U), 2 * 97 * 6e-8);
    }
    sac_resize_destroy(resize);
}

// for any sizes, larger or smaller, the picture's mean stays what it was
TEST(areas_keep_the_mean)
{
    static const int sizes[][4] = {{7, 5, 3, 2}, {7, 5, 11, 13}, {1, 1, 4, 5}, {16, 9, 1, 1}, {10, 3, 7, 8}};
    float in[16 * 16], out[16 * 16];
    for (int i = 0; i < 16 * 16; i++) in[i] = (float)(i * 31 % 101);
    for (int s = 0; s < 5; s++)
    {
        const int *z = sizes[s];
        sac_float_image image = sac_float_image_of(in, z[0], z[1], 1);
        sac_resize *resize = create(z[0], z[1], 1, z[2], z[3], SAC_RESIZE_AREA);
        run_floats(resize, out, &image);
        double before = 0, after = 0;
        for (int i = 0; i < z[0] * z[1]; i++) before += (double)in[i];
        for (int i = 0; i < z[2] * z[3]; i++) after += (double)out[i];
        assert_near(after / (z[2] * z[3]), before / (z[0] * z[1]), 2 * 101 * 6e-8);
        sac_resize_destroy(resize);
    }
}

TEST(bad_arguments_are_named)
{
    sac_resize *resize;
    assert_fails(sac_resize_create(&resize, 0, 1, 1, 1, 1, SAC_RESIZE_AREA), SAC_ERROR_ARGUMENT, "0 x 1");
    assert_null(resize);
    assert_fails(sac_resize_create(&resize, 1, 1, 1, 1, 99999, SAC_RESIZE_AREA), SAC_ERROR_ARGUMENT, "99999");
    assert_fails(sac_resize_create(&resize, 1, 1, 0, 1, 1, SAC_RESIZE_AREA), SAC_ERROR_ARGUMENT, "channels");
    assert_fails(sac_resize_create(&resize, 1, 1, 1, 1, 1, (sac_resize_method)7), SAC_ERROR_ARGUMENT, "method");
    assert_survives_lack_of_memory(sac_resize_create(&resize, 9, 8, 3, 4, 5, SAC_RESIZE_BILINEAR),
                                   sac_resize_destroy(resize));
    sac_resize_destroy(NULL);
}

TESTS(bytes_are_those_of_pillow, floats_are_those_of_pillow, the_same_size_is_the_identity,
      a_uniform_image_stays_uniform, layouts_give_the_same_bytes, areas_are_means_of_blocks, areas_keep_the_mean,
      bad_arguments_are_named)
