#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mjv/scene.h"

sac_status sac_mjv_scene_create(sac_mjv_scene **out, const sac_mjv_layout *layout, const sac_render_assets *assets,
                                const sac_mjv_model *model, const sac_mjv_flexes *flexes, int max_geoms)
{
    *out = NULL;
    if (max_geoms < 1 || max_geoms > 1 << 20)
        return sac_fail(SAC_ERROR_ARGUMENT, "a scene's max_geoms is %d, expected 1..%d", max_geoms, 1 << 20);
    sac_mjv_scene *s = SAC_NEW(sac_mjv_scene);
    if (s) s->seen.geoms = sac_alloc_array((size_t)max_geoms, sizeof *s->seen.geoms);
    if (s) s->geoms = SAC_NEW_ARRAY(sac_geom, (size_t)max_geoms);
    if (s) s->objects = sac_alloc_array((size_t)max_geoms, sizeof *s->objects);
    bool there = s && s->seen.geoms && s->geoms && s->objects;
    sac_status status = there ? sac_mjv_make_movers(s, assets, model, flexes) : sac_fail_memory("a scene");
    if (status != SAC_OK)
    {
        sac_mjv_scene_destroy(s);
        return status;
    }
    s->layout = *layout;
    s->max_geoms = s->seen.room = max_geoms;
    s->scene.assets = s->assets;
    s->scene.geoms = s->geoms;
    s->scene.lights = s->lights;
    *out = s;
    return SAC_OK;
}

void sac_mjv_scene_destroy(sac_mjv_scene *scene)
{
    if (!scene) return;
    sac_mjv_release_movers(scene);
    sac_free(scene->seen.geoms);
    sac_free(scene->geoms);
    sac_free(scene->objects);
    sac_free(scene);
}

// --- geoms

static bool take_shape(sac_geom *out, const mjv_geom *from, const sac_mjv_model *m)
{
    memcpy(out->size, from->size, sizeof out->size);
    switch (from->type)
    {
    case PLANE: out->shape = SAC_SHAPE_PLANE; return true;
    case SPHERE: out->shape = SAC_SHAPE_SPHERE; return true;
    case ELLIPSOID: out->shape = SAC_SHAPE_ELLIPSOID; return true;
    case BOX: out->shape = SAC_SHAPE_BOX; return true;
    case CAPSULE:
    case CYLINDER:
        out->shape = from->type == CAPSULE ? SAC_SHAPE_CAPSULE : SAC_SHAPE_CYLINDER;
        out->size[1] = from->size[2];
        return true;
    case MESH:
    case SDF:
        out->shape = SAC_SHAPE_MESH;
        out->mesh = from->dataid;
        memset(out->size, 0, sizeof out->size);
        return from->dataid >= 0 && from->dataid < 2 * m->nmesh;
    case HFIELD:
        if (from->dataid < 0 || from->dataid >= m->nhfield) return false;
        out->shape = SAC_SHAPE_MESH;
        out->mesh = 2 * m->nmesh + from->dataid;
        memset(out->size, 0, sizeof out->size);
        return true;
    case LINE:
        out->shape = SAC_SHAPE_LINE;
        out->size[1] = from->size[2];
        return true;
    default: return false;
    }
}

// Finds a plane's lines along one axis, at which it is lit, and its half width where it is endless.
static void take_grid(sac_geom *out, int axis, const sac_mjv_model *m, const mjv_geom *from, double far)
{
    sac_plane_grid *grid = &out->grid[axis];
    double repeat = from->matid >= 0 ? (double)m->mat_texrepeat[2 * from->matid + axis] : 0.0;
    if (from->size[axis] <= 0.0f)
    {
        double increment = repeat > 0.0 ? 2.0 / repeat : 2.1 * far / (PLANE_GRID - 2);
        double step = (2.1 * far + 2.0 * increment) / PLANE_GRID;
        *grid = (sac_plane_grid){(float)step, (float)step, PLANE_GRID};
        out->size[axis] = (float)(step * (0.5 * PLANE_GRID));
        return;
    }
    double size = (double)from->size[axis], spacing = size;
    if (from->objid >= 0 && from->objid < m->ngeom) spacing = m->geom_size[3 * from->objid + 2];
    spacing = fmax(spacing, size / (PLANE_GRID - 2));
    int inner = (int)floor(size / fmax(1e-15, spacing)); // mjMINVAL
    inner -= inner % 2;
    *grid = (sac_plane_grid){(float)(size - inner * spacing), (float)(2.0 * spacing), inner + 2};
}

