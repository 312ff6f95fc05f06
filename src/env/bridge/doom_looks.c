#define _GNU_SOURCE
#include "env/bridge/doom_looks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "env/bridge/wad.h"
#include "files/atomic.h"
#include "saccade/options.h"

enum
{
    ORIGINAL,
    WALLS,
    FLOOR,
    TEXT,
    OTHER,
    WAD_LIMIT = 1 << 20,
    LINE_SIZE = 64,
    LOOK_STREAM = 0x6c6f6f6b // apart from the streams that others draw of an episode's seed
};

const char *const sac_doom_variants[] = {"original", "walls", "floor", "text", "any", NULL};

// in the order of the numbers above
static const char *const kinds[] = {"original", "walls", "floor", "text", "other", NULL};

static const char any[] = "any", any_of[] = "any=";

// the original and the article's two changes; `text` has the original's scene
static const sac_doom_scene plain = {104, "CRATOP1"}, walls = {404, "CRATOP1"}, other_floor = {104, "CRATOP2"};

// What the kind `other` has: floors and ceilings that no other kind has. The bricks of the walls hang from the ceiling
// and repeat every 128 units; none of these heights has the bricks where `walls` has them.
static const sac_doom_scene others[] = {
    {112, "FLAT22"},   {128, "FLOOR0_2"}, {136, "GRNROCK"},  {168, "MFLR8_4"}, {184, "RROCK12"}, {200, "CONS1_1"},
    {216, "DEM1_4"},   {232, "FLAT20"},   {248, "FLOOR5_4"}, {296, "GRASS1"},  {312, "AQF007"},  {328, "AQF049"},
    {344, "FLOOR0_3"}, {360, "CEIL3_2"},  {440, "FLAT19"},   {472, "CEIL5_2"},
};

static int index_of(const char *name, size_t length)
{
    int i = 0;
    while (kinds[i] && (strlen(kinds[i]) != length || strncmp(kinds[i], name, length) != 0)) i++;
    return i;
}

static void add_scene(sac_doom_looks *looks, const sac_doom_scene *scene)
{
    SAC_ASSERT(looks->scene_count < SAC_DOOM_SCENES);
    looks->scenes[looks->scene_count++] = *scene;
}

static bool is_there(const sac_doom_looks *looks, int kind)
{
    for (int i = 0; i < looks->kind_count; i++)
        if (looks->kinds[i] == kind) return true;
    return false;
}

// The scenes of the kinds that are there, in the order of the kinds.
static void list_scenes(sac_doom_looks *looks)
{
    looks->has_text = is_there(looks, TEXT);
    if (is_there(looks, ORIGINAL) || looks->has_text) add_scene(looks, &plain);
    if (is_there(looks, WALLS)) add_scene(looks, &walls);
    if (is_there(looks, FLOOR)) add_scene(looks, &other_floor);
    for (size_t i = 0; is_there(looks, OTHER) && i < sizeof others / sizeof *others; i++) add_scene(looks, &others[i]);
}

static sac_status fail_unknown(const char *name, const char *const *known)
{
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "take-cover: unknown variant '%.80s', expected original, walls, floor, text or any%s", name,
                    sac_did_you_mean(sac_nearest_of(name, known)));
}

// The words that stand behind "any=", with a "+" between them; NULL: all kinds.
static sac_status read_kinds(sac_doom_looks *looks, const char *words)
{
    for (int kind = 0; !words && kind < SAC_DOOM_KINDS; kind++) looks->kinds[looks->kind_count++] = kind;
    while (words)
    {
        size_t length = strcspn(words, "+");
        char name[SAC_TEXT_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        int kind = index_of(words, length);
        if (!kinds[kind])
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "take-cover: variant 'any' names '%.80s', expected original, walls, floor, text or other%s",
                            name, sac_did_you_mean(sac_nearest_of(name, kinds)));
        if (is_there(looks, kind))
            return sac_fail(SAC_ERROR_ARGUMENT, "take-cover: variant 'any' names %s twice", kinds[kind]);
        looks->kinds[looks->kind_count++] = kind;
        words = words[length] ? words + length + 1 : NULL;
    }
    return SAC_OK;
}

sac_status sac_doom_looks_read(sac_doom_looks *looks, const char *variant)
{
    *looks = (sac_doom_looks){0};
    int kind = index_of(variant, strlen(variant));
    if (strcmp(variant, any) == 0)
        SAC_TRY(read_kinds(looks, NULL));
    else if (strncmp(variant, any_of, strlen(any_of)) == 0)
        SAC_TRY(read_kinds(looks, variant + strlen(any_of)));
    else if (kind < OTHER)
        looks->kinds[looks->kind_count++] = kind;
    else
        return fail_unknown(variant, sac_doom_variants);
    list_scenes(looks);
    return SAC_OK;
}

static bool is_plain(const sac_doom_scene *scene)
{
    return scene->ceiling == plain.ceiling && strcmp(scene->floor, plain.floor) == 0;
}

