#include "mjv/read.h"

#include <string.h>

// In all that follows, `at` is the field `pos` of what is read.

// Copies a field of the struct that is called `kind` in the layout. Sizes are those of our struct's fields.
#define READ(kind, field) memcpy(&out->field, at + layout->kind##_##field, sizeof out->field)

// A geom's texture is its own where this version of MuJoCo gives it one, else its material's.
static void read_texture(mjv_geom *out, const sac_mjv_layout *layout, const char *at, const sac_mjv_model *m)
{
    bool material = out->matid >= 0;
    out->texid = -1;
    out->texuniform = material ? m->mat_texuniform[out->matid] : 0;
    for (int k = 0; k < 2; k++) out->texrepeat[k] = material ? m->mat_texrepeat[2 * out->matid + k] : 0.0f;
    if (layout->geom_texuniform != SAC_MJV_ABSENT) READ(geom, texuniform);
    if (layout->geom_texrepeat != SAC_MJV_ABSENT) READ(geom, texrepeat);
    if (!material) return;
    if (layout->geom_texid != SAC_MJV_ABSENT) READ(geom, texid);
    if (out->texid < 0) out->texid = m->mat_texid[m->mat_roles * out->matid + m->mat_rgb];
    if (out->texid < 0 || out->texid >= m->ntex) out->texid = -1;
}

static void read_geom(mjv_geom *out, const sac_mjv_layout *layout, const char *at, const sac_mjv_model *m)
{
    READ(geom, type);
    READ(geom, dataid);
    READ(geom, objid);
    READ(geom, objtype);
    READ(geom, segid);
    READ(geom, category);
    READ(geom, matid);
    READ(geom, texcoord);
    READ(geom, size);
    memcpy(out->pos, at, sizeof out->pos);
    READ(geom, mat);
    READ(geom, rgba);
    READ(geom, emission);
    READ(geom, specular);
    READ(geom, shininess);
    READ(geom, reflectance);
    if (out->matid >= m->nmat) out->matid = -1;
    out->labelled = at[layout->geom_label] != 0;
    out->castshadow = layout->geom_castshadow == SAC_MJV_ABSENT || at[layout->geom_castshadow];
    read_texture(out, layout, at, m);
}

static void read_light(mjv_light *out, const sac_mjv_layout *layout, const char *at)
{
    memcpy(out->pos, at, sizeof out->pos);
    READ(light, dir);
    READ(light, attenuation);
    READ(light, cutoff);
    READ(light, exponent);
    READ(light, ambient);
    READ(light, diffuse);
    READ(light, specular);
    out->castshadow = at[layout->light_castshadow];
    if (layout->light_type != SAC_MJV_ABSENT)
        READ(light, type);
    else
        out->type = at[layout->light_directional] ? LIGHT_DIRECTIONAL : LIGHT_SPOT;
}

static void read_camera(mjv_camera *out, const sac_mjv_layout *layout, const char *at)
{
    memcpy(out->pos, at, sizeof out->pos);
    READ(camera, forward);
    READ(camera, up);
    READ(camera, frustum_center);
    READ(camera, frustum_width);
    READ(camera, frustum_bottom);
    READ(camera, frustum_top);
    READ(camera, frustum_near);
    READ(camera, frustum_far);
    READ(camera, orthographic);
}

void sac_mjv_read_frame(mjv_seen *out, const sac_mjv_layout *layout, const sac_mjv_model *m, const sac_mjv_frame *frame)
{
    const char *geoms = frame->geoms, *lights = frame->lights, *cameras = frame->camera;
    out->geom_count = frame->ngeom < out->room ? frame->ngeom : out->room;
    for (int i = 0; i < out->geom_count; i++)
        read_geom(&out->geoms[i], layout, geoms + (ptrdiff_t)i * layout->geom_stride, m);
    out->light_count = 0;
    for (int i = 0; i < frame->nlight && out->light_count < SAC_RENDER_LIGHTS; i++)
    {
        mjv_light *light = &out->lights[out->light_count];
        read_light(light, layout, lights + (ptrdiff_t)i * layout->light_stride);
        out->light_count += light->type == LIGHT_DIRECTIONAL || light->type == LIGHT_SPOT;
    }
    for (int i = 0; i < 2; i++) read_camera(&out->camera[i], layout, cameras + (ptrdiff_t)i * layout->camera_stride);
    out->skinvert = frame->skinvert;
    out->skinnormal = frame->skinnormal;
    out->flexes = frame->flexes;
}