// The texture coordinates of planes are linear in x and y.
static void map_plane(sac_geom *out, const mjv_geom *from)
{
    bool endless = from->size[0] <= 0.0f || from->size[1] <= 0.0f;
    for (int k = 0; k < 2; k++)
    {
        float repeat = from->texrepeat[k] > 0.0f ? from->texrepeat[k] : 1.0f, size = from->size[k];
        float sign = k == 0 ? 1.0f : -1.0f;
        if (size <= 0.0f)
        {
            out->texture_scale[k] = sign * 0.5f * repeat;
            out->texture_offset[k] = -0.5f;
            continue;
        }
        if (from->texuniform) repeat *= size;
        // s = repeat (x + size) / (2 size), t = repeat (1 - (y + size) / (2 size))
        out->texture_scale[k] = sign * repeat / (2.0f * size);
        out->texture_offset[k] = 0.5f * repeat - (endless ? 0.5f : 0.0f);
    }
}

// On other solids, flat textures lie around them or, before MuJoCo 3.12, over x and y of the unit shape; cubes are read
// by direction.
static void map_solid(sac_geom *out, const mjv_geom *from, const sac_mjv_model *m)
{
    bool scaled = from->type != MESH && from->type != SDF && from->type != HFIELD;
    float unit[3];
    for (int k = 0; k < 3; k++) unit[k] = scaled && from->size[k] > 0.0f ? 1.0f / from->size[k] : 1.0f;
    // texcoords are for flat textures alone, so MuJoCo draws a mesh that has them without a cube
    if (from->texcoord && m->tex_type[out->texture] != FLAT)
    {
        out->texture = -1;
        return;
    }
    if (m->tex_type[out->texture] != FLAT)
    {
        for (int k = 0; k < 3; k++)
            out->texture_scale[k] = unit[k] * (from->texuniform && from->size[k] > 0.0f ? from->size[k] : 1.0f);
        return;
    }
    // what the texture has places of its own on keeps the scale that look_of gave it
    if ((from->texcoord && !scaled) || (m->flat_by_shape && scaled)) return;
    for (int k = 0; k < 2; k++)
    {
        float repeat = from->texrepeat[k];
        if (from->dataid >= 0 && from->size[k] > 0.0f) repeat /= from->size[k];
        if (from->texuniform && from->size[k] > 0.0f) repeat *= from->size[k];
        out->texture_scale[k] = (k == 0 ? 0.5f : -0.5f) * repeat * unit[k];
        out->texture_offset[k] = -0.5f;
    }
}

// How often a flat texture that has its place on the geom is repeated there; before MuJoCo 3.12 it never was.
static float repeats(const mjv_geom *from, const sac_mjv_model *m, int axis)
{
    if (!m->flat_by_shape) return 1.0f;
    bool by_size = from->texuniform && from->type != FLEX && from->size[axis] > 0.0f;
    return from->texrepeat[axis] * (by_size ? from->size[axis] : 1.0f);
}

// What all parts of a geom have in common.
static sac_geom look_of(const mjv_geom *from, const sac_mjv_model *m)
{
    sac_geom out = {.emission = from->emission,
                    .specular = from->specular,
                    .shininess = from->shininess,
                    .reflectance = from->reflectance,
                    .texture = from->texid,
                    .texture_scale = {repeats(from, m, 0), repeats(from, m, 1), 1.0f},
                    .texture_around = m->flat_by_shape,
                    .box_cells = m->box_cells,
                    .casts_shadow = from->castshadow && from->category != DECOR,
                    .id = from->segid};
    memcpy(out.position, from->pos, sizeof out.position);
    memcpy(out.axes, from->mat, sizeof out.axes);
    memcpy(out.rgba, from->rgba, sizeof out.rgba);
    return out;
}

