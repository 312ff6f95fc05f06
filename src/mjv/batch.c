#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mjv/scene.h"

enum
{
    MOST_FRAMES = 1 << 20,
    MOST_THREADS = 1024
};

// What one thread draws with, and what it met in the last draw.
typedef struct drawer
{
    sac_renderer *renderer;
    sac_mjv_scene *scene;
    uint32_t left_out;
    int failed; // the first of its frames that could not be drawn
    sac_status status;
    char sentence[512];
} drawer;

// A frame that was taken.
typedef struct copy
{
    mjv_seen seen;
    float *moved; // corners of skins and flexes
    int *used;    // faces of flexes
} copy;

struct sac_mjv_batch
{
    sac_mjv_layout layout;
    sac_threads *threads;
    drawer *drawers; // one a thread
    int width, height, max_geoms;
    size_t skin_floats, flex_points, flex_faces; // that a frame has
    copy *copies;
    int count, room;

    // the draw that is under way
    const sac_mjv_model *model;
    const sac_mjv_frame *look;
    sac_picture picture;
    int32_t *objects;
    atomic_int next;
};

// --- making

static sac_status make_drawers(sac_mjv_batch *b, const sac_renderer_def *def, const sac_render_assets *assets,
                               const sac_mjv_model *model, const sac_mjv_flexes *flexes)
{
    for (int i = 0; i < sac_threads_count(b->threads); i++)
    {
        drawer *d = &b->drawers[i];
        SAC_TRY(sac_renderer_create(&d->renderer, def));
        SAC_TRY(sac_mjv_scene_create(&d->scene, &b->layout, assets, model, flexes, def->max_geoms));
    }
    sac_renderer_size(b->drawers[0].renderer, &b->width, &b->height);
    return SAC_OK;
}

// How much of a frame moves.
static void measure(sac_mjv_batch *b, const sac_mjv_model *model, const sac_mjv_flexes *flexes)
{
    b->skin_floats = model->nskin > 0 ? 3 * (size_t)model->nskinvert : 0;
    for (int i = 0; flexes && i < flexes->nflex; i++)
    {
        size_t points = (size_t)flexes->flexvertadr[i] + (size_t)flexes->flexvertnum[i];
        size_t faces = (size_t)flexes->flexfaceadr[i] + (size_t)flexes->flexfacenum[i];
        if (points > b->flex_points) b->flex_points = points;
        if (flexes->flexfacenum[i] > 0 && faces > b->flex_faces) b->flex_faces = faces;
    }
}

sac_status sac_mjv_batch_create(sac_mjv_batch **out, const sac_renderer_def *def, const sac_mjv_layout *layout,
                                const sac_render_assets *assets, const sac_mjv_model *model,
                                const sac_mjv_flexes *flexes, int threads)
{
    *out = NULL;
    if (threads < 1 || threads > MOST_THREADS)
        return sac_fail(SAC_ERROR_ARGUMENT, "a batch's threads are %d, expected 1..%d", threads, MOST_THREADS);
    sac_mjv_batch *b = SAC_NEW(sac_mjv_batch);
    if (b) b->drawers = SAC_NEW_ARRAY(drawer, (size_t)threads);
    sac_status status = b && b->drawers ? sac_threads_create(&b->threads, threads) : sac_fail_memory("a batch");
    if (status == SAC_OK)
    {
        b->layout = *layout;
        b->max_geoms = def->max_geoms;
        measure(b, model, flexes);
        status = make_drawers(b, def, assets, model, flexes);
    }
    if (status != SAC_OK)
    {
        sac_mjv_batch_destroy(b);
        return status;
    }
    *out = b;
    return SAC_OK;
}

static void release_copy(copy *c)
{
    sac_free(c->seen.geoms);
    sac_free(c->moved);
    sac_free(c->used);
    *c = (copy){0};
}

void sac_mjv_batch_destroy(sac_mjv_batch *b)
{
    if (!b) return;
    for (int i = 0; b->threads && i < sac_threads_count(b->threads); i++)
    {
        sac_renderer_destroy(b->drawers[i].renderer);
        sac_mjv_scene_destroy(b->drawers[i].scene);
    }
    for (int i = 0; i < b->room; i++) release_copy(&b->copies[i]);
    sac_threads_destroy(b->threads);
    sac_free(b->drawers);
    sac_free(b->copies);
    sac_free(b);
}

// --- taking

sac_status sac_mjv_batch_resize(sac_mjv_batch *b, int count)
{
    if (count < 0 || count > MOST_FRAMES)
        return sac_fail(SAC_ERROR_ARGUMENT, "a batch's frames are %d, expected 0..%d", count, MOST_FRAMES);
    if (count > b->room)
    {
        copy *copies = SAC_NEW_ARRAY(copy, (size_t)count);
        if (!copies) return sac_fail_memory("a batch's frames");
        if (b->room > 0) memcpy(copies, b->copies, (size_t)b->room * sizeof *copies);
        sac_free(b->copies);
        b->copies = copies;
        b->room = count;
    }
    b->count = count;
    return SAC_OK;
}

