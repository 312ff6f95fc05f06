#include "failing_memory.h"
#include "scratch.h"

#include "images/readers.h"
#include "images/set.h"

// Pictures with labels: what is read is what was written, and what training sees of them is what was asked for.

enum
{
    COUNT = 40,
    ROWS = 5,
    COLUMNS = 7,
    SIZE = ROWS * COLUMNS
};

static uint8_t pixel_of(int picture, int row, int column)
{
    return (uint8_t)(1 + (picture * 31 + row * 17 + column * 5) % 255);
}

static void write_bytes(const char *name, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(scratch_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_set(const char *part)
{
    char name[64];
    uint8_t pictures[16 + COUNT * SIZE] = {0, 0, 8, 3, 0, 0, 0, COUNT, 0, 0, 0, ROWS, 0, 0, 0, COLUMNS};
    uint8_t labels[8 + COUNT] = {0, 0, 8, 1, 0, 0, 0, COUNT};
    for (int i = 0; i < COUNT; i++)
    {
        for (int k = 0; k < SIZE; k++) pictures[16 + i * SIZE + k] = pixel_of(i, k / COLUMNS, k % COLUMNS);
        labels[8 + i] = (uint8_t)(i % 3);
    }
    snprintf(name, sizeof name, "%s-images-idx3-ubyte", part);
    write_bytes(name, pictures, sizeof pictures);
    snprintf(name, sizeof name, "%s-labels-idx1-ubyte", part);
    write_bytes(name, labels, sizeof labels);
}

static sac_image_set *open_set(void)
{
    scratch_open();
    write_set("train");
    sac_image_set *set;
    assert_int_equal(sac_image_set_open(&set, "idx", scratch, false), SAC_OK);
    return set; // its files are mapped and stay
}

// numbers of bytes as they are
static const sac_image_view plain = {.deviation = {1.0 / 255, 1.0 / 255, 1.0 / 255}};

TEST(pictures_are_those_of_the_file)
{
    sac_image_set *set = open_set();
    int rows, columns, channels;
    sac_image_set_shape(set, &rows, &columns, &channels);
    assert_int_equal(rows, ROWS);
    assert_int_equal(columns, COLUMNS);
    assert_int_equal(channels, 1);
    assert_int_equal(sac_image_set_count(set), COUNT);
    assert_int_equal(sac_image_set_classes(set), 3);
    for (int i = 0; i < COUNT; i++)
    {
        float out[SIZE];
        sac_image_set_see(set, &plain, out, i);
        assert_int_equal(sac_image_set_label(set, i), i % 3);
        for (int k = 0; k < SIZE; k++) assert_near(out[k], pixel_of(i, k / COLUMNS, k % COLUMNS), 1e-4);
    }
    sac_image_set_close(set);
}

static uint64_t digest_of(const char *part)
{
    sac_image_set *set;
    assert_int_equal(sac_image_set_open(&set, "idx", scratch, strcmp(part, "t10k") == 0), SAC_OK);
    const uint64_t digest = sac_image_set_digest(set);
    sac_image_set_close(set);
    return digest;
}

static void change_byte(const char *name, long at)
{
    FILE *file = fopen(scratch_path(name), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 1, file), byte ^ 1);
    assert_int_equal(fclose(file), 0);
}

TEST(a_digest_depends_on_every_byte)
{
    scratch_open();
    write_set("train");
    write_set("t10k");
    const uint64_t digest = digest_of("train");
    assert_true(digest == digest_of("t10k"));
    for (long at = 16; at < 16 + COUNT * SIZE; at += 97)
    {
        change_byte("train-images-idx3-ubyte", at);
        assert_true(digest_of("train") != digest);
        change_byte("train-images-idx3-ubyte", at);
    }
    assert_true(digest_of("train") == digest);
    change_byte("train-labels-idx1-ubyte", 8 + COUNT - 1);
    assert_true(digest_of("train") != digest);
}

TEST(measured_pictures_have_mean_0_and_deviation_1)
{
    sac_image_set *set = open_set();
    sac_image_view view = {0};
    sac_image_set_measure(set, &view);
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++)
    {
        float out[SIZE];
        sac_image_set_see(set, &view, out, i);
        for (int k = 0; k < SIZE; k++) sum += (double)out[k], squares += (double)out[k] * (double)out[k];
    }
    // floats near 1, each rounded by 1e-7
    assert_near(sum / (COUNT * SIZE), 0, 1e-6);
    assert_near(squares / (COUNT * SIZE), 1, 1e-6);
    sac_image_set_close(set);
}

// where a drawn picture was cut out: one shift, mirrored or not, explains every pixel, and black lies around
static bool explains(const float *out, int picture, int down, int right, bool mirrored)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++)
        {
            const int row = y + down, column = (mirrored ? COLUMNS - 1 - x : x) + right;
            const bool inside = row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
            if (fabsf(out[y * COLUMNS + x] - (inside ? (float)pixel_of(picture, row, column) : 0.0f)) > 1e-4f)
                return false;
        }
    return true;
}

