#include <sys/stat.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "files/atomic.h"
#include "files/module.h"
#include "files/pictures/footage.h"
#include "files/pictures/png.h"
#include "saccade/film.h"
#include "scratch.h"
#include "test.h"

enum
{
    WIDTH = 96,
    HEIGHT = 64,
    FRAMES = 10
};

// a smooth picture that grows brighter: what a lossy film keeps
static void draw(uint8_t *rgb, int frame)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++, rgb += 3)
        {
            rgb[0] = (uint8_t)(40 + 15 * frame);
            rgb[1] = (uint8_t)(x + 60);
            rgb[2] = (uint8_t)(y + 60);
        }
}

static void write_film(sac_film *film)
{
    static uint8_t rgb[WIDTH * HEIGHT * 3];
    for (int i = 0; i < FRAMES; i++)
    {
        draw(rgb, i);
        assert_ok(sac_film_add(film, rgb));
    }
    assert_ok(sac_film_finish(film));
    sac_film_destroy(film);
}

// mean distance in grey levels
static double difference(const uint8_t *a, const uint8_t *b)
{
    double sum = 0;
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) sum += abs(a[i] - b[i]);
    return sum / (WIDTH * HEIGHT * 3);
}

static bool begin_mp4(sac_film **film, const char *name)
{
    sac_status status = sac_film_create(film, scratch_path(name), WIDTH, HEIGHT, 50);
    if (status == SAC_ERROR_UNAVAILABLE)
    {
        skip_without(sac_last_error());
    }
    assert_ok(status);
    return true;
}

TEST(film_decodes_back)
{
    scratch_open();
    sac_film *film;
    begin_mp4(&film, "ten.mp4");
    write_film(film);

    uint8_t *frames;
    int count;
    assert_ok(sac_footage_read(&frames, &count, 100, scratch_path("ten.mp4"), HEIGHT, WIDTH));
    assert_int_equal(count, FRAMES);
    static uint8_t rgb[WIDTH * HEIGHT * 3];
    for (int i = 0; i < FRAMES; i++)
    {
        draw(rgb, i);
        // colours survive the way through YUV and the encoder: a wrong matrix or range would cost 8 levels and more
        assert_true(difference(rgb, frames + (size_t)i * sizeof rgb) < 4);
    }
    sac_free(frames);
    // fewer were asked for, in another size
    assert_ok(sac_footage_read(&frames, &count, 3, scratch_path("ten.mp4"), 31, 17));
    assert_int_equal(count, 3);
    sac_free(frames);
}

TEST(same_frames_give_the_same_film)
{
    scratch_open();
    sac_film *film;
    for (int i = 0; i < 2; i++)
    {
        begin_mp4(&film, i ? "b.mp4" : "a.mp4");
        write_film(film);
    }
    char command[512];
    snprintf(command, sizeof command, "cmp %s/a.mp4 %s/b.mp4", scratch, scratch);
    assert_int_equal(system(command), 0);
}

TEST(unfinished_film_leaves_nothing)
{
    scratch_open();
    sac_film *film;
    begin_mp4(&film, "cut.mp4");
    static uint8_t rgb[WIDTH * HEIGHT * 3];
    assert_ok(sac_film_add(film, rgb));
    assert_int_not_equal(access(scratch_path("cut.mp4"), F_OK), 0);
    sac_film_destroy(film);
    assert_int_not_equal(access(scratch_path("cut.mp4"), F_OK), 0);
    assert_int_not_equal(access(scratch_path("cut.mp4.tmp"), F_OK), 0);
}

TEST(images_are_the_frames)
{
    scratch_open();
    sac_film *film;
    assert_ok(sac_film_create_images(&film, scratch_path("frames"), WIDTH, HEIGHT));
    write_film(film);
    static uint8_t expected[WIDTH * HEIGHT * 3];
    draw(expected, 9);
    uint8_t *rgb;
    int height, width;
    assert_ok(sac_png_read(&rgb, &height, &width, scratch_path("frames/000009.png"), 1 << 20));
    assert_true(height == HEIGHT && width == WIDTH);
    assert_memory_equal(rgb, expected, sizeof expected);
    sac_free(rgb);
    assert_int_not_equal(access(scratch_path("frames/000010.png"), F_OK), 0);

    // the folder is footage too, in the order of names
    uint8_t *frames;
    int count;
    assert_ok(sac_footage_read(&frames, &count, 100, scratch_path("frames"), HEIGHT, WIDTH));
    assert_int_equal(count, FRAMES);
    assert_memory_equal(frames + 9 * sizeof expected, expected, sizeof expected);
    sac_free(frames);

    // halved, each pixel is the mean of four: exact on a picture of ramps up to rounding
    assert_ok(sac_footage_read(&frames, &count, 1, scratch_path("frames"), HEIGHT / 2, WIDTH / 2));
    draw(expected, 0);
    for (int y = 0; y < HEIGHT / 2; y++)
        for (int x = 0; x < WIDTH / 2; x++)
            assert_near(frames[(y * WIDTH / 2 + x) * 3 + 1], expected[(2 * y * WIDTH + 2 * x) * 3 + 1] + 0.5, 0.5);
    sac_free(frames);
}