// A geom that is one of our shapes.
static void add_solid(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like, const sac_mjv_model *m,
                      const sac_mjv_frame *look)
{
    sac_geom solid = *like;
    double far = (double)look->zfar * look->extent;
    if (!take_shape(&solid, from, m)) return;
    if (from->type == PLANE)
    {
        for (int k = 0; k < 2; k++) take_grid(&solid, k, m, from, far);
        map_plane(&solid, from);
    }
    else if (solid.texture >= 0)
    {
        map_solid(&solid, from, m);
    }
    bool endless = from->type == PLANE && from->size[0] <= 0.0f && from->size[1] <= 0.0f;
    if (endless && s->scene.haze_plane < 0) s->scene.haze_plane = s->scene.geom_count;
    if (!add_like(s, &solid) && s->scene.haze_plane == s->scene.geom_count) s->scene.haze_plane = -1;
}

static void add_geom(sac_mjv_scene *s, const mjv_geom *from, const sac_mjv_model *m, const mjv_seen *seen,
                     const sac_mjv_frame *look)
{
    sac_geom like = look_of(from, m);
    if (look->solid) like.rgba[3] = 1.0f;
    if (!look->reflections) like.reflectance = 0.0f;
    if (from->labelled && !look->solid) s->left_out |= 1u << (LABEL - RENDERED);
    switch (from->type)
    {
    case ARROW:
    case ARROW1:
    case ARROW2: sac_mjv_add_arrow(s, from, &like); return;
    case LINEBOX: sac_mjv_add_line_box(s, from, &like); return;
    case FLEX: sac_mjv_add_flex(s, from, &like, &seen->flexes); return;
    case SKIN: sac_mjv_add_skin(s, from, &like, m, seen); return;
    default: break;
    }
    if (from->type > SKIN && from->type < RENDERED + 32) s->left_out |= 1u << (from->type - RENDERED);
    add_solid(s, from, &like, m, look);
}

static void take_geoms(sac_mjv_scene *s, const sac_mjv_model *m, const mjv_seen *seen, const sac_mjv_frame *look)
{
    s->scene.geom_count = 0;
    s->scene.haze_plane = -1;
    s->left_out = 0;
    for (int i = 0; i < seen->geom_count; i++)
        if (!look->solid || seen->geoms[i].segid >= 0) add_geom(s, &seen->geoms[i], m, seen, look);
}

// --- lights

static void take_light(sac_light *out, const mjv_light *from, const sac_mjv_frame *look)
{
    *out = (sac_light){.directional = from->type == LIGHT_DIRECTIONAL,
                       .casts_shadow = from->castshadow && look->shadows,
                       .cutoff = from->cutoff,
                       .exponent = from->exponent};
    memcpy(out->position, from->pos, sizeof out->position);
    memcpy(out->direction, from->dir, sizeof out->direction);
    memcpy(out->attenuation, from->attenuation, sizeof out->attenuation);
    memcpy(out->ambient, from->ambient, sizeof out->ambient);
    memcpy(out->diffuse, from->diffuse, sizeof out->diffuse);
    memcpy(out->specular, from->specular, sizeof out->specular);
    // The map of shadows holds a square.
    double cone = fmin(2.0 * (double)from->cutoff * (double)look->shadowscale, 160.0);
    out->shadow_extent = out->directional ? (float)((double)look->shadowclip * look->extent) : (float)(0.5 * cone);
}

// --- view

