#include "env/grasp/eye.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"

struct grasp_eye
{
    grasp_eye_def def;
    grasp_table *table;
    sac_mujoco_view *camera, *wrist, *poster;
    int poster_height, poster_width;
    sac_segmenter *segmenter;
    sac_intrinsics intrinsics;
    sac_pose pose;
    float *depth;   // [height, width]
    double *normal; // [height, width]
};

static sac_status open_view(sac_mujoco_view **out, const grasp_table *t, grasp_camera camera, int height, int width)
{
    const bool people = camera == GRASP_PEOPLE;
    const sac_mujoco_view_def def = {
        .height = height, .width = width, .camera = t->cameras[camera], .shadows = people, .antialias = people};
    return sac_mujoco_view_create(out, t->mj, t->model, t->shared->assets, &def);
}

// What lies on the table, cut out of its plane. Voxels of 4 mm keep a thing of 3 cm at a hundred points.
static sac_status open_segmenter(grasp_eye *e)
{
    sac_segmenter_def def = sac_segmenter_default_def();
    def.max_points = e->def.height * e->def.width;
    def.bounds = (sac_bounds){{-0.2f, -0.4f, -0.03f}, {0.2f, 0.4f, 0.35f}};
    def.voxel = 0.004f;
    def.plane.distance = 0.006f;
    def.reach = 0.015f;
    def.least_points = 15;
    return sac_segmenter_create(&e->segmenter, &def);
}

// The camera's own frame has x to the right, y down and z forward; MuJoCo's has y up and z back.
static void place_camera(grasp_eye *e)
{
    const double side = 0.70710678118654752; // 45 degrees
    const sac_pose pose = {.rotation = {0, -side, side, -1, 0, 0, 0, -side, -side}, .position = {-0.8, 0, 0.8}};
    double sine, cosine;
    sac_series_sin_cos(e->def.fov * 3.14159265358979323846 / 360, &sine, &cosine);
    const double focal = e->def.height / 2.0 * cosine / sine;
    e->pose = pose;
    e->intrinsics = (sac_intrinsics){focal, focal, e->def.height / 2.0 - 0.5, e->def.width / 2.0 - 0.5};
}

static sac_status open_all(grasp_eye *e)
{
    const grasp_eye_def *d = &e->def;
    SAC_TRY(open_view(&e->camera, e->table, GRASP_CAMERA, d->height, d->width));
    SAC_TRY(open_view(&e->wrist, e->table, GRASP_WRIST, d->wrist_height, d->wrist_width));
    place_camera(e);
    const size_t pixels = (size_t)d->height * (size_t)d->width;
    e->depth = SAC_NEW_ARRAY(float, pixels);
    e->normal = SAC_NEW_ARRAY(double, d->noise > 0 ? pixels : 1);
    if (!e->depth || !e->normal) return sac_fail_memory("a depth picture");
    return open_segmenter(e);
}

sac_status sac_grasp_eye_create(grasp_eye **out, grasp_table *table, const grasp_eye_def *def)
{
    *out = NULL;
    grasp_eye *e = SAC_NEW(grasp_eye);
    if (!e) return sac_fail_memory("a camera");
    e->def = *def;
    e->table = table;
    sac_status status = open_all(e);
    if (status != SAC_OK)
        sac_grasp_eye_destroy(e);
    else
        *out = e;
    return status;
}

void sac_grasp_eye_destroy(grasp_eye *e)
{
    if (!e) return;
    sac_mujoco_view_destroy(e->camera);
    sac_mujoco_view_destroy(e->wrist);
    sac_mujoco_view_destroy(e->poster);
    sac_segmenter_destroy(e->segmenter);
    sac_free(e->depth);
    sac_free(e->normal);
    sac_free(e);
}

// Noise of a stereo camera grows with the square of depth: a standard deviation of 1 mm at a metre.
static void blur(grasp_eye *e, uint64_t seed, uint64_t index)
{
    const size_t pixels = (size_t)e->def.height * (size_t)e->def.width;
    if (!(e->def.noise > 0)) return;
    sac_normals(e->normal, pixels, seed, index, 0x6e6f6973);
    for (size_t i = 0; i < pixels; i++)
        e->depth[i] += (float)(0.001 * e->def.noise * e->normal[i]) * e->depth[i] * e->depth[i];
}

static const sac_cloud_object *choose(const sac_segments *s, bool nearest)
{
    const sac_cloud_object *best = s->objects;
    for (int i = 1; nearest && i < s->object_count; i++)
    {
        const float *a = s->objects[i].center, *b = best->center;
        if (a[0] * a[0] + a[1] * a[1] < b[0] * b[0] + b[1] * b[1]) best = &s->objects[i];
    }
    return best;
}

sac_status sac_grasp_eye_look(grasp_eye *e, grasp_found *found, uint64_t seed, uint64_t index)
{
    *found = (grasp_found){0};
    SAC_TRY(sac_mujoco_view_draw(e->camera, e->table->data, &(sac_picture){.depth = e->depth}));
    blur(e, seed, index);
    const sac_depth depth = {.pixels = e->depth,
                             .height = e->def.height,
                             .width = e->def.width,
                             .row_stride = (ptrdiff_t)e->def.width * (ptrdiff_t)sizeof *e->depth,
                             .format = SAC_DEPTH_METRES,
                             .least = 0.05f,
                             .most = 3};
    sac_segments s;
    SAC_TRY(sac_segmenter_run(e->segmenter, &s, &depth, &e->intrinsics, &e->pose));
    found->clusters = s.clusters;
    if (s.object_count == 0) return SAC_OK;
    const sac_cloud_object *o = choose(&s, e->def.nearest);
    found->points = s.points + o->first;
    found->stride = s.stride;
    found->count = o->count;
    for (int i = 0; i < 3; i++) found->center[i] = o->center[i], found->axis[i] = o->axis[i];
    return SAC_OK;
}

const float *sac_grasp_eye_depth(const grasp_eye *e)
{
    return e->depth;
}

sac_status sac_grasp_eye_wrist(grasp_eye *e, float *depth)
{
    SAC_TRY(sac_mujoco_view_draw(e->wrist, e->table->data, &(sac_picture){.depth = depth}));
    for (int i = 0; i < e->def.wrist_height * e->def.wrist_width; i++)
        if (!(depth[i] < e->def.far)) depth[i] = e->def.far;
    return SAC_OK;
}

sac_status sac_grasp_eye_poster(grasp_eye *e, mjData *data, uint8_t *rgb, int height, int width)
{
    if (height != e->poster_height || width != e->poster_width)
    {
        sac_mujoco_view_destroy(e->poster);
        e->poster = NULL;
        e->poster_height = e->poster_width = 0;
        SAC_TRY(open_view(&e->poster, e->table, GRASP_PEOPLE, height, width));
        e->poster_height = height;
        e->poster_width = width;
    }
    return sac_mujoco_view_draw(e->poster, data, &(sac_picture){.rgb = rgb});
}