TEST(films_say_what_is_wrong)
{
    scratch_open();
    sac_film *film;
    assert_fails(sac_film_create(&film, "x.avi", WIDTH, HEIGHT, 50), SAC_ERROR_ARGUMENT, ".mp4");
    assert_null(film);
    assert_fails(sac_film_create(&film, "x.mp4", 95, HEIGHT, 50), SAC_ERROR_ARGUMENT, "95x64");
    assert_fails(sac_film_create(&film, "x.mp4", WIDTH, HEIGHT, 0), SAC_ERROR_ARGUMENT, "1 to 1000");
    begin_mp4(&film, "there.mp4");
    sac_film_destroy(film);
    assert_fails(sac_film_create(&film, scratch_path("no/folder.mp4"), WIDTH, HEIGHT, 50), SAC_ERROR_FILE,
                 "no/folder.mp4");
    assert_null(film);
    sac_film_destroy(NULL);
}

// a folder of JPEG images; its colour comes back within what the format loses of a plain picture
TEST(folders_may_hold_jpeg)
{
    static const uint8_t red[] = {200, 30, 40};
    uint8_t *bytes, *frames;
    size_t size;
    int count;
    const void *module;
    if (sac_module_open(&module, "film") != SAC_OK) skip_without(sac_last_error());
    scratch_open();
    assert_ok(sac_read_file(&bytes, &size, SAC_SOURCE_DIR "/tests/golden/data/red.jpg", 1 << 16));
    for (int i = 0; i < 3; i++)
    {
        char name[] = "0.jpg";
        name[0] = (char)('0' + i);
        assert_ok(sac_write_file(scratch_path(name), bytes, size));
    }
    assert_ok(sac_footage_read(&frames, &count, 2, scratch_path(""), 9, 7));
    assert_int_equal(count, 2);
    for (int i = 0; i < count * 9 * 7 * 3; i++) assert_near(frames[i], red[i % 3], 4);
    sac_free(frames);
    assert_ok(sac_write_file(scratch_path("1.jpg"), "no image", 8));
    assert_fails(sac_footage_read(&frames, &count, 3, scratch_path(""), 9, 7), SAC_ERROR_FORMAT, "1.jpg");
    sac_free(bytes);
}

TEST(footage_says_what_is_wrong)
{
    scratch_open();
    uint8_t *frames;
    int count;
    assert_fails(sac_footage_read(&frames, &count, 5, scratch_path("none.mp4"), 9, 9), SAC_ERROR_FILE, "none.mp4");
    assert_null(frames);
    mkdir(scratch_path("empty"), 0700);
    assert_fails(sac_footage_read(&frames, &count, 5, scratch_path("empty"), 9, 9), SAC_ERROR_FORMAT, "no .png");
    FILE *file = fopen(scratch_path("text.mp4"), "w");
    fputs("#EXTM3U\nhttp://127.0.0.1/x.ts\n", file);
    fclose(file);
    sac_status status = sac_footage_read(&frames, &count, 5, scratch_path("text.mp4"), 9, 9);
    assert_true(status == SAC_ERROR_FORMAT || status == SAC_ERROR_UNAVAILABLE);
    assert_null(frames);
}

TEST(only_modules_of_the_table_are_opened)
{
    const void *table;
    assert_fails(sac_module_open(&table, "nothing"), SAC_ERROR_ARGUMENT, "no module 'nothing'");
    assert_null(table);
}

// a failure leaves no memory behind, and no file
TEST(films_survive_lack_of_memory)
{
    scratch_open();
    sac_film *film;
    begin_mp4(&film, "ten.mp4");
    write_film(film);
    assert_survives_lack_of_memory(sac_film_create(&film, scratch_path("b.mp4"), WIDTH, HEIGHT, 50),
                                   sac_film_destroy(film));
    assert_int_not_equal(access(scratch_path("b.mp4.tmp"), F_OK), 0);
    uint8_t *frames;
    int count;
    assert_survives_lack_of_memory(sac_footage_read(&frames, &count, 100, scratch_path("ten.mp4"), HEIGHT, WIDTH),
                                   sac_free(frames));
    assert_ok(sac_film_create_images(&film, scratch_path("images"), WIDTH, HEIGHT));
    write_film(film);
    assert_survives_lack_of_memory(sac_footage_read(&frames, &count, 100, scratch_path("images"), HEIGHT, WIDTH),
                                   sac_free(frames));
}

TESTS(folders_may_hold_jpeg, film_decodes_back, same_frames_give_the_same_film, unfinished_film_leaves_nothing,
      images_are_the_frames, films_say_what_is_wrong, footage_says_what_is_wrong, only_modules_of_the_table_are_opened,
      films_survive_lack_of_memory)