TEST(crops_are_shifts_and_mirrors_all_of_which_come_about_equally_often)
{
    sac_image_set *set = open_set();
    sac_image_view view = plain;
    view.padding = 1;
    view.flip = true;
    int counts[18] = {0};
    enum
    {
        DRAWS = 9000
    };
    for (int draw = 0; draw < DRAWS; draw++)
    {
        float out[SIZE];
        int found = -1;
        sac_image_set_draw(set, &view, out, 7, 3, (uint64_t)draw);
        for (int k = 0; k < 18; k++)
            if (explains(out, 7, k / 6 - 1, k / 2 % 3 - 1, k % 2 == 1)) found = k;
        assert_true(found >= 0);
        counts[found]++;
    }
    // 500 each; a binomial's deviation is 21.7, and 18 of them stay within five
    for (int k = 0; k < 18; k++) assert_in_range(counts[k], 500 - 109, 500 + 109);
    sac_image_set_close(set);
}

TEST(a_view_is_a_function_of_seed_epoch_and_number)
{
    sac_image_set *set = open_set();
    sac_image_view view = plain;
    view.padding = 3;
    view.flip = true;
    float first[SIZE], again[SIZE];
    int changed[3] = {0};
    for (int i = 0; i < COUNT; i++)
    {
        sac_image_set_draw(set, &view, first, i, 5, 9);
        sac_image_set_draw(set, &view, again, (i + 11) % COUNT, 5, 9); // nothing is remembered
        sac_image_set_draw(set, &view, again, i, 5, 9);
        assert_memory_equal(first, again, sizeof first);
        sac_image_set_draw(set, &view, again, i, 6, 9);
        changed[0] += memcmp(first, again, sizeof first) != 0;
        sac_image_set_draw(set, &view, again, i, 5, 10);
        changed[1] += memcmp(first, again, sizeof first) != 0;
    }
    // two draws of 98 are the same in 0.4 of 40 pictures on average
    assert_true(changed[0] > COUNT / 2 && changed[1] > COUNT / 2);
    sac_image_set_close(set);
}

TEST(an_order_holds_every_picture_once)
{
    int order[COUNT], other[COUNT], seen[COUNT] = {0};
    sac_image_order(order, COUNT, 1, 2);
    for (int i = 0; i < COUNT; i++) seen[order[i]]++;
    for (int i = 0; i < COUNT; i++) assert_int_equal(seen[i], 1);
    sac_image_order(other, COUNT, 1, 2);
    assert_memory_equal(order, other, sizeof order);
    sac_image_order(other, COUNT, 1, 3);
    assert_memory_not_equal(order, other, sizeof order);
}

TEST(cifar_has_three_planes_a_picture_in_five_files)
{
    enum
    {
        EACH = 3
    };
    scratch_open();
    static uint8_t bytes[EACH * SAC_CIFAR_RECORD];
    for (int file = 0; file < 5; file++)
    {
        char name[32];
        for (int i = 0; i < EACH; i++)
        {
            uint8_t *record = bytes + (ptrdiff_t)i * SAC_CIFAR_RECORD;
            record[0] = (uint8_t)(file * 2 % 10);
            for (int k = 0; k < 3 * SAC_CIFAR_PLANE; k++)
                record[1 + k] = (uint8_t)(file * 7 + i * 3 + k % 97 + k / 1024);
        }
        snprintf(name, sizeof name, "data_batch_%d.bin", file + 1);
        write_bytes(name, bytes, sizeof bytes);
    }
    sac_image_set *set;
    assert_int_equal(sac_image_set_open(&set, "cifar-10", scratch, false), SAC_OK);
    assert_int_equal(sac_image_set_count(set), 5 * EACH);
    assert_int_equal(sac_image_set_classes(set), 9);
    for (int i = 0; i < 5 * EACH; i++)
    {
        static float out[3 * SAC_CIFAR_PLANE];
        sac_image_set_see(set, &plain, out, i);
        assert_int_equal(sac_image_set_label(set, i), i / EACH * 2 % 10);
        for (int k = 0; k < 3 * SAC_CIFAR_PLANE; k++) // [row, column, channel] of planes
        {
            const int at = k % 3 * SAC_CIFAR_PLANE + k / 3;
            assert_near(out[k], (uint8_t)(i / EACH * 7 + i % EACH * 3 + at % 97 + at / 1024), 1e-3);
        }
    }
    sac_image_set_close(set);
    assert_int_equal(sac_image_set_open(&set, "cifar-10", scratch, true), SAC_ERROR_FILE);
    assert_null(set);
    assert_non_null(strstr(sac_last_error(), "test_batch.bin"));
}

TEST(sets_that_do_not_fit_are_refused)
{
    scratch_open();
    write_set("train");
    const uint8_t few[] = {0, 0, 8, 1, 0, 0, 0, 2, 0, 1};
    write_bytes("train-labels-idx1-ubyte", few, sizeof few);
    sac_image_set *set;
    assert_int_equal(sac_image_set_open(&set, "idx", scratch, false), SAC_ERROR_FORMAT);
    assert_non_null(strstr(sac_last_error(), "40 pictures of rank 2 and 2 labels of rank 1 do not fit"));
}

TEST(lack_of_memory_is_survived)
{
    scratch_open();
    write_set("train");
    sac_image_set *set;
    assert_survives_lack_of_memory(sac_image_set_open(&set, "idx", scratch, false), sac_image_set_close(set));
}

TESTS(pictures_are_those_of_the_file, a_digest_depends_on_every_byte, measured_pictures_have_mean_0_and_deviation_1,
      crops_are_shifts_and_mirrors_all_of_which_come_about_equally_often, a_view_is_a_function_of_seed_epoch_and_number,
      an_order_holds_every_picture_once, cifar_has_three_planes_a_picture_in_five_files,
      sets_that_do_not_fit_are_refused, lack_of_memory_is_survived)
