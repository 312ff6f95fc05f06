#pragma once

#include "saccade/base.h"

/// The renderer draws pictures of simple solids on the CPU: planes, spheres, capsules, ellipsoids, cylinders, boxes and
/// triangle meshes with textures, lights, hard shadows, one mirror, a sky and haze, lit and textured as MuJoCo's OpenGL
/// renderer does, so that agents see what they would see there. Colour, depth in metres and segmentation come from the
/// same rays.
///
///     assets (textures, meshes; immutable, shared by threads)
///     renderer (one picture size and its scratch; one thread at a time)
///     scene (a plain struct of the caller's, filled anew for each picture)
///
/// sac_render allocates nothing. The same scene gives the same bytes on every thread and at every CPU level.
/// Lengths are metres, colours 0..1, matrices row-major.

// --- assets

/// A picture to lay on geoms. Wraps around; filtered by mipmaps.
typedef struct sac_texture
{
    int width, height;     ///< 1..16384
    int channels;          ///< 1 (grey), 3 or 4 (the fourth is not used)
    bool cube;             ///< six square faces, one under the other: +x -x +y -y +z -z, as OpenGL orders them
    const uint8_t *pixels; ///< [height, width, channels], with `cube` [6 width, width, channels]; row 0 is t = 0
} sac_texture;

/// Triangles, three corners each, counter-clockwise seen from outside.
typedef struct sac_mesh
{
    int triangle_count;
    const float *positions; ///< [triangle_count, 3, 3]
    const float *normals;   ///< [triangle_count, 3, 3], of unit length
    const float *texcoords; ///< [triangle_count, 3, 2], or NULL: by position, as for other shapes
} sac_mesh;

/// Textures and meshes made ready for drawing. Immutable.
typedef struct sac_render_assets sac_render_assets;

/// @param[out] out     released by sac_render_assets_destroy; NULL on failure
/// @param      textures, meshes  copied; may be NULL when there are none
/// @return SAC_OK, SAC_ERROR_ARGUMENT (a size is out of range, a number not finite) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_render_assets_create(sac_render_assets **out, const sac_texture *textures,
                                                        int texture_count, const sac_mesh *meshes, int mesh_count);

/// Assets that have the textures and meshes of others, and behind them meshes that move: skins, cloths.
/// @param[out] out     released by sac_render_assets_destroy; NULL on failure
/// @param      base    not copied, must outlive these
/// @param      meshes  copied; where they are now
/// @return SAC_OK, SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_render_assets_extend(sac_render_assets **out, const sac_render_assets *base,
                                                        const sac_mesh *meshes, int mesh_count);

/// Move the corners of a mesh that these assets were extended by. Not while another thread draws with them. Allocates
/// nothing.
/// @param mesh     counted from the first mesh of the base
/// @param corners  with the triangle count that the mesh was made with
/// @return SAC_OK, or SAC_ERROR_ARGUMENT where a number is not finite: the mesh has not moved
SAC_API SAC_CHECKED sac_status sac_render_assets_move(sac_render_assets *assets, int mesh, const sac_mesh *corners);

/// NULL is ignored.
SAC_API void sac_render_assets_destroy(sac_render_assets *assets);

// --- scene

typedef enum sac_shape
{
    SAC_SHAPE_PLANE,     ///< z = 0, seen from above; size: half width in x and y
    SAC_SHAPE_SPHERE,    ///< size[0]: radius
    SAC_SHAPE_CAPSULE,   ///< along z; size: radius, half length of the straight part
    SAC_SHAPE_ELLIPSOID, ///< size: three radii
    SAC_SHAPE_CYLINDER,  ///< along z; size: radius, half length
    SAC_SHAPE_BOX,       ///< size: three half widths
    SAC_SHAPE_MESH,      ///< triangles of the assets; size: factors along its axes, 0 for 1
    SAC_SHAPE_LINE,      ///< along z from 0; size: width in pixels, length. Not lit, casts no shadow, is not mirrored
} sac_shape;

/// The lines at whose crossings one axis of a plane is lit; between them light is linear. Lines are at -size,
/// -size + pad, then every `step`, the last at size.
typedef struct sac_plane_grid
{
    float pad, step;
    int cells; ///< between lines, the first and last `pad` wide; 0: light is computed at every pixel
} sac_plane_grid;

