#pragma once

#include "saccade/mjv.h"

/// MuJoCo's structs as they are read from where a layout says.

/// What is used of an mjvGeom. Its matid and texid are the model's, or -1.
typedef struct mjv_geom
{
    int type, dataid, objtype, objid, category, matid, texid, texuniform, texcoord, segid;
    float size[3], pos[3], mat[9], rgba[4];
    float emission, specular, shininess, reflectance, texrepeat[2];
    bool castshadow, labelled;
} mjv_geom;

enum
{
    LIGHT_SPOT,       ///< mjLIGHT_SPOT
    LIGHT_DIRECTIONAL ///< mjLIGHT_DIRECTIONAL
};

/// What is used of an mjvLight.
typedef struct mjv_light
{
    int type;
    float pos[3], dir[3], attenuation[3], cutoff, exponent;
    float ambient[3], diffuse[3], specular[3];
    bool castshadow;
} mjv_light;

/// An mjvGLCamera.
typedef struct mjv_camera
{
    float pos[3], forward[3], up[3];
    float frustum_center, frustum_width, frustum_bottom, frustum_top, frustum_near, frustum_far;
    int orthographic;
} mjv_camera;

/// What a frame points to. Skins and flexes are not copied.
typedef struct mjv_seen
{
    mjv_geom *geoms; ///< [room]
    int room, geom_count;
    mjv_light lights[SAC_RENDER_LIGHTS]; ///< the first that shine
    int light_count;
    mjv_camera camera[2];
    const float *skinvert, *skinnormal;
    sac_mjv_flexes flexes;
} mjv_seen;

/// Read a frame. Geoms that there is no room for are left out.
void sac_mjv_read_frame(mjv_seen *out, const sac_mjv_layout *layout, const sac_mjv_model *model,
                        const sac_mjv_frame *frame);
