#pragma once

#include "mjv/read.h"
#include "saccade/mjv.h"

/// What scene.c is made of.

/// MuJoCo's numbers, which no version has changed.
enum
{
    PLANE,
    HFIELD,
    SPHERE,
    CAPSULE,
    ELLIPSOID,
    CYLINDER,
    BOX,
    MESH,
    SDF,
    RENDERED = 100, ///< from here on: geoms for pictures alone
    ARROW = 100,
    ARROW1,
    ARROW2,
    LINE,
    LINEBOX,
    FLEX,
    SKIN,
    LABEL,

    DECOR = 4,       ///< mjCAT_DECOR
    FLAT = 0,        ///< mjTEXTURE_2D
    SKYBOX = 2,      ///< mjTEXTURE_SKYBOX
    PLANE_GRID = 200 ///< cells of an endless plane along each axis, mjMAXPLANEGRID
};

/// A skin or a flex: a mesh whose corners are written anew for each picture.
typedef struct mjv_mover
{
    int mesh; ///< of the assets; 0: there is none
    sac_mesh corners;
    float *positions, *normals, *texcoords;
} mjv_mover;

struct sac_mjv_scene
{
    sac_mjv_layout layout;
    sac_scene scene;
    sac_light lights[SAC_RENDER_LIGHTS];
    mjv_seen seen; ///< with room for max_geoms
    sac_geom *geoms;
    int32_t (*objects)[2]; ///< of each segid
    int max_geoms;
    uint32_t left_out;
    sac_render_assets *assets; ///< the model's, with the movers' meshes
    int cone;                  ///< a mesh of the assets
    mjv_mover *movers;         ///< skins, then flexes
    int skin_count, flex_count;
};

/// One more geom like another; NULL where there is no room.
static inline sac_geom *add_like(sac_mjv_scene *s, const sac_geom *like)
{
    if (s->scene.geom_count >= s->max_geoms) return NULL;
    sac_geom *geom = &s->geoms[s->scene.geom_count++];
    *geom = *like;
    return geom;
}

/// Arrows and boxes of lines, as solids that start as `like`.
void sac_mjv_add_arrow(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like);
void sac_mjv_add_line_box(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like);

/// Make the meshes of skins and flexes, and the scene's assets. What was made is released by sac_mjv_release_movers.
SAC_CHECKED sac_status sac_mjv_make_movers(sac_mjv_scene *s, const sac_render_assets *assets,
                                           const sac_mjv_model *model, const sac_mjv_flexes *flexes);
void sac_mjv_release_movers(sac_mjv_scene *s);

void sac_mjv_add_skin(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like, const sac_mjv_model *model,
                      const mjv_seen *seen);
void sac_mjv_add_flex(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like, const sac_mjv_flexes *flexes);

/// Draw what was read of a frame, as sac_mjv_draw does.
/// @param look  what is not read: all of a frame behind its flexes
SAC_CHECKED sac_status sac_mjv_draw_seen(sac_renderer *renderer, sac_mjv_scene *s, const sac_mjv_model *model,
                                         const mjv_seen *seen, const sac_mjv_frame *look, const sac_picture *picture,
                                         int32_t *objects);
