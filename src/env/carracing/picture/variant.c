#include "env/carracing/picture/variant.h"

#include <math.h>
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

const char *const sac_car_variant_names[] = {"original", "color",      "bars",      "blob",
                                             "noise",    "video=PATH", "fake-lane", NULL};

static const char *const names[] = {"original", "color", "bars", "blob", "noise", "video", "fake-lane", NULL};

static const char video[] = "video=";

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

sac_status sac_car_variant_create(car_variant **out, const char *name)
{
    *out = NULL;
    const char *path = strncmp(name, video, strlen(video)) == 0 ? name + strlen(video) : NULL;
    int kind = path ? CAR_VARIANT_VIDEO + 1 : 0;
    while (!path && names[kind] && strcmp(names[kind], name) != 0) kind++;
    if (kind == 0) return SAC_OK;
    if (!names[kind])
        return sac_fail(SAC_ERROR_ARGUMENT, "car-racing: unknown variant '%.80s'%s", name,
                        sac_did_you_mean(sac_nearest_of(name, names)));
    if (kind == CAR_VARIANT_VIDEO + 1 && (!path || !*path))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "car-racing: variant 'video' needs frames, expected video=PATH with a video "
                        "file or a folder of images, or video=procedural");

    car_variant *v = SAC_NEW(car_variant);
    if (!v) return sac_fail_memory("a variant");
    v->kind = (car_variant_kind)(kind - 1);
    sac_status status = path ? read_video(v, path) : SAC_OK;
    if (status != SAC_OK)
    {
        sac_car_variant_destroy(v);
        return sac_fail_in(status, "car-racing: variant '%.200s'", name);
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
