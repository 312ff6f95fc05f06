#pragma once

#include <math.h>
#include <string.h>

#include "saccade/render.h"

/// A scene of every shape, texture and light, for tests.

enum
{
    PLAYGROUND_GEOMS = 13,
    PLAYGROUND_CUBE = 6,   ///< width of a face
    PLAYGROUND_CHECKER = 8 ///< width and height
};

typedef struct playground
{
    sac_geom geoms[PLAYGROUND_GEOMS];
    sac_light lights[3];
    sac_scene scene;
    sac_render_assets *assets;
} playground;

static inline sac_geom solid_geom(sac_shape shape, float x, float y, float z, float a, float b, float c)
{
    return (sac_geom){.shape = shape,
                      .size = {a, b, c},
                      .position = {x, y, z},
                      .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .rgba = {0.7f, 0.5f, 0.3f, 1},
                      .specular = 0.5f,
                      .shininess = 0.5f,
                      .texture = -1,
                      .texture_scale = {1, 1, 1},
                      .casts_shadow = true};
}

static inline void turn_about_x(sac_geom *g, float angle)
{
    float c = cosf(angle), s = sinf(angle);
    const float axes[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    memcpy(g->axes, axes, sizeof axes);
}

/// Looking along +y from (0, -distance, height), the picture as wide as 2 tan at distance 1.
static inline sac_render_view look_along_y(float distance, float height, float tangent, float aspect)
{
    return (sac_render_view){.position = {0, -distance, height},
                             .forward = {0, 1, 0},
                             .up = {0, 0, 1},
                             .left = -tangent * aspect,
                             .right = tangent * aspect,
                             .bottom = -tangent,
                             .top = tangent,
                             .near = 0.01f,
                             .far = 100};
}

/// Views of the origin from beyond each corner of a cube, so that every side is seen by four of them.
static inline sac_render_view view_from_corner(int corner)
{
    float at[3] = {corner & 1 ? 3.0f : -3.0f, corner & 2 ? 2.0f : -2.0f, corner & 4 ? 2.5f : -2.5f}, forward[3];
    float length = sqrtf(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    for (int k = 0; k < 3; k++) forward[k] = -at[k] / length;
    float level = sqrtf(forward[0] * forward[0] + forward[1] * forward[1]);
    sac_render_view view = look_along_y(0, 0, 0.35f, 1);
    for (int k = 0; k < 3; k++) view.position[k] = at[k], view.forward[k] = forward[k];
    for (int k = 0; k < 2; k++) view.up[k] = -forward[k] * forward[2] / level;
    view.up[2] = level;
    return view;
}

/// The point that a pixel of a square picture shows.
static inline void render_point(double out[3], const sac_render_view *view, int side, int pixel, double depth)
{
    const int column = pixel % side, row = pixel / side;
    double x = (double)view->left + (column + 0.5) / side * (double)(view->right - view->left);
    double y = (double)view->top - (row + 0.5) / side * (double)(view->top - view->bottom);
    const float *f = view->forward, *up = view->up;
    const double right[3] = {(double)(f[1] * up[2] - f[2] * up[1]), (double)(f[2] * up[0] - f[0] * up[2]),
                             (double)(f[0] * up[1] - f[1] * up[0])};
    for (int k = 0; k < 3; k++)
        out[k] = (double)view->position[k] + depth * ((double)f[k] + x * right[k] + y * (double)up[k]);
}

/// A box of triangles, half width 1.
static inline int box_mesh(float positions[36 * 3], float normals[36 * 3])
{
    int corner = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2)
            for (int k = 0; k < 6; k++, corner++)
            {
                static const int u[6] = {-1, 1, 1, -1, 1, -1}, v[6] = {-1, -1, 1, -1, 1, 1};
                int second = side > 0 ? (axis + 1) % 3 : (axis + 2) % 3, third = 3 - axis - second;
                float *p = positions + 3 * corner, *n = normals + 3 * corner;
                p[axis] = (float)side, p[second] = (float)u[k], p[third] = (float)v[k];
                n[axis] = (float)side, n[second] = n[third] = 0;
            }
    return 12;
}

static inline sac_status playground_assets(sac_render_assets **assets)
{
    static uint8_t cube[6 * PLAYGROUND_CUBE * PLAYGROUND_CUBE * 3], checker[PLAYGROUND_CHECKER * PLAYGROUND_CHECKER];
    for (size_t i = 0; i < sizeof cube; i++) cube[i] = (uint8_t)(i * 37 % 251);
    for (int i = 0; i < PLAYGROUND_CHECKER * PLAYGROUND_CHECKER; i++)
        checker[i] = (i % PLAYGROUND_CHECKER < 4) == (i / PLAYGROUND_CHECKER < 4) ? 220 : 90;
    float positions[36 * 3], normals[36 * 3];
    sac_texture textures[2] = {{PLAYGROUND_CUBE, PLAYGROUND_CUBE, 3, true, cube},
                               {PLAYGROUND_CHECKER, PLAYGROUND_CHECKER, 1, false, checker}};
    sac_mesh mesh = {box_mesh(positions, normals), positions, normals, NULL};
    return sac_render_assets_create(assets, textures, 2, &mesh, 1);
}

static inline sac_status playground_create(playground *p)
{
    sac_status status = playground_assets(&p->assets);
    if (status != SAC_OK) return status;
    sac_geom *g = p->geoms;
    g[0] = solid_geom(SAC_SHAPE_PLANE, 0, 0, 0, 6, 6, 0);
    g[0].texture = 1, g[0].reflectance = 0.3f;
    g[0].grid[0] = g[0].grid[1] = (sac_plane_grid){0.5f, 1.0f, 13};
    g[1] = solid_geom(SAC_SHAPE_SPHERE, -1.5f, 0, 0.5f, 0.5f, 0, 0);
    g[2] = solid_geom(SAC_SHAPE_CAPSULE, -0.5f, 0.3f, 0.6f, 0.2f, 0.4f, 0);
    turn_about_x(&g[2], 0.7f);
    g[3] = solid_geom(SAC_SHAPE_ELLIPSOID, 0.4f, 0, 0.4f, 0.3f, 0.2f, 0.4f);
    g[3].shininess = 0.123f;
    g[4] = solid_geom(SAC_SHAPE_CYLINDER, 1.2f, 0.2f, 0.5f, 0.3f, 0.4f, 0);
    turn_about_x(&g[4], -0.5f);
    g[5] = solid_geom(SAC_SHAPE_BOX, 2.0f, 0.5f, 0.4f, 0.3f, 0.3f, 0.4f);
    g[5].texture = 0;
    g[6] = solid_geom(SAC_SHAPE_MESH, 0, 2, 0.8f, 1, 1, 1);
    turn_about_x(&g[6], 0.4f);
    g[7] = solid_geom(SAC_SHAPE_SPHERE, 0.2f, -1, 0.6f, 0.3f, 0, 0);
    g[7].rgba[3] = 0.4f;
    g[8] = solid_geom(SAC_SHAPE_CAPSULE, -2, -0.5f, 1, 0.004f, 0.5f, 0); // a thread
    g[9] = solid_geom(SAC_SHAPE_LINE, 1, -1, 0.2f, 2, 1.5f, 0);
    g[10] = solid_geom(SAC_SHAPE_SPHERE, 40, 60, 8, 3, 0, 0); // far off
    g[11] = solid_geom(SAC_SHAPE_PLANE, 0, 4, 0, 2, 2, 0);    // seen from behind
    turn_about_x(&g[11], -1.2f);
    g[12] = solid_geom(SAC_SHAPE_BOX, 0.9f, -1, 0.3f, 0.2f, 0.3f, 0.3f);
    g[12].box_cells = 3;
    static const int around[5] = {1, 2, 3, 4, 12}; // all shapes that a texture lies around
    for (int i = 0; i < 5; i++)
    {
        sac_geom *solid = &g[around[i]];
        solid->texture = 1, solid->texture_around = true;
        solid->texture_scale[0] = 2, solid->texture_scale[1] = 1.5f;
    }
    for (int i = 0; i < PLAYGROUND_GEOMS; i++) g[i].id = 100 + i;
    for (int i = 0; i < 3; i++)
        p->lights[i] = (sac_light){.direction = {0, 0, -1},
                                   .position = {1, -1, 4},
                                   .attenuation = {1, 0, 0},
                                   .cutoff = 45,
                                   .exponent = 10,
                                   .diffuse = {0.4f, 0.4f, 0.4f},
                                   .specular = {0.3f, 0.3f, 0.3f},
                                   .ambient = {0.1f, 0.1f, 0.1f},
                                   .shadow_extent = 30};
    p->lights[0].directional = true;
    p->lights[1].casts_shadow = true;
    p->lights[2].casts_shadow = p->lights[2].directional = true;
    p->lights[2].direction[0] = 0.6f, p->lights[2].direction[2] = -0.8f;
    p->lights[2].shadow_extent = 5;
    p->scene = (sac_scene){.assets = p->assets,
                           .geoms = p->geoms,
                           .geom_count = PLAYGROUND_GEOMS,
                           .lights = p->lights,
                           .light_count = 3,
                           .view = look_along_y(5, 1.5f, 0.5f, 1.3f),
                           .sky = 0,
                           .sky_radius = 70,
                           .haze_plane = 0,
                           .haze = 0.3f,
                           .haze_rgb = {0.9f, 0.8f, 0.7f}};
    return SAC_OK;
}

static inline void playground_destroy(playground *p)
{
    sac_render_assets_destroy(p->assets);
}