bool sac_doom_looks_rewritten(const sac_doom_looks *looks)
{
    return looks->scene_count > 1 || !is_plain(&looks->scenes[0]);
}

// The first scene of a kind and how many it has.
static int scenes_of(const sac_doom_looks *looks, int kind, int *count)
{
    *count = 1;
    int first = 0;
    if (kind == ORIGINAL || kind == TEXT) return first;
    first += is_there(looks, ORIGINAL) || looks->has_text;
    if (kind == WALLS) return first;
    first += is_there(looks, WALLS);
    if (kind == FLOOR) return first;
    *count = sizeof others / sizeof *others;
    return first + is_there(looks, FLOOR);
}

sac_doom_look sac_doom_looks_draw(const sac_doom_looks *looks, uint64_t seed)
{
    sac_stream stream = sac_stream_create(seed, LOOK_STREAM, 0);
    int kind = looks->kinds[sac_stream_below(&stream, (uint32_t)looks->kind_count)], count;
    int first = scenes_of(looks, kind, &count);
    return (sac_doom_look){first + (int)sac_stream_below(&stream, (uint32_t)count), kind == TEXT};
}

static sac_status write_all(int descriptor, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size;)
    {
        ssize_t count = pwrite(descriptor, bytes + done, size - done, (off_t)done);
        if (count <= 0) return sac_fail(SAC_ERROR_FILE, "the rewritten scenario cannot be written");
        done += (size_t)count;
    }
    return SAC_OK;
}

static sac_status replace_one(uint8_t **text, sac_wad_lump *map, const char *from, const char *to, const char *path)
{
    int count;
    SAC_TRY(sac_wad_replace(text, &map->size, &count, map, from, to));
    map->bytes = *text;
    return count == 1
               ? SAC_OK
               : sac_fail(SAC_ERROR_FORMAT, "%s: '%s' stands %d times in the map, expected once", path, from, count);
}

// Makes a scene of a map's text. `texts` holds what was made on the way, released by sac_free.
static sac_status dress(uint8_t *texts[2], sac_wad_lump *map, const sac_doom_scene *scene, const char *path)
{
    char from[LINE_SIZE], to[LINE_SIZE];
    snprintf(from, sizeof from, "heightceiling = %d", plain.ceiling);
    snprintf(to, sizeof to, "heightceiling = %d", scene->ceiling);
    SAC_TRY(replace_one(&texts[0], map, from, to, path));
    snprintf(from, sizeof from, "texturefloor = \"%s\"", plain.floor);
    snprintf(to, sizeof to, "texturefloor = \"%s\"", scene->floor);
    return replace_one(&texts[1], map, from, to, path);
}

// Appends the lumps of the one map that a scenario has, as the map of a scene.
static sac_status add_map(sac_wad *out, uint8_t *texts[2], const sac_wad *in, int number, const sac_doom_scene *scene,
                          const char *path)
{
    sac_wad_lump *lumps = out->lumps + out->count;
    memcpy(lumps, in->lumps, sizeof *lumps * (size_t)in->count);
    out->count += in->count;
    sac_wad map = {.lumps = lumps, .count = in->count};
    sac_wad_lump *name = sac_wad_find(&map, "MAP01"), *text = sac_wad_find(&map, "TEXTMAP");
    if (!name || !text) return sac_fail(SAC_ERROR_FORMAT, "%s: no map MAP01 in text form", path);
    name->name[3] = (char)('0' + number / 10);
    name->name[4] = (char)('0' + number % 10);
    return dress(texts, text, scene, path);
}

static sac_status write_maps(const sac_doom_looks *looks, const sac_wad *in, const char *path, int descriptor)
{
    uint8_t *texts[SAC_DOOM_SCENES][2] = {{NULL}}, *file = NULL;
    size_t size = 0;
    sac_wad out = {.lumps = SAC_NEW_ARRAY(sac_wad_lump, (size_t)in->count * (size_t)looks->scene_count)};
    if (!out.lumps) return sac_fail_memory("a scenario");
    memcpy(out.kind, in->kind, sizeof out.kind);
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < looks->scene_count; i++)
        status = add_map(&out, texts[i], in, i + 1, &looks->scenes[i], path);
    if (status == SAC_OK) status = sac_wad_write(&file, &size, &out);
    if (status == SAC_OK) status = write_all(descriptor, file, size);
    for (int i = 0; i < looks->scene_count; i++) sac_free(texts[i][0]), sac_free(texts[i][1]);
    sac_free(file);
    sac_wad_clear(&out);
    return status;
}

sac_status sac_doom_looks_write(const sac_doom_looks *looks, const char *path, int descriptor)
{
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, WAD_LIMIT));
    sac_wad wad;
    sac_status status = sac_wad_read(&wad, bytes, size, path);
    if (status == SAC_OK) status = write_maps(looks, &wad, path, descriptor);
    sac_wad_clear(&wad);
    sac_free(bytes);
    return status;
}
