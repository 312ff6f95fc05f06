#include "env/control/distraction/distraction.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "env/control/distraction/distraction_parts.h"

enum
{
    CAMERA,
    COLOR,
    BACKGROUND,
    PARTS,
    STRENGTH // of all parts
};

static const char *const part_names[] = {"camera", "color", "background", "original", NULL};
static const char *const level_names[] = {"easy", "medium", "hard", NULL};
static const int level_videos[] = {4, 8, 60};

struct control_distraction
{
    int level[PARTS]; // 0: none, 1..3
    bool dynamic;
    int redraw; // control steps; 0: never
    double weakest, strongest;
    distraction_camera camera;
    distraction_color color;
    control_backdrop *backdrop;
    uint64_t seed, step;
};

// ---- the variant's words

static int index_of(const char *word, size_t size, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strlen(names[i]) == size && memcmp(word, names[i], size) == 0) return i;
    return -1;
}

static sac_status refuse(const char *what, const char *word, size_t size, const char *const *names)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)size, word);
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "unknown %s '%s'%s; a variant is camera:LEVEL+color:LEVEL+background:LEVEL, any of the three, "
                    "with easy, medium or hard, and :dynamic at the end",
                    what, copy, sac_did_you_mean(sac_nearest_of(copy, names)));
}

static sac_status read_part(control_distraction *d, const char *part, size_t size)
{
    size_t name = strcspn(part, ":+");
    if (name > size) name = size;
    int which = index_of(part, name, part_names);
    if (which < 0 || which >= PARTS) return refuse("distraction", part, name, part_names);
    const char *level = part + name + (name < size);
    size_t rest = size - (size_t)(level - part);
    int found = index_of(level, rest, level_names);
    if (found < 0) return refuse("level", level, rest, level_names);
    if (d->level[which]) return sac_fail(SAC_ERROR_ARGUMENT, "'%s' is there twice", part_names[which]);
    d->level[which] = 1 + found;
    return SAC_OK;
}

static sac_status read_variant(control_distraction *d, const char *variant)
{
    static const char dynamic[] = ":dynamic";
    size_t size = strlen(variant), tail = strlen(dynamic);
    d->dynamic = size > tail && strcmp(variant + size - tail, dynamic) == 0;
    if (d->dynamic) size -= tail;
    for (size_t begin = 0; begin <= size;)
    {
        size_t part = strcspn(variant + begin, "+");
        if (begin + part > size) part = size - begin;
        SAC_TRY(read_part(d, variant + begin, part));
        begin += part + 1;
    }
    return SAC_OK;
}

// ---- life

// Distractions of easy, medium and hard have the scales 0.1, 0.2 and 0.3 (Stone et al. 2021, "The Distracting Control
// Suite").
static sac_status create_parts(control_distraction *d, control_world *w, const distraction_def *def)
{
    SAC_TRY(read_variant(d, def->variant));
    d->redraw = def->redraw;
    d->weakest = def->weakest;
    d->strongest = def->strongest;
    if (d->weakest > d->strongest)
        return sac_fail(SAC_ERROR_ARGUMENT, "weakest is %g and strongest %g, expected weakest <= strongest", d->weakest,
                        d->strongest);
    if (d->level[CAMERA] && def->camera < 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "the free camera (-1) cannot be moved, expected one of the model");
    d->camera = (distraction_camera){.camera = def->camera, .dynamic = d->dynamic};
    d->color.dynamic = d->dynamic;
    if (d->level[COLOR]) SAC_TRY(sac_distraction_color_create(&d->color, w));
    if (!d->level[BACKGROUND]) return SAC_OK;
    int videos = level_videos[d->level[BACKGROUND] - 1];
    return sac_backdrop_create(&d->backdrop, w, def->pictures, videos, d->dynamic, def->plain);
}

