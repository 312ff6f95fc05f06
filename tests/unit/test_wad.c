#include "base/memory.h"
#include "env/bridge/doom_text.h"
#include "env/bridge/wad.h"
#include "files/atomic.h"

#include "failing_memory.h"
#include "test.h"

#define VARIANTS "../shared/golden/envs/doom_variants/"

TEST(a_file_is_written_as_the_format_says)
{
    // kind, two lumps, directory at 18; six bytes of lump; then where, size and name of each
    static const uint8_t expected[] = "PWAD\2\0\0\0\22\0\0\0helloX"
                                      "\14\0\0\0\0\0\0\0MAP01\0\0\0"
                                      "\14\0\0\0\6\0\0\0TEXTMAP\0";
    sac_wad_lump lumps[] = {{"MAP01", NULL, 0}, {"TEXTMAP", (const uint8_t *)"helloX", 6}};
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_wad_write(&bytes, &size, &(sac_wad){"PWAD", lumps, 2}));
    assert_int_equal(size, sizeof expected - 1);
    assert_memory_equal(bytes, expected, size);

    sac_wad wad;
    assert_ok(sac_wad_read(&wad, bytes, size, "written"));
    assert_int_equal(wad.count, 2);
    assert_string_equal(wad.kind, "PWAD");
    assert_null(sac_wad_find(&wad, "MAP02"));
    const sac_wad_lump *map = sac_wad_find(&wad, "TEXTMAP");
    assert_int_equal(map->size, 6);
    assert_memory_equal(map->bytes, "helloX", 6);
    sac_wad_clear(&wad);
    sac_free(bytes);
}

TEST(replacing_counts_and_touches_nothing_else)
{
    static const struct
    {
        const char *text, *from, *to, *expected;
        int count;
    } cases[] = {
        {"a = 104;", "104", "404", "a = 404;", 1}, {"aaaa", "aa", "b", "bb", 2}, {"aaa", "aa", "aab", "aaba", 1},
        {"nothing", "some", "x", "nothing", 0},    {"", "x", "y", "", 0},        {"x", "x", "", "", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        sac_wad_lump lump = {"T", (const uint8_t *)cases[i].text, strlen(cases[i].text)};
        uint8_t *text;
        size_t size;
        int count;
        assert_ok(sac_wad_replace(&text, &size, &count, &lump, cases[i].from, cases[i].to));
        assert_int_equal(count, cases[i].count);
        assert_int_equal(size, strlen(cases[i].expected));
        assert_memory_equal(text, cases[i].expected, size);
        sac_free(text);
    }
}

// a file with one text of its map replaced
static uint8_t *edited(const char *path, const char *from, const char *to, size_t *size)
{
    uint8_t *bytes, *text, *out;
    size_t read;
    int count;
    sac_wad wad;
    assert_ok(sac_read_file(&bytes, &read, path, 1 << 20));
    assert_ok(sac_wad_read(&wad, bytes, read, path));
    sac_wad_lump *map = sac_wad_find(&wad, "TEXTMAP");
    assert_non_null(map);
    assert_ok(sac_wad_replace(&text, &map->size, &count, map, from, to));
    assert_int_equal(count, 1);
    map->bytes = text;
    assert_ok(sac_wad_write(&out, size, &wad));
    sac_wad_clear(&wad);
    sac_free(text);
    sac_free(bytes);
    return out;
}

// two variants of one scenario, made by another program: undoing what each changed gives the same file
TEST(variants_go_back_to_one_original)
{
    FILE *file = fopen(VARIANTS "take_cover_higher_walls.wad", "rb");
    if (!file) skip_without(VARIANTS);
    fclose(file);
    size_t a_size, b_size;
    uint8_t *a = edited(VARIANTS "take_cover_higher_walls.wad", "heightceiling = 208", "heightceiling = 104", &a_size);
    uint8_t *b = edited(VARIANTS "take_cover_floor_texture.wad", "texturefloor = \"FLOOR5_4\"",
                        "texturefloor = \"CRATOP1\"", &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    sac_free(a);
    sac_free(b);
}

TEST(lack_of_memory_is_reported)
{
    sac_wad_lump lump = {"T", (const uint8_t *)"a = 104;", 8};
    const sac_wad wad = {"PWAD", &lump, 1};
    uint8_t *bytes, *text;
    size_t size, length;
    int count;
    assert_survives_lack_of_memory(sac_wad_write(&bytes, &size, &wad), sac_free(bytes));
    assert_ok(sac_wad_write(&bytes, &size, &wad));
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    sac_free(bytes);
    sac_wad read;
    assert_survives_lack_of_memory(sac_wad_read(&read, copy, size, "copy"), sac_wad_clear(&read));
    assert_survives_lack_of_memory(sac_wad_replace(&text, &length, &count, &lump, "104", "4"), sac_free(text));
    sac_doom_text *panel;
    assert_survives_lack_of_memory(sac_doom_text_create(&panel, 120, 160), sac_doom_text_destroy(panel));
    free(copy);
}

static int count_color(const uint8_t *picture, int pixels, int first, int second, int third)
{
    int count = 0;
    for (int i = 0; i < pixels; i++)
        count += picture[3 * i] == first && picture[3 * i + 1] == second && picture[3 * i + 2] == third;
    return count;
}

TEST(the_panel_covers_what_the_article_covers)
{
    static uint8_t full[480 * 640 * 3], small[120 * 160 * 3], red_first[120 * 160 * 3];
    sac_doom_text *text;
    assert_ok(sac_doom_text_create(&text, 480, 640));
    memset(full, 7, sizeof full);
    sac_doom_text_paste(text, full, true);
    int letters = count_color(full, 480 * 640, 0, 0, 255), rest = count_color(full, 480 * 640, 0, 255, 255);
    assert_int_equal(letters + rest, 360 * 80);
    assert_int_equal(count_color(full, 480 * 640, 7, 7, 7), 480 * 640 - 360 * 80);
    assert_true(letters > 360 * 80 / 8 && letters < 360 * 80 / 2);
    const uint8_t *corner = full + (30 * 640 + 150) * 3;
    assert_true(corner[0] == 0 && corner[-3] == 7 && corner[-640 * 3] == 7 && corner[(79 * 640 + 359) * 3] == 0);
    sac_doom_text_destroy(text);

    // a smaller picture holds the means of the larger one
    assert_ok(sac_doom_text_create(&text, 120, 160));
    memset(small, 7, sizeof small);
    memset(red_first, 7, sizeof red_first);
    sac_doom_text_paste(text, small, true);
    sac_doom_text_paste(text, red_first, false);
    for (int i = 0; i < 120 * 160; i++)
        for (int c = 0; c < 3; c++)
        {
            int sum = 0;
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++) sum += full[((i / 160 * 4 + y) * 640 + i % 160 * 4 + x) * 3 + c];
            assert_int_equal(small[i * 3 + c], (sum + 8) / 16);
            assert_int_equal(red_first[i * 3 + 2 - c], small[i * 3 + c]);
        }

    // wherever the lot puts it, it is whole
    for (uint64_t seed = 0; seed < 200; seed++)
    {
        int column, row;
        sac_doom_text_place(seed, &column, &row);
        assert_in_range(column, 0, 640 - 360);
        assert_in_range(row, 0, 160 - 80);
        sac_doom_text_move(text, column, row);
    }
    sac_doom_text_destroy(text);
}

TESTS(lack_of_memory_is_reported, a_file_is_written_as_the_format_says, replacing_counts_and_touches_nothing_else,
      variants_go_back_to_one_original, the_panel_covers_what_the_article_covers)
