#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "files/atomic.h"
#include "files/pictures/png.h"

#include "failing_memory.h"
#include "scratch.h"

#define DATA SAC_SOURCE_DIR "/tests/golden/data/"

TEST(every_kind_of_picture_becomes_the_rgb_that_pillow_gives)
{
    sac_tensors *expected;
    assert_ok(sac_tensors_load(&expected, DATA "png.safetensors", 1 << 20));
    assert_int_equal(sac_tensors_count(expected), 6);
    for (int i = 0; i < sac_tensors_count(expected); i++)
    {
        const sac_tensor *tensor = sac_tensors_at(expected, i);
        char path[512];
        snprintf(path, sizeof path, DATA "png_%s.png", tensor->name);
        uint8_t *rgb;
        int height, width;
        assert_ok(sac_png_read(&rgb, &height, &width, path, 35));
        assert_int_equal(height, 5);
        assert_int_equal(width, 7);
        assert_memory_equal(rgb, tensor->data, 5 * 7 * 3);
        sac_free(rgb);
    }
    sac_tensors_destroy(expected);
}

TEST(written_pictures_read_back)
{
    scratch_open();
    enum
    {
        HEIGHT = 31,
        WIDTH = 17
    };
    uint8_t picture[HEIGHT * WIDTH * 3], *rgb;
    sac_stream stream = sac_stream_create(1, 2, 3);
    for (size_t i = 0; i < sizeof picture; i++) picture[i] = (uint8_t)sac_stream_below(&stream, 256);
    assert_ok(sac_png_write(scratch_path("a.png"), picture, HEIGHT, WIDTH));
    int height, width;
    assert_ok(sac_png_read(&rgb, &height, &width, scratch_path("a.png"), HEIGHT * WIDTH));
    assert_int_equal(height, HEIGHT);
    assert_int_equal(width, WIDTH);
    assert_memory_equal(rgb, picture, sizeof picture);
    sac_free(rgb);
}

TEST(bad_pictures_are_refused_with_a_reason)
{
    uint8_t *rgb, *bytes;
    int height, width;
    size_t size;
    assert_fails(sac_png_read(&rgb, &height, &width, DATA "png_rgb.png", 34), SAC_ERROR_FORMAT,
                 "png_rgb.png: PNG of 7 x 5 pixels, expected at most 34");
    assert_fails(sac_png_read(&rgb, &height, &width, DATA "png_16bit.png", 35), SAC_ERROR_FORMAT, "16 bits a channel");
    assert_fails(sac_png_read(&rgb, &height, &width, DATA "none.png", 35), SAC_ERROR_FILE, "none.png: cannot be read");
    assert_fails(sac_png_read(&rgb, &height, &width, DATA "rng.safetensors", 35), SAC_ERROR_FORMAT, "PNG: ");

    // its second chunk says that it holds a gigabyte
    assert_fails(sac_png_read(&rgb, &height, &width, SAC_SOURCE_DIR "/tests/fuzz/corpus/png/long_chunk", 35),
                 SAC_ERROR_FORMAT, "PNG with a chunk of 1080033280 bytes at byte 33 of 57");

    assert_ok(sac_read_file(&bytes, &size, DATA "png_rgb.png", 4096));
    size_t end = size - 12; // the end mark may be missing, nothing before it
    for (size_t cut = 0; cut < end; cut++)
    {
        assert_int_equal(sac_png_decode(&rgb, &height, &width, bytes, cut, 35, "x"), SAC_ERROR_FORMAT);
        assert_null(rgb);
        assert_int_equal(height + width, 0);
    }
    for (size_t i = 0; i < end; i++)
    {
        bytes[i] ^= 0x55;
        assert_int_equal(sac_png_decode(&rgb, &height, &width, bytes, size, 35, "x"), SAC_ERROR_FORMAT);
        bytes[i] ^= 0x55;
    }
    sac_free(bytes);
}

TEST(pictures_that_cannot_be_written)
{
    scratch_open();
    uint8_t pixel[3] = {0};
    assert_fails(sac_png_write(scratch_path("no/a.png"), pixel, 1, 1), SAC_ERROR_FILE, "no/a.png: cannot be written");
    assert_fails(sac_png_write(scratch_path("a.png"), pixel, 0, 1), SAC_ERROR_ARGUMENT, "1 x 0 pixels");
    assert_int_not_equal(access(scratch_path("a.png"), F_OK), 0);
}

TEST(lack_of_memory)
{
    scratch_open();
    uint8_t *rgb, pixel[3] = {0};
    int height, width;
    assert_survives_lack_of_memory(sac_png_read(&rgb, &height, &width, DATA "png_rgb.png", 35), sac_free(rgb));
    assert_survives_lack_of_memory(sac_png_write(scratch_path("a.png"), pixel, 1, 1), (void)0);
}

TESTS(every_kind_of_picture_becomes_the_rgb_that_pillow_gives, written_pictures_read_back,
      bad_pictures_are_refused_with_a_reason, pictures_that_cannot_be_written, lack_of_memory)
