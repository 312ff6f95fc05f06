#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "env/bridge/doom_looks.h"
#include "env/bridge/wad.h"
#include "files/atomic.h"

#include "failing_memory.h"
#include "test.h"

// what take-cover's episodes look like, without an engine

enum
{
    DRAWS = 4000
};

static sac_doom_looks read_looks(const char *variant)
{
    sac_doom_looks looks;
    assert_ok(sac_doom_looks_read(&looks, variant));
    return looks;
}

TEST(variants_are_the_articles)
{
    static const struct
    {
        const char *variant, *floor;
        int ceiling;
        bool rewritten, text;
    } cases[] = {
        {"original", "CRATOP1", 104, false, false},
        {"walls", "CRATOP1", 404, true, false},
        {"floor", "CRATOP2", 104, true, false},
        {"text", "CRATOP1", 104, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        sac_doom_looks looks = read_looks(cases[i].variant);
        sac_doom_look look = sac_doom_looks_draw(&looks, i);
        assert_int_equal(looks.scene_count, 1);
        assert_int_equal(looks.scenes[0].ceiling, cases[i].ceiling);
        assert_string_equal(looks.scenes[0].floor, cases[i].floor);
        assert_true(sac_doom_looks_rewritten(&looks) == cases[i].rewritten);
        assert_true(looks.has_text == cases[i].text && look.text == cases[i].text && look.scene == 0);
    }
}

// every kind is drawn as often as the others, within five standard deviations, and so is each scene of `other`
TEST(any_draws_all_kinds_alike)
{
    sac_doom_looks looks = read_looks("any");
    int texts = 0, drawn[SAC_DOOM_SCENES] = {0}, others = looks.scene_count - 3;
    assert_true(others > 10);
    for (uint64_t seed = 0; seed < DRAWS; seed++)
    {
        sac_doom_look look = sac_doom_looks_draw(&looks, seed);
        texts += look.text;
        drawn[look.scene]++;
    }
    double kind = DRAWS / 5.0, off = 5 * sqrt(DRAWS * 0.2 * 0.8), each = kind / others;
    assert_true(fabs(texts - kind) < off && fabs(drawn[0] - texts - kind) < off); // the panel hangs in the plain scene
    assert_true(fabs(drawn[1] - kind) < off && fabs(drawn[2] - kind) < off);
    for (int i = 3; i < looks.scene_count; i++) assert_true(fabs(drawn[i] - each) < 5 * sqrt(each));
}

// what is trained in by `other` is none of what is tested
TEST(other_scenes_are_none_of_the_variants)
{
    sac_doom_looks looks = read_looks("any=other");
    for (int i = 0; i < looks.scene_count; i++)
    {
        const sac_doom_scene *scene = &looks.scenes[i];
        assert_true(scene->ceiling > 104 && scene->ceiling % 128 != 404 % 128);
        assert_true(strncmp(scene->floor, "CRATOP", 6) != 0);
        for (int j = 0; j < i; j++)
            assert_true(scene->ceiling != looks.scenes[j].ceiling && strcmp(scene->floor, looks.scenes[j].floor) != 0);
    }
}

TEST(kinds_are_named)
{
    sac_doom_looks looks = read_looks("any=floor+original");
    assert_int_equal(looks.scene_count, 2);
    int seen[2] = {0};
    for (uint64_t seed = 0; seed < 40; seed++)
    {
        sac_doom_look look = sac_doom_looks_draw(&looks, seed);
        assert_false(look.text);
        seen[look.scene]++;
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
    looks = read_looks("any=original+text");
    assert_int_equal(looks.scene_count, 1);
    assert_false(sac_doom_looks_rewritten(&looks));
    assert_fails(sac_doom_looks_read(&looks, "any=floor+wals"), SAC_ERROR_ARGUMENT, "did you mean 'walls'");
    assert_fails(sac_doom_looks_read(&looks, "any=floor+floor"), SAC_ERROR_ARGUMENT, "floor twice");
    assert_fails(sac_doom_looks_read(&looks, "any="), SAC_ERROR_ARGUMENT, "names ''");
    assert_fails(sac_doom_looks_read(&looks, "other"), SAC_ERROR_ARGUMENT, "unknown variant 'other'");
    assert_fails(sac_doom_looks_read(&looks, "flor"), SAC_ERROR_ARGUMENT, "did you mean 'floor'");
}

#define MAP_TEXT(ceiling, floor) "sector { texturefloor = \"" floor "\"; heightceiling = " ceiling "; }"

static void write_original(const char *path, const char *text)
{
    sac_wad_lump lumps[] = {{"MAP01", NULL, 0}, {"TEXTMAP", (const uint8_t *)text, strlen(text)}, {"ENDMAP", NULL, 0}};
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_wad_write(&bytes, &size, &(sac_wad){"PWAD", lumps, 3}));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    sac_free(bytes);
}

static void read_back(uint8_t *bytes, size_t capacity, sac_wad *wad, int descriptor)
{
    ssize_t size = pread(descriptor, bytes, capacity, 0);
    assert_true(size > 0);
    assert_ok(sac_wad_read(wad, bytes, (size_t)size, "written"));
}

static void check_map(const sac_wad *wad, int i, const char *name, const char *text)
{
    assert_string_equal(wad->lumps[3 * i].name, name);
    assert_string_equal(wad->lumps[3 * i + 1].name, "TEXTMAP");
    assert_int_equal(wad->lumps[3 * i + 1].size, strlen(text));
    assert_memory_equal(wad->lumps[3 * i + 1].bytes, text, strlen(text));
    assert_string_equal(wad->lumps[3 * i + 2].name, "ENDMAP");
}

TEST(a_scenario_has_a_map_for_each_scene)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/saccade-looks-%d.wad", (int)getpid());
    write_original(path, MAP_TEXT("104", "CRATOP1"));
    int descriptor = memfd_create("scenario", 0);
    uint8_t bytes[4096];
    sac_wad wad;
    sac_doom_looks looks = read_looks("any=original+walls+floor");
    assert_ok(sac_doom_looks_write(&looks, path, descriptor));
    read_back(bytes, sizeof bytes, &wad, descriptor);
    assert_int_equal(wad.count, 9);
    check_map(&wad, 0, "MAP01", MAP_TEXT("104", "CRATOP1"));
    check_map(&wad, 1, "MAP02", MAP_TEXT("404", "CRATOP1"));
    check_map(&wad, 2, "MAP03", MAP_TEXT("104", "CRATOP2"));
    sac_wad_clear(&wad);
    assert_survives_lack_of_memory(sac_doom_looks_write(&looks, path, descriptor), );
    write_original(path, MAP_TEXT("105", "CRATOP1"));
    assert_fails(sac_doom_looks_write(&looks, path, descriptor), SAC_ERROR_FORMAT, "heightceiling");
    close(descriptor);
    remove(path);
}

TESTS(variants_are_the_articles, any_draws_all_kinds_alike, other_scenes_are_none_of_the_variants, kinds_are_named,
      a_scenario_has_a_map_for_each_scene)