sac_status sac_distraction_create(control_distraction **out, control_world *w, const distraction_def *def)
{
    *out = NULL;
    if (strcmp(def->variant, "original") == 0) return SAC_OK;
    control_distraction *d = SAC_NEW(control_distraction);
    if (!d) return sac_fail_memory("a distraction");
    sac_status status = create_parts(d, w, def);
    if (status != SAC_OK)
    {
        sac_distraction_destroy(d);
        return sac_fail_in(status, "%s: variant '%.100s'", w->task->id, def->variant);
    }
    *out = d;
    return SAC_OK;
}

void sac_distraction_destroy(control_distraction *d)
{
    if (!d) return;
    sac_distraction_color_destroy(&d->color);
    sac_backdrop_destroy(d->backdrop);
    sac_free(d);
}

// ---- episodes

static sac_stream stream_of(uint64_t seed, int part)
{
    return sac_stream_create(seed, 0x6469737472616374, (uint64_t)part); // apart from all other streams
}

// Each part draws from a stream of its own, so that a part that is off changes nothing of the others.
static void draw(control_distraction *d, control_world *w, uint64_t seed)
{
    sac_stream stream = stream_of(seed, STRENGTH);
    double normal[DISTRACTION_NORMALS], strength = sac_stream_uniform(&stream, d->weakest, d->strongest);
    stream = stream_of(seed, CAMERA);
    if (d->level[CAMERA])
    {
        sac_normals(normal, DISTRACTION_NORMALS, d->seed, d->step, CAMERA);
        sac_distraction_camera_draw(&d->camera, w, 0.1 * d->level[CAMERA] * strength, &stream, normal);
    }
    stream = stream_of(seed, COLOR);
    if (d->level[COLOR]) sac_distraction_color_draw(&d->color, w, 0.1 * d->level[COLOR] * strength, &stream);
    stream = stream_of(seed, BACKGROUND);
    sac_backdrop_draw(d->backdrop, strength, &stream);
}

void sac_distraction_reset(control_distraction *d, control_world *w, uint64_t seed)
{
    if (!d) return;
    sac_stream own = stream_of(seed, PARTS);
    d->seed = (uint64_t)sac_stream_u32(&own) << 32 | sac_stream_u32(&own);
    d->step = 0;
    if (d->level[CAMERA]) sac_distraction_camera_reset(&d->camera, w);
    draw(d, w, seed);
}

// The numbers of a step are a function of the episode's seed and the step, so that a snapshot need not hold a stream.
void sac_distraction_step(control_distraction *d, control_world *w)
{
    if (!d) return;
    d->step++;
    if (d->redraw && d->step % (uint64_t)d->redraw == 0)
    {
        draw(d, w, sac_mix_seed(d->seed, d->step, PARTS));
        return;
    }
    double normal[DISTRACTION_NORMALS] = {0};
    if (d->level[CAMERA] && d->dynamic) sac_normals(normal, DISTRACTION_NORMALS, d->seed, d->step, CAMERA);
    if (d->level[CAMERA]) sac_distraction_camera_step(&d->camera, w, normal);
    if (d->level[COLOR]) sac_distraction_color_step(&d->color, w, d->seed, d->step);
    sac_backdrop_step(d->backdrop);
}

void sac_distraction_snapshot(control_distraction *d, control_world *w, sac_snapshot *snapshot)
{
    if (!d) return;
    sac_snapshot_part(snapshot, &d->seed, sizeof d->seed);
    sac_snapshot_part(snapshot, &d->step, sizeof d->step);
    if (d->level[CAMERA]) sac_distraction_camera_snapshot(&d->camera, w, snapshot);
    if (d->level[COLOR]) sac_distraction_color_snapshot(&d->color, w, snapshot);
    sac_backdrop_snapshot(d->backdrop, snapshot);
}

const control_backdrop *sac_distraction_backdrop(control_distraction *d)
{
    if (d && d->backdrop) sac_backdrop_show(d->backdrop);
    return d ? d->backdrop : NULL;
}
