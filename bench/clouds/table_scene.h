#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "saccade/cloud.h"
#include "saccade/render.h"

/// Tables with solids on them, and the depth pictures that a camera takes of them, for tests and benches. The world's z
/// is up, the table's top is z = 0.

enum
{
    TABLE_SOLIDS = 6, ///< at most
    TABLE_GEOMS = TABLE_SOLIDS + 2
};

typedef struct table_scene
{
    sac_geom geoms[TABLE_GEOMS];
    int solids; ///< the first ones of the geoms; then the table and the floor
} table_scene;

/// A camera that looks at the middle of the table.
typedef struct table_camera
{
    int height, width;
    double distance, azimuth, elevation; ///< metres, radians
    double noise;                        ///< standard deviation at 1 m; it grows with the square of the depth
    double lost;                         ///< share of pixels that see nothing
} table_camera;

/// A depth picture of a scene, metres, 0 where a pixel sees nothing.
typedef struct table_picture
{
    float *depth; ///< [height, width], released by free
    int height, width;
    sac_intrinsics camera;
    sac_pose pose;
} table_picture;

static inline void table_turn(sac_geom *g, double angle)
{
    const float c = (float)cos(angle), s = (float)sin(angle);
    const float axes[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(g->axes, axes, sizeof axes);
}

static inline sac_geom table_solid(sac_shape shape, const float size[3], const float position[3], double angle)
{
    sac_geom g = {.shape = shape, .rgba = {0.5f, 0.5f, 0.5f, 1}, .texture = -1, .texture_scale = {1, 1, 1}};
    memcpy(g.size, size, sizeof g.size);
    memcpy(g.position, position, sizeof g.position);
    table_turn(&g, angle);
    return g;
}

/// A scene of a seed: 3 to TABLE_SOLIDS solids on a grid of places, which never touch.
static inline table_scene table_make(uint64_t seed)
{
    static const sac_shape shapes[] = {SAC_SHAPE_BOX, SAC_SHAPE_CYLINDER, SAC_SHAPE_ELLIPSOID, SAC_SHAPE_CAPSULE};
    table_scene scene = {.solids = 0};
    sac_stream s = sac_stream_create(seed, 0x7ab1e, 0);
    const int solids = 3 + (int)sac_stream_below(&s, TABLE_SOLIDS - 2);
    for (int i = 0; i < solids; i++)
    {
        const sac_shape shape = shapes[sac_stream_below(&s, 4)];
        float size[3], position[3];
        for (int d = 0; d < 3; d++) size[d] = (float)sac_stream_uniform(&s, 0.02, 0.05);
        if (shape == SAC_SHAPE_CAPSULE) size[0] = 0.025f;
        position[0] = (float)(-0.2 + 0.2 * (i % 3) + sac_stream_uniform(&s, -0.03, 0.03));
        position[1] = (float)(-0.12 + 0.24 * (double)(i / 3) + sac_stream_uniform(&s, -0.03, 0.03));
        position[2] = shape == SAC_SHAPE_CYLINDER ? size[1] : shape == SAC_SHAPE_CAPSULE ? size[0] + size[1] : size[2];
        scene.geoms[scene.solids++] = table_solid(shape, size, position, sac_stream_uniform(&s, 0, 3.14));
    }
    scene.geoms[scene.solids] = table_solid(SAC_SHAPE_BOX, (float[3]){0.5f, 0.35f, 0.02f}, (float[3]){0, 0, -0.02f}, 0);
    scene.geoms[scene.solids + 1] = table_solid(SAC_SHAPE_PLANE, (float[3]){4, 4, 1}, (float[3]){0, 0, -0.7f}, 0);
    return scene;
}

static inline sac_render_view table_view(const table_camera *c, sac_pose *pose)
{
    const double up = cos(c->elevation), f[3] = {-up * cos(c->azimuth), -up * sin(c->azimuth), -sin(c->elevation)};
    const double right[3] = {-sin(c->azimuth), cos(c->azimuth), 0}; // of the camera: forward x z, of length 1
    const double down[3] = {f[1] * right[2] - f[2] * right[1], f[2] * right[0] - f[0] * right[2],
                            f[0] * right[1] - f[1] * right[0]};
    const double high = 0.45, wide = high * c->width / c->height; // half the picture at distance 1
    sac_render_view v = {.left = (float)-wide,
                         .right = (float)wide,
                         .bottom = (float)-high,
                         .top = (float)high,
                         .near = 0.05f,
                         .far = 20};
    for (int d = 0; d < 3; d++)
    {
        pose->position[d] = -c->distance * f[d];
        pose->rotation[3 * d] = right[d], pose->rotation[3 * d + 1] = down[d], pose->rotation[3 * d + 2] = f[d];
        v.position[d] = (float)pose->position[d], v.forward[d] = (float)f[d], v.up[d] = (float)-down[d];
    }
    return v;
}

static inline void table_spoil(table_picture *p, const table_camera *c, uint64_t seed)
{
    const size_t count = (size_t)p->height * (size_t)p->width;
    double *noise = malloc(count * sizeof *noise);
    if (!noise) abort();
    sac_normals(noise, count, seed, 0, 0);
    sac_stream s = sac_stream_create(seed, 1, 0);
    for (size_t i = 0; i < count; i++)
    {
        const double z = (double)p->depth[i];
        const bool lost = z >= 19 || sac_stream_uniform(&s, 0, 1) < c->lost;
        p->depth[i] = lost ? 0 : (float)(z + c->noise * z * z * noise[i]);
    }
    free(noise);
}

/// Take a picture; the seed is of the noise.
static inline table_picture table_take(const table_scene *scene, const table_camera *c, uint64_t seed)
{
    table_picture p = {.height = c->height, .width = c->width};
    const sac_render_view view = table_view(c, &p.pose);
    const double wide = (double)view.right, high = (double)view.top;
    p.camera = (sac_intrinsics){.focal_row = c->height / (2 * high),
                                .focal_column = c->width / (2 * wide),
                                .center_row = c->height / 2.0 - 0.5,
                                .center_column = c->width / 2.0 - 0.5};
    p.depth = malloc((size_t)c->height * (size_t)c->width * sizeof *p.depth);
    sac_renderer_def def = sac_renderer_default_def();
    def.height = c->height, def.width = c->width;
    sac_renderer *renderer;
    if (!p.depth || sac_renderer_create(&renderer, &def) != SAC_OK) abort();
    const sac_scene drawn = {
        .geoms = scene->geoms, .geom_count = scene->solids + 2, .view = view, .sky = -1, .haze_plane = -1};
    if (sac_render(renderer, &drawn, &(sac_picture){.depth = p.depth}) != SAC_OK) abort();
    sac_renderer_destroy(renderer);
    if (c->noise > 0 || c->lost > 0) table_spoil(&p, c, seed);
    return p;
}

/// A description of a picture for clouds.
static inline sac_depth table_depth(const table_picture *p)
{
    return (sac_depth){.pixels = p->depth,
                       .height = p->height,
                       .width = p->width,
                       .row_stride = p->width * (ptrdiff_t)sizeof(float),
                       .format = SAC_DEPTH_METRES,
                       .least = 0.1f,
                       .most = 10};
}

/// What is looked at: the table's top and what stands on it.
static inline sac_segmenter_def table_def(int max_points)
{
    sac_segmenter_def def = sac_segmenter_default_def();
    def.max_points = max_points;
    def.bounds = (sac_bounds){{-0.45f, -0.3f, -0.05f}, {0.45f, 0.3f, 0.4f}};
    return def;
}

static inline void table_put(FILE *file, double number)
{
    fwrite(&number, sizeof number, 1, file);
}

/// Write a picture and what is done with it, as read_picture of bench/peers/pcl.h reads them.
static inline void table_put_picture(FILE *file, const table_picture *p, const sac_segmenter_def *def)
{
    table_put(file, p->height), table_put(file, p->width);
    table_put(file, p->camera.focal_row), table_put(file, p->camera.focal_column);
    table_put(file, p->camera.center_row), table_put(file, p->camera.center_column);
    for (int i = 0; i < 9; i++) table_put(file, p->pose.rotation[i]);
    for (int i = 0; i < 3; i++) table_put(file, p->pose.position[i]);
    for (int i = 0; i < 3; i++) table_put(file, (double)def->bounds.least[i]);
    for (int i = 0; i < 3; i++) table_put(file, (double)def->bounds.most[i]);
    table_put(file, (double)def->voxel), table_put(file, (double)def->plane.distance),
        table_put(file, (double)def->reach);
    table_put(file, def->plane.trials), table_put(file, def->least_points), table_put(file, def->plane.confidence);
    fwrite(p->depth, sizeof *p->depth, (size_t)p->height * (size_t)p->width, file);
}
