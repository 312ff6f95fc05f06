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

/// @param at  the field `pos` of what is read
void sac_mjv_read_geom(mjv_geom *out, const sac_mjv_layout *layout, const char *at, const sac_mjv_model *model);

/// What segmentation needs of a geom: objid, objtype and segid.
void sac_mjv_read_object(mjv_geom *out, const sac_mjv_layout *layout, const char *at);

void sac_mjv_read_light(mjv_light *out, const sac_mjv_layout *layout, const char *at);
void sac_mjv_read_camera(mjv_camera *out, const sac_mjv_layout *layout, const char *at);