static sac_status make_room(const sac_mjv_batch *b, copy *c, int geoms)
{
    size_t moved = 2 * b->skin_floats + 3 * b->flex_points + (9 + 9 + 6) * b->flex_faces;
    if (!c->moved)
    {
        c->moved = sac_alloc_array(moved, sizeof *c->moved);
        c->used = sac_alloc_array((size_t)b->drawers[0].scene->flex_count, sizeof *c->used);
    }
    if (c->seen.room < geoms)
    {
        sac_free(c->seen.geoms);
        c->seen.geoms = sac_alloc_array((size_t)geoms, sizeof *c->seen.geoms);
        c->seen.room = c->seen.geoms ? geoms : 0;
    }
    c->seen.geom_count = 0;
    return c->moved && c->used && c->seen.room >= geoms ? SAC_OK : sac_fail_memory("a batch's frames");
}

// Copies an array behind the ones before and leads its pointer there.
static void move(const float **array, float **to, size_t count)
{
    if (!*array) return;
    memcpy(*to, *array, count * sizeof **to);
    *array = *to;
    *to += count;
}

static void copy_moving(const sac_mjv_batch *b, copy *c)
{
    float *to = c->moved;
    sac_mjv_flexes *f = &c->seen.flexes;
    move(&c->seen.skinvert, &to, b->skin_floats);
    move(&c->seen.skinnormal, &to, b->skin_floats);
    int flexes = b->drawers[0].scene->flex_count;
    if (f->nflex > flexes) f->nflex = flexes;
    if (f->nflex < 1) return;
    move(&f->flexvert, &to, 3 * b->flex_points);
    move(&f->flexface, &to, 9 * b->flex_faces);
    move(&f->flexnormal, &to, 9 * b->flex_faces);
    move(&f->flextexcoord, &to, 6 * b->flex_faces);
    memcpy(c->used, f->flexfaceused, (size_t)f->nflex * sizeof *c->used);
    f->flexfaceused = c->used;
}

sac_status sac_mjv_batch_take(sac_mjv_batch *b, int index, const sac_mjv_model *model, const sac_mjv_frame *frame)
{
    if (index < 0 || index >= b->count)
        return sac_fail(SAC_ERROR_ARGUMENT, "frame %d of %d is to be taken", index, b->count);
    copy *c = &b->copies[index];
    int geoms = frame->ngeom < b->max_geoms ? frame->ngeom : b->max_geoms;
    SAC_TRY(make_room(b, c, geoms));
    sac_mjv_read_frame(&c->seen, &b->layout, model, frame);
    copy_moving(b, c);
    return SAC_OK;
}

// --- drawing

static void draw_one(const sac_mjv_batch *b, drawer *d, int index)
{
    size_t pixels = (size_t)b->width * (size_t)b->height, first = (size_t)index * pixels;
    const sac_picture *all = &b->picture;
    sac_picture picture = {.rgb = all->rgb ? all->rgb + 3 * first : NULL,
                           .depth = all->depth ? all->depth + first : NULL,
                           .ids = all->ids ? all->ids + first : NULL};
    int32_t *objects = b->objects ? b->objects + 2 * first : NULL;
    sac_status status =
        sac_mjv_draw_seen(d->renderer, d->scene, b->model, &b->copies[index].seen, b->look, &picture, objects);
    d->left_out |= sac_mjv_scene_left_out(d->scene);
    if (status == SAC_OK || d->status != SAC_OK) return;
    d->failed = index;
    d->status = status;
    snprintf(d->sentence, sizeof d->sentence, "%s", sac_last_error());
}

// A thread's frames come in rising order, so the first of all that fails is the first of some thread.
static void draw_some(void *user, int thread)
{
    sac_mjv_batch *b = user;
    drawer *d = &b->drawers[thread];
    d->status = SAC_OK;
    d->left_out = 0;
    for (int i; (i = atomic_fetch_add(&b->next, 1)) < b->count;) draw_one(b, d, i);
}

sac_status sac_mjv_batch_draw(sac_mjv_batch *b, const sac_mjv_model *model, const sac_mjv_frame *look,
                              const sac_picture *picture, int32_t *objects)
{
    b->model = model;
    b->look = look;
    b->picture = *picture;
    b->objects = objects;
    atomic_store(&b->next, 0);
    sac_threads_run(b->threads, draw_some, b);
    const drawer *first = NULL;
    for (int i = 0; i < sac_threads_count(b->threads); i++)
    {
        const drawer *d = &b->drawers[i];
        if (d->status != SAC_OK && (!first || d->failed < first->failed)) first = d;
    }
    return first ? sac_fail(first->status, "frame %d: %s", first->failed, first->sentence) : SAC_OK;
}

uint32_t sac_mjv_batch_left_out(const sac_mjv_batch *b)
{
    uint32_t left_out = 0;
    for (int i = 0; i < sac_threads_count(b->threads); i++) left_out |= b->drawers[i].left_out;
    return left_out;
}
