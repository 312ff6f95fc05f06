#include "env/carracing/picture/variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "env/carracing/picture/variant_parts.h"
#include "files/pictures/footage.h"

enum
{
    MAX_FRAMES = 1000,
    CLIP_FRAMES = 100
};

const char *const sac_car_variant_names[] = {"original",   "color",     "bars", "blob", "noise",
                                             "video=PATH", "fake-lane", "any",  NULL};

// in the order of car_variant_kind; "original" by itself has no variant at all
static const char *const kinds[] = {"color", "bars", "blob", "noise", "video", "fake-lane", "original", NULL};

static const char *const names[] = {"original", "color", "bars", "blob", "noise", "video", "fake-lane", "any", NULL};

static const char video[] = "video=", any[] = "any", any_of[] = "any=";

static sac_status read_video(car_variant *v, const char *path)
{
    if (strcmp(path, "procedural") != 0)
        return sac_footage_read(&v->frames, &v->frame_count, MAX_FRAMES, path, CAR_CAMERA_SIDE, CAR_CAMERA_SIDE);
    v->frames = sac_alloc_array(CLIP_FRAMES, CAR_CAMERA_SIDE * CAR_CAMERA_SIDE * 3);
    if (!v->frames) return sac_fail_memory("a clip");
    v->frame_count = CLIP_FRAMES;
    sac_car_clip_draw(v->frames, CLIP_FRAMES);
    return SAC_OK;
}

static int kind_of(const char *name)
{
    int kind = 0;
    while (kinds[kind] && strcmp(kinds[kind], name) != 0) kind++;
    return kind;
}

static sac_status fail_unknown(const char *name, const char *const *known)
{
    return sac_fail(SAC_ERROR_ARGUMENT, "car-racing: unknown variant '%.80s'%s", name, sac_expected_of(name, known));
}

// One of the words that stand behind "any=", with a "+" between them.
static sac_status add_choice(car_variant *v, const char *word, size_t length)
{
    char name[SAC_TEXT_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    int kind = kind_of(name);
    if (!kinds[kind]) return fail_unknown(name, kinds);
    for (int i = 0; i < v->choice_count; i++)
        if (v->choices[i] == (car_variant_kind)kind)
            return sac_fail(SAC_ERROR_ARGUMENT, "car-racing: variant 'any' names %s twice", name);
    v->choices[v->choice_count++] = (car_variant_kind)kind;
    return SAC_OK;
}

// Which kinds the episodes of "any" may have: those that are named, else all.
static sac_status read_choices(car_variant *v, const char *words)
{
    for (int kind = 0; !words && kind < CAR_VARIANT_KINDS; kind++)
        v->choices[v->choice_count++] = (car_variant_kind)kind;
    while (words)
    {
        size_t length = strcspn(words, "+");
        SAC_TRY(add_choice(v, words, length));
        words = words[length] ? words + length + 1 : NULL;
    }
    for (int i = 0; i < v->choice_count; i++)
        if (v->choices[i] == CAR_VARIANT_VIDEO) return read_video(v, "procedural");
    return SAC_OK;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static sac_status read_variant(car_variant *v, const char *name)
{
    if (strcmp(name, any) == 0) return read_choices(v, NULL);
    if (begins(name, any_of)) return read_choices(v, name + strlen(any_of));
    const char *path = begins(name, video) ? name + strlen(video) : NULL;
    int kind = path ? CAR_VARIANT_VIDEO : kind_of(name);
    if (!kinds[kind]) return fail_unknown(name, names);
    if (kind == CAR_VARIANT_VIDEO && (!path || !*path))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "car-racing: variant 'video' needs frames, expected video=PATH with a video "
                        "file or a folder of images, or video=procedural");
    v->kind = (car_variant_kind)kind;
    if (!path) return SAC_OK;
    sac_status status = read_video(v, path);
    return status == SAC_OK ? status : sac_fail_in(status, "car-racing: variant '%.200s'", name);
}

sac_status sac_car_variant_create(car_variant **out, const char *name)
{
    *out = NULL;
    if (strcmp(name, "original") == 0) return SAC_OK;
    car_variant *v = SAC_NEW(car_variant);
    if (!v) return sac_fail_memory("a variant");
    sac_status status = read_variant(v, name);
    if (status != SAC_OK)
    {
        sac_car_variant_destroy(v);
        return status;
    }
    sac_car_variant_reset(v, 0);
    *out = v;
    return SAC_OK;
}

void sac_car_variant_destroy(car_variant *v)
{
    if (!v) return;
    sac_free(v->frames);
    sac_free(v);
}

void sac_car_variant_reset(car_variant *v, uint64_t seed)
{
    if (!v) return;
    if (v->choice_count > 0)
    {
        sac_stream which = sac_stream_create(seed, 0x766172696174696f, CAR_VARIANT_KINDS);
        v->kind = v->choices[sac_stream_below(&which, (uint32_t)v->choice_count)];
    }
    sac_stream stream = sac_stream_create(seed, 0x766172696174696f, (uint64_t)v->kind); // apart from all other streams
    v->seed = (uint64_t)sac_stream_u32(&stream) << 32 | sac_stream_u32(&stream);
    v->road = 255 * (float)sac_stream_uniform(&stream, -0.2, 0.2);
    v->grass = 255 * (float)sac_stream_uniform(&stream, -0.2, 0.2);
    v->first_frame = v->frame_count > 0 ? (int)sac_stream_below(&stream, (uint32_t)v->frame_count) : 0;
}

void sac_car_variant_ink(const car_variant *v, car_inks *inks)
{
    if (!v || v->kind != CAR_VARIANT_COLOR) return;
    for (int c = 0; c < 3; c++)
    {
        inks->road[c] += v->road;
        inks->grass[c] += v->grass;
        inks->square[c] -= v->grass; // light squares stay as they are
    }
}
