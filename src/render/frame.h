#pragma once

#include "render/assets.h"
#include "saccade/render.h"

/// One picture's scene as the drawing loops want it: rays, lights and bounds in every solid's own coordinates. Made by
/// frame.c in plain C, once a picture, and drawn by draw.c, which is compiled once a CPU level.

enum
{
    LIGHTS = SAC_RENDER_LIGHTS,
    TILE_COLUMNS = 16, ///< pixels of a tile, whose solids are listed once
    TILE_ROWS = 8,
    GRID_CELLS = 3,    ///< cells of a block of a plane's grid, along each axis: 4 x 4 crossings are lit at once
    BOX_CELLS = 4096,  ///< cells of a box's face along each axis, at most
    GRID_BLOCKS = 8192 ///< blocks of all planes of a scene
};

/// Rays of all pixels: from p[0] + X p[1] + Y p[2], where X and Y count pixels, along d[0] + X d[1] + Y d[2]. Where the
/// ray's parameter is t, the distance along the view is shift + t.
typedef struct render_fan
{
    float p[3][3], d[3][3];
    float shift;
} render_fan;

/// A half-open rectangle of pixels.
typedef struct render_rect
{
    int left, top, right, bottom;
} render_rect;

/// A light as one solid sees it, in the solid's own coordinates; colours of light and solid multiplied.
typedef struct solid_light
{
    float position[3];  ///< of a spot
    float direction[3]; ///< where it shines
    float ambient[3], diffuse[3], specular[3];
} solid_light;

/// A geom of the picture.
typedef struct solid
{
    sac_shape shape;
    int geom;
    bool behind; ///< a plane seen from below
    render_rect rect, mirror_rect;
    render_fan eye, mirror;        ///< in units of `scale`
    float size[3];                 ///< in units of `scale`
    float scale[3];                ///< round shapes are drawn as those of radius 1
    float eye_point[3];            ///< own coordinates
    float mirror_point[3];         ///< where the mirrored eye is
    float world[3][3], offset[3];  ///< own coordinates in units of `scale` = world (point - eye) + offset
    float light_point[LIGHTS][3];  ///< the lights' positions (spot) or directions in units of `scale`
    float light_window[LIGHTS][4]; ///< what it may shade, seen from the light: left, bottom, right, top
    float thread[2][2];            ///< the ends of something thin, in pixels
    float thread_depth[2];         ///< of these ends
    float thread_reach;            ///< how far around it an edge may be; 0: it is not thin
    float depth;                   ///< of the centre, for sorting
    float alpha;
    float paint[3]; ///< rgb
    float emission[3];
    float specular, power; ///< power: sharpness of highlights
    solid_light lights[LIGHTS];
    const render_texture *texture;
    float texture_scale[3], texture_offset[2];
    bool texture_around;
    const render_mesh *mesh;
    sac_plane_grid grid[2];         ///< of a plane, and of each face of a box, which is 1 in half width there
    int block_table, block_columns; ///< in the renderer's table; -1: lit at every pixel
} solid;

/// What all solids share of a light.
typedef struct render_light
{
    bool directional, casts;
    float attenuation[3];
    float cutoff, exponent; ///< cosine
    float axes[3][3];       ///< right, up, where it shines; in the world
    float offset[3];        ///< the eye in these axes
    float extent;           ///< of its shadows: tangent or metres
    int caster_count;
    int *casters; ///< solids
} render_light;

/// The haze at a plane's horizon.
typedef struct render_haze
{
    bool on;
    float normal[3];
    float height;      ///< of the eye over the plane, in units of the radius
    float width, bend; ///< r, and where its transparency has its corner
    float radius;
    float rgb[3];
} render_haze;

struct sac_renderer
{
    sac_renderer_def def;
    int packet_columns, packet_rows;
    const sac_scene *scene;

    solid *solids;
    int solid_count;
    int *opaque, opaque_count; ///< front to back, planes last
    int *clear, clear_count;   ///< drawn through, nearest first
    int *row_list, *tile_list, *tile_clear, *tile_mirror;

    render_light lights[LIGHTS];
    int light_count;
    unsigned every_light, casting, steady; ///< lights: all; those whose shadows are drawn; the others
    float view_p[3][3], view_d[3][3];      ///< rays in the world, from the eye
    float far, near;
    int mirror; ///< a solid or -1
    float reflectance;

    const render_texture *sky;
    float sky_radius, sky_near; ///< of the sky's cylinder; what is nearer along the view is before it
    render_haze haze;
    int32_t *sky_pixels;   ///< [packets, 16], as bytes r g b 0
    uint8_t *sky_is_there; ///< [packets]
    struct
    {
        float d[3][3];
        const render_texture *sky;
    } sky_key;

    float *grid_colours; ///< [blocks, sets, 3, 16]
    size_t grid_floats;
    int32_t *block_numbers; ///< of the planes' blocks: in grid_colours, or -1
    int block_count, table_size, sets;

    int32_t *keys;  ///< [packets, 16] with antialias: what each pixel shows
    uint8_t *mixed; ///< [packets] with antialias: not all of the packet's pixels show the same
};

/// Prepare a picture of the scene.
SAC_CHECKED sac_status sac_frame_prepare(sac_renderer *r, const sac_scene *scene);

/// Draw what was prepared.
typedef void sac_draw_fn(sac_renderer *r, const sac_picture *picture);
extern sac_draw_fn sac_draw_scalar, sac_draw_neon, sac_draw_avx2, sac_draw_avx512;