/// One solid. A geom with a number that is not finite or with a size of zero is not drawn.
typedef struct sac_geom
{
    sac_shape shape;
    float size[3];
    float position[3];
    float axes[9]; ///< rotation into the world
    int mesh;      ///< of the assets, with SAC_SHAPE_MESH

    float rgba[4]; ///< drawn through when rgba[3] < 0.995
    float emission, specular, shininess;
    float
        reflectance; ///< > 0: a mirror, planes and the upper side of boxes; only the first such geom of a scene is one
    int texture;     ///< of the assets; -1: none

    /// A flat texture: s = texture_scale[0] u + texture_offset[0], t alike with v; (u, v) are the mesh's texcoords, or
    /// x and y. A cube is looked up in the direction of (x, y, z) texture_scale.
    float texture_scale[3], texture_offset[2];
    /// A flat texture lies around a box, a sphere, an ellipsoid, a capsule or a cylinder. (u, v) are 0..1 over each
    /// side of a box and each end of a cylinder. On what is round u is the longitude, and v goes from the top down:
    /// over a sphere, and over each of the wall, the upper and the lower half sphere of a capsule.
    bool texture_around;
    sac_plane_grid grid[2]; ///< planes: light's grid along x and y
    int box_cells; ///< boxes: light is computed at the corners of so many squares along each side of a face, and
                   ///< between them it is linear over the squares' triangles; 0: at every pixel. 4096 at most

    bool casts_shadow;
    int id; ///< what the segmentation holds; negative: not in it
} sac_geom;

typedef struct sac_light
{
    bool directional;
    bool casts_shadow;
    float position[3];      ///< of a spot; where the shadows of a directional light begin
    float direction[3];     ///< where it shines, of unit length
    float attenuation[3];   ///< of a spot: 1 / (a + b distance + c distance^2)
    float cutoff, exponent; ///< of a spot: half angle in degrees, 180 without one; sharpness
    float ambient[3], diffuse[3], specular[3];
    float shadow_extent; ///< shadows are cast within: a spot's half angle in degrees, a directional light's half width
} sac_light;

/// The place and the direction that the picture is taken from.
typedef struct sac_render_view
{
    float position[3], forward[3], up[3]; ///< unit vectors at right angles
    float left, right, bottom, top;       ///< of the picture, at distance 1; with `orthographic` in metres
    float near, far;                      ///< nothing is drawn outside these
    bool orthographic;
} sac_render_view;

enum
{
    SAC_RENDER_LIGHTS = 8 ///< the most lights of a scene
};

typedef struct sac_scene
{
    const sac_render_assets *assets; ///< NULL: no textures, no meshes
    const sac_geom *geoms;
    int geom_count;
    const sac_light *lights;
    int light_count; ///< at most SAC_RENDER_LIGHTS; with none, everything has an ambient light of 0.3
    sac_render_view view;
    int sky;          ///< a cube of the assets behind everything; -1: black
    float sky_radius; ///< the sky is a cylinder around the eye of this radius and half height; it hides what is farther
    int haze_plane;   ///< a geom at whose horizon haze lies; -1: none
    float haze;       ///< its width, as MuJoCo's map.haze
    float haze_rgb[3]; ///< its colour
} sac_scene;

// --- renderer

/// What to create. Start from sac_renderer_default_def().
typedef struct sac_renderer_def
{
    int width, height; ///< pixels, 1..8192, default 100 x 100
    bool shadows;      ///< lights that cast shadows do, default off
    bool reflections;  ///< the mirror mirrors, default off
    bool antialias;    ///< edges from four samples a pixel, default off
    /// Of opaque solids that coincide the later one is seen, as MuJoCo draws them; default off: the earlier one.
    bool later_in_front;
    int max_geoms;     ///< of a scene, default 1024
    uint32_t internal; ///< marks a def that came from the default; do not set
} sac_renderer_def;

typedef struct sac_renderer sac_renderer;

/// The arrays that a picture is written to; NULL: not wanted.
typedef struct sac_picture
{
    uint8_t *rgb; ///< [height, width, 3], row 0 at the top
    float *depth; ///< [height, width], metres along the view; `far` where there is nothing
    int32_t *ids; ///< [height, width], the geoms' ids; -1 where there is nothing
} sac_picture;

SAC_API sac_renderer_def sac_renderer_default_def(void);

/// @param[out] out  released by sac_renderer_destroy; NULL on failure
/// @return SAC_OK, SAC_ERROR_ARGUMENT (sac_last_error names the field) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_renderer_create(sac_renderer **out, const sac_renderer_def *def);

/// NULL is ignored.
SAC_API void sac_renderer_destroy(sac_renderer *renderer);

/// The pixels of a picture.
SAC_API void sac_renderer_size(const sac_renderer *renderer, int *width, int *height);

/// Draw. Whatever the scene's numbers are, nothing but the picture is written.
/// @return SAC_OK or SAC_ERROR_ARGUMENT: too many geoms or lights, an index outside the assets, a view without extent
SAC_API SAC_CHECKED sac_status sac_render(sac_renderer *renderer, const sac_scene *scene, const sac_picture *picture);