static void take_view(sac_render_view *out, const mjv_camera camera[2], int width, int height)
{
    const mjv_camera *a = &camera[0], *b = &camera[1];
    float forward = 0, up = 0;
    for (int k = 0; k < 3; k++)
    {
        out->position[k] = 0.5f * (a->pos[k] + b->pos[k]);
        out->forward[k] = a->forward[k] + b->forward[k];
        out->up[k] = a->up[k] + b->up[k];
        forward += out->forward[k] * out->forward[k];
        up += out->up[k] * out->up[k];
    }
    for (int k = 0; k < 3; k++) out->forward[k] /= sqrtf(forward), out->up[k] /= sqrtf(up);
    out->orthographic = a->orthographic;
    out->near = a->frustum_near;
    out->far = a->frustum_far;
    float center = 0.5f * (a->frustum_center + b->frustum_center), scale = a->orthographic ? 1.0f : 1.0f / out->near;
    float half = a->frustum_width != 0.0f ? a->frustum_width
                                          : 0.5f * (float)width / (float)height * (a->frustum_top - a->frustum_bottom);
    out->left = (center - half) * scale;
    out->right = (center + half) * scale;
    out->bottom = a->frustum_bottom * scale;
    out->top = a->frustum_top * scale;
}

static void take_sky(sac_scene *out, const sac_mjv_model *m, const sac_mjv_frame *look)
{
    out->sky = -1;
    for (int i = 0; i < m->ntex && out->sky < 0 && look->skybox && !look->solid; i++)
        if (m->tex_type[i] == SKYBOX) out->sky = i;
    out->sky_radius = 0.7f * out->view.far;
    out->haze = look->hazy ? look->haze : 0.0f;
    memcpy(out->haze_rgb, look->haze_rgb, sizeof out->haze_rgb);
}

static void take(sac_mjv_scene *s, const sac_mjv_model *m, const mjv_seen *seen, const sac_mjv_frame *look, int width,
                 int height)
{
    take_view(&s->scene.view, seen->camera, width, height);
    take_sky(&s->scene, m, look);
    s->scene.light_count = seen->light_count;
    for (int i = 0; i < seen->light_count; i++) take_light(&s->lights[i], &seen->lights[i], look);
    take_geoms(s, m, seen, look);
}

sac_scene *sac_mjv_scene_update(sac_mjv_scene *s, const sac_mjv_model *m, const sac_mjv_frame *frame, int width,
                                int height)
{
    sac_mjv_read_frame(&s->seen, &s->layout, m, frame);
    take(s, m, &s->seen, frame, width, height);
    return &s->scene;
}

uint32_t sac_mjv_scene_left_out(const sac_mjv_scene *scene)
{
    return scene->left_out;
}

// --- the picture

// What is seen, as MuJoCo's objects. Geoms that share a segid are named as the last of them.
static void name_objects(sac_mjv_scene *s, const mjv_seen *seen, const int32_t *ids, int32_t *objects, size_t pixels)
{
    memset(s->objects, 0xff, (size_t)s->max_geoms * sizeof *s->objects);
    for (int i = 0; i < seen->geom_count; i++)
    {
        const mjv_geom *from = &seen->geoms[i];
        if (from->segid < 0 || from->segid >= s->max_geoms) continue;
        s->objects[from->segid][0] = from->objid;
        s->objects[from->segid][1] = from->objtype;
    }
    for (size_t i = 0; i < pixels; i++)
    {
        bool known = ids[i] >= 0 && ids[i] < s->max_geoms;
        objects[2 * i] = known ? s->objects[ids[i]][0] : -1;
        objects[2 * i + 1] = known ? s->objects[ids[i]][1] : -1;
    }
}

sac_status sac_mjv_draw_seen(sac_renderer *renderer, sac_mjv_scene *s, const sac_mjv_model *model, const mjv_seen *seen,
                             const sac_mjv_frame *look, const sac_picture *picture, int32_t *objects)
{
    int width, height;
    sac_renderer_size(renderer, &width, &height);
    take(s, model, seen, look, width, height);
    SAC_TRY(sac_render(renderer, &s->scene, picture));
    if (objects && picture->ids) name_objects(s, seen, picture->ids, objects, (size_t)width * (size_t)height);
    return SAC_OK;
}

sac_status sac_mjv_draw(sac_renderer *renderer, sac_mjv_scene *scene, const sac_mjv_model *model,
                        const sac_mjv_frame *frame, const sac_picture *picture, int32_t *objects)
{
    sac_mjv_read_frame(&scene->seen, &scene->layout, model, frame);
    return sac_mjv_draw_seen(renderer, scene, model, &scene->seen, frame, picture, objects);
}
