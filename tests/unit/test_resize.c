#include "base/memory.h"
#include "files/safetensors.h"
#include "policy/resize.h"
#include "test.h"

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

TEST(bytes_are_those_of_pillow)
{
    sac_tensors *tensors = load();
    for (int i = 0; i < CASES; i++)
    {
        const sac_tensor *in = get(tensors, "bytes", i, "in"), *expected = get(tensors, "bytes", i, "out");
        sac_resize *resize;
        assert_ok(sac_resize_create(&resize, (int)in->shape[0], (int)in->shape[1], 3, (int)expected->shape[0],
                                    (int)expected->shape[1]));
        uint8_t *out = sac_alloc(sac_tensor_count(expected)), *scratch = sac_alloc(sac_resize_scratch(resize));
        sac_resize_bytes(resize, out, in->data, scratch);
        assert_memory_equal(out, expected->data, sac_tensor_count(expected));
        sac_free(out);
        sac_free(scratch);
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
        sac_resize *resize;
        assert_ok(sac_resize_create(&resize, (int)in->shape[0], (int)in->shape[1], 1, (int)expected->shape[0],
                                    (int)expected->shape[1]));
        size_t count = sac_tensor_count(expected);
        float *out = SAC_NEW_ARRAY(float, count), *scratch = SAC_NEW_ARRAY(float, sac_resize_scratch(resize));
        sac_resize_floats(resize, out, in->data, scratch);
        for (size_t j = 0; j < count; j++)
            assert_near(out[j], ((const float *)expected->data)[j], 1.2e-7); // one unit in the last place below 1
        sac_free(out);
        sac_free(scratch);
        sac_resize_destroy(resize);
    }
    sac_tensors_destroy(tensors);
}

TEST(the_same_size_is_the_identity)
{
    enum
    {
        SIDE = 9,
        SIZE = SIDE * SIDE * 3
    };
    uint8_t in[SIZE], out[SIZE], scratch[SIZE];
    for (int i = 0; i < SIZE; i++) in[i] = (uint8_t)(i * 37);
    sac_resize *resize;
    assert_ok(sac_resize_create(&resize, SIDE, SIDE, 3, SIDE, SIDE));
    assert_int_equal(sac_resize_scratch(resize), SIZE);
    sac_resize_bytes(resize, out, in, scratch);
    assert_memory_equal(in, out, SIZE);
    sac_resize_destroy(resize);
}

// no rounding can make a uniform image anything else
TEST(a_uniform_image_stays_uniform)
{
    uint8_t in[40 * 30], out[7 * 11], scratch[40 * 40];
    sac_resize *resize;
    assert_ok(sac_resize_create(&resize, 40, 30, 1, 7, 11));
    assert_true(sac_resize_scratch(resize) <= sizeof scratch);
    for (int value = 0; value < 256; value++)
    {
        memset(in, value, sizeof in);
        sac_resize_bytes(resize, out, in, scratch);
        for (size_t i = 0; i < sizeof out; i++) assert_int_equal(out[i], value);
    }
    sac_resize_destroy(resize);
}

TESTS(bytes_are_those_of_pillow, floats_are_those_of_pillow, the_same_size_is_the_identity,
      a_uniform_image_stays_uniform)
