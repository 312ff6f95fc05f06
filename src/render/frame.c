#include "render/frame_parts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// --- solids

static bool is_drawable(const sac_geom *g, const sac_render_assets *assets)
{
    if (!finite_numbers(g->size, 3) || !finite_numbers(g->position, 3) || !finite_numbers(g->axes, 9) ||
        !finite_numbers(g->rgba, 4) || !finite_numbers(&g->emission, 4) || !finite_numbers(g->texture_scale, 5))
        return false;
    for (int k = 0; k < 2; k++)
        if (!finite_numbers(&g->grid[k].pad, 2)) return false;
    switch (g->shape)
    {
    case SAC_SHAPE_MESH:
        for (int k = 0; k < 3; k++)
            if (!(g->size[k] >= 0.0f)) return false;
        return g->mesh >= 0 && assets;
    case SAC_SHAPE_SPHERE: return g->size[0] > 0.0f;
    case SAC_SHAPE_CAPSULE: return g->size[0] > 0.0f && g->size[1] >= 0.0f;
    case SAC_SHAPE_PLANE:
    case SAC_SHAPE_LINE:
    case SAC_SHAPE_CYLINDER: return g->size[0] > 0.0f && g->size[1] > 0.0f;
    case SAC_SHAPE_ELLIPSOID:
    case SAC_SHAPE_BOX: return g->size[0] > 0.0f && g->size[1] > 0.0f && g->size[2] > 0.0f;
    }
    return false;
}

// Round solids are brought to radius 1 by scaling space around them, so that one formula meets them all; an ellipsoid
// becomes the unit sphere. The other shapes keep their size.
static void size_solid(solid *s, const sac_geom *g)
{
    for (int k = 0; k < 3; k++) s->scale[k] = 1.0f, s->size[k] = g->size[k];
    switch (g->shape)
    {
    case SAC_SHAPE_ELLIPSOID: memcpy(s->scale, g->size, sizeof s->scale); break;
    case SAC_SHAPE_MESH:
        for (int k = 0; k < 3; k++) s->scale[k] = g->size[k] > 0.0f ? g->size[k] : 1.0f;
        break;
    case SAC_SHAPE_SPHERE:
    case SAC_SHAPE_CAPSULE:
    case SAC_SHAPE_CYLINDER:
        for (int k = 0; k < 3; k++) s->scale[k] = g->size[0];
        s->size[0] = 1.0f;
        s->size[1] = g->size[1] / g->size[0];
        break;
    default: break;
    }
}

static float bounding_radius(const sac_geom *g, const solid *s)
{
    const float *size = g->size;
    float corner[3];
    switch (g->shape)
    {
    case SAC_SHAPE_SPHERE: return size[0];
    case SAC_SHAPE_CAPSULE: return size[0] + size[1];
    case SAC_SHAPE_CYLINDER: return sqrtf(size[0] * size[0] + size[1] * size[1]);
    case SAC_SHAPE_ELLIPSOID: return fmaxf(size[0], fmaxf(size[1], size[2]));
    case SAC_SHAPE_MESH:
        for (int k = 0; k < 3; k++) corner[k] = s->mesh->high[k] * s->scale[k];
        size = corner;
        break;
    default: break;
    }
    return sqrtf(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
}

// The world's directions in the solid's own units, and where the eye is there.
static void place_solid(solid *s, const sac_geom *g, const render_eye *eye)
{
    for (int k = 0; k < 3; k++)
    {
        double at = 0;
        for (int i = 0; i < 3; i++)
        {
            double axis = (double)g->axes[3 * i + k];
            at += axis * (eye->at[i] - (double)g->position[i]);
            s->world[k][i] = (float)(axis / (double)s->scale[k]);
        }
        s->eye_point[k] = (float)at;
        s->offset[k] = (float)(at / (double)s->scale[k]);
    }
}

// The grid of a face that is 1 in half width; without cells light is computed at every pixel.
static sac_plane_grid face_grid(int cells)
{
    if (cells < 1) return (sac_plane_grid){0};
    if (cells > BOX_CELLS) cells = BOX_CELLS;
    float step = 2.0f / (float)cells;
    return (sac_plane_grid){step, step, cells};
}

static void paint_solid(solid *s, const sac_geom *g, const sac_scene *scene)
{
    s->alpha = g->rgba[3];
    memcpy(s->paint, g->rgba, sizeof s->paint);
    for (int k = 0; k < 3; k++) s->emission[k] = (g->emission + (scene->light_count ? 0.0f : 0.3f)) * g->rgba[k];
    s->specular = g->specular;
    s->power = fminf(fmaxf(128.0f * g->shininess, 0.0f), 128.0f);
    s->texture = g->texture >= 0 && scene->assets ? &scene->assets->textures[g->texture] : NULL;
    memcpy(s->texture_scale, g->texture_scale, sizeof s->texture_scale);
    memcpy(s->texture_offset, g->texture_offset, sizeof s->texture_offset);
    s->texture_around = g->texture_around && s->shape != SAC_SHAPE_PLANE && s->shape != SAC_SHAPE_MESH;
    memcpy(s->grid, g->grid, sizeof s->grid);
    if (s->shape == SAC_SHAPE_BOX) s->grid[0] = s->grid[1] = face_grid(g->box_cells);
    s->block_table = -1;
}

// A plane is lit at the crossings of its grid, as OpenGL lights vertices. It gets a table of blocks of crossings, which
// are lit when first seen; a grid too large for the table is lit pixel by pixel instead.
static void plan_grid(sac_renderer *r, solid *s)
{
    const sac_plane_grid *x = &s->grid[0], *y = &s->grid[1];
    if (s->shape != SAC_SHAPE_PLANE || x->cells < 1 || y->cells < 1 || !(x->step > 0.0f) || !(y->step > 0.0f)) return;
    if (x->cells > 3 * GRID_BLOCKS || y->cells > 3 * GRID_BLOCKS) return;
    int columns = (x->cells + GRID_CELLS - 1) / GRID_CELLS, rows = (y->cells + GRID_CELLS - 1) / GRID_CELLS;
    size_t all = (size_t)(r->table_size + columns * rows), floats = (size_t)r->sets * 48;
    if (all > GRID_BLOCKS || all * floats > r->grid_floats) return;
    s->block_table = r->table_size;
    s->block_columns = columns;
    r->table_size += columns * rows;
}

static sac_status check_indices(const sac_geom *g, int index, const sac_render_assets *assets)
{
    int textures = assets ? assets->texture_count : 0, meshes = assets ? assets->mesh_count : 0;
    if (g->texture >= textures)
        return sac_fail(SAC_ERROR_ARGUMENT, "geom %d has texture %d of %d", index, g->texture, textures);
    if (g->shape == SAC_SHAPE_MESH && g->mesh >= meshes)
        return sac_fail(SAC_ERROR_ARGUMENT, "geom %d is mesh %d of %d", index, g->mesh, meshes);
    return SAC_OK;
}

// Insertion sort: it keeps the order of equals, and the lists are short and nearly sorted from geom to geom.
static void sort(int *order, int count, const solid *solids)
{
    for (int i = 1; i < count; i++)
    {
        int moving = order[i], j = i;
        for (; j > 0 && solids[order[j - 1]].depth > solids[moving].depth; j--) order[j] = order[j - 1];
        order[j] = moving;
    }
}

// Of solids that coincide the one that is met first is seen: the earlier one, or the later one as MuJoCo draws it.
static void sort_opaque(const sac_renderer *r)
{
    for (int i = 0; r->def.later_in_front && i < r->opaque_count / 2; i++)
    {
        int *other = &r->opaque[r->opaque_count - 1 - i], order = *other;
        *other = r->opaque[i];
        r->opaque[i] = order;
    }
    sort(r->opaque, r->opaque_count, r->solids);
}

// --- the mirror

// Places the eye behind the mirror; false when the mirror does not face the eye.
static bool mirror_eye(render_eye *out, const render_eye *eye, const sac_geom *g)
{
    double n[3], at[3], height = 0;
    for (int i = 0; i < 3; i++)
    {
        n[i] = (double)g->axes[3 * i + 2];
        at[i] = (double)g->position[i] + (g->shape == SAC_SHAPE_BOX ? (double)g->size[2] * n[i] : 0.0);
        height += n[i] * (eye->at[i] - at[i]);
    }
    *out = *eye;
    if (!(height > 0.0)) return false;
    for (int i = 0; i < 3; i++) out->at[i] = eye->at[i] - 2.0 * height * n[i];
    for (int k = 0; k < 3; k++)
    {
        double along = dot3(eye->axes[k], n);
        for (int i = 0; i < 3; i++) out->axes[k][i] = eye->axes[k][i] - 2.0 * along * n[i];
    }
    return true;
}

// Everything is seen once more by an eye behind the mirror: rays that a mirror reflects are the rays of that eye.
static void mirror_solids(sac_renderer *r, const sac_scene *scene, const render_eye *eye)
{
    render_eye there;
    const sac_geom *mirror = &scene->geoms[r->solids[r->mirror].geom];
    if (!mirror_eye(&there, eye, mirror))
    {
        r->mirror = -1;
        return;
    }
    r->reflectance = mirror->reflectance;
    double p[3][3], d[3][3];
    sac_frame_aim(p, d, &there, &scene->view, r->def.width, r->def.height);
    for (int i = 0; i < r->solid_count; i++)
    {
        solid *s = &r->solids[i];
        const sac_geom *g = &scene->geoms[s->geom];
        if (s->shape == SAC_SHAPE_LINE) continue;
        render_window w = WINDOW_EMPTY;
        sac_frame_cover(&w, &there, g, s);
        s->mirror_rect = sac_frame_to_pixels(&w, &scene->view, &r->def);
        if (is_empty(&s->mirror_rect)) continue;
        sac_frame_turn_fan(&s->mirror, p, d, &there, g, s, sac_frame_is_round(s->shape));
        for (int k = 0; k < 3; k++)
        {
            double at = 0;
            for (int j = 0; j < 3; j++) at += (double)g->axes[3 * j + k] * (there.at[j] - (double)g->position[j]);
            s->mirror_point[k] = (float)at;
        }
    }
}

// --- sky and haze

// The sky's pixels depend on the rays' directions alone and are kept until these change. The haze is MuJoCo's: a cone
// around the haze's plane, from the horizon up, in which the sky fades into the colour of the haze.
static void take_sky(sac_renderer *r, const sac_scene *scene)
{
    r->sky = scene->sky >= 0 && scene->assets ? &scene->assets->textures[scene->sky] : NULL;
    r->sky_radius = r->sky && scene->sky_radius > 0.0f ? scene->sky_radius : INFINITY;
    // The longest ray of the view is that of a corner.
    float x = fmaxf(fabsf(scene->view.left), fabsf(scene->view.right));
    float y = fmaxf(fabsf(scene->view.bottom), fabsf(scene->view.top));
    r->sky_near = r->sky_radius / (1.01f * sqrtf(1.0f + x * x + y * y));
    if (scene->view.orthographic) r->sky_near = 0.0f;
    if (memcmp(r->sky_key.d, r->view_d, sizeof r->view_d) != 0 || r->sky_key.sky != r->sky)
    {
        memset(r->sky_is_there, 0, (size_t)(r->packet_columns * r->packet_rows));
        memcpy(r->sky_key.d, r->view_d, sizeof r->view_d);
        r->sky_key.sky = r->sky;
    }
    render_haze *haze = &r->haze;
    haze->on = false;
    if (scene->haze_plane < 0 || !r->sky || !(scene->haze > 0.0f) || !(scene->sky_radius > 0.0f)) return;
    const sac_geom *g = &scene->geoms[scene->haze_plane];
    float height = 0;
    for (int i = 0; i < 3; i++)
    {
        haze->normal[i] = g->axes[3 * i + 2];
        height += haze->normal[i] * (scene->view.position[i] - g->position[i]);
        haze->rgb[i] = scene->haze_rgb[i];
    }
    haze->height = height / scene->sky_radius;
    haze->on = haze->height >= 0.0f;
    haze->radius = scene->sky_radius;
    haze->width = scene->haze;
    // The haze's transparency bends where its cone meets the diagonal.
    double a = atan2(1.0, (double)scene->haze), b = 0.75 * M_PI - a;
    haze->bend = (float)(sqrt(0.5) * (double)scene->haze * sin(a) / sin(b));
}

// --- all of it

static sac_status check_scene(const sac_renderer *r, const sac_scene *scene)
{
    if (scene->geom_count < 0 || scene->geom_count > r->def.max_geoms)
        return sac_fail(SAC_ERROR_ARGUMENT, "the scene has %d geoms, expected at most %d", scene->geom_count,
                        r->def.max_geoms);
    if (scene->light_count < 0 || scene->light_count > LIGHTS)
        return sac_fail(SAC_ERROR_ARGUMENT, "the scene has %d lights, expected at most %d", scene->light_count, LIGHTS);
    int textures = scene->assets ? scene->assets->texture_count : 0;
    if (scene->sky >= textures || (scene->sky >= 0 && !scene->assets->textures[scene->sky].cube))
        return sac_fail(SAC_ERROR_ARGUMENT, "the scene's sky is texture %d of %d, expected a cube", scene->sky,
                        textures);
    if (scene->haze_plane >= scene->geom_count)
        return sac_fail(SAC_ERROR_ARGUMENT, "the scene's haze is at geom %d of %d", scene->haze_plane,
                        scene->geom_count);
    return SAC_OK;
}

static bool make_solid(sac_renderer *r, solid *s, int index, const sac_scene *scene, const render_eye *eye)
{
    const sac_geom *g = &scene->geoms[index];
    if (!is_drawable(g, scene->assets)) return false;
    s->shape = g->shape;
    s->geom = index;
    s->mesh = g->shape == SAC_SHAPE_MESH ? &scene->assets->meshes[g->mesh] : NULL;
    size_solid(s, g);
    place_solid(s, g, eye);
    s->behind = g->shape == SAC_SHAPE_PLANE && s->eye_point[2] < 0.0f;
    render_window w = WINDOW_EMPTY;
    sac_frame_cover(&w, eye, g, s);
    if (g->shape == SAC_SHAPE_LINE) sac_frame_widen(&w, 0.5 * (double)g->size[0] + 1.0, &scene->view, &r->def);
    s->rect = sac_frame_to_pixels(&w, &scene->view, &r->def);
    s->mirror_rect = (render_rect){0, 0, 0, 0};
    sac_frame_find_thread(s, g, eye, &scene->view, &r->def);
    paint_solid(s, g, scene);
    sac_frame_light_solid(s, g, scene, r->every_light);
    return true;
}

// Opaque solids are met from near to far, so that what lies behind another is seldom computed. Clear ones are mixed in
// MuJoCo's order, which goes by the distance of their bounding spheres.
static void file_solid(sac_renderer *r, int i, const sac_scene *scene, const render_eye *eye)
{
    solid *s = &r->solids[i];
    const sac_geom *g = &scene->geoms[s->geom];
    bool clear = g->rgba[3] < 0.995f || s->behind, plane = s->shape == SAC_SHAPE_PLANE;
    double distance = 0, depth = 0;
    for (int k = 0; k < 3; k++)
    {
        double way = (double)g->position[k] - eye->at[k];
        distance += way * way;
        depth += way * eye->axes[2][k];
    }
    if (s->behind) s->alpha *= 0.3f;
    if (r->mirror < 0 && r->def.reflections && !clear && g->reflectance > 0.0f && (plane || s->shape == SAC_SHAPE_BOX))
        r->mirror = i;
    if (g->casts_shadow && s->shape != SAC_SHAPE_LINE) sac_frame_cast(r, i, g, scene);
    // Meshes cost most, so they are looked at last.
    s->depth = (float)depth;
    if (s->shape == SAC_SHAPE_PLANE)
        s->depth = 1e10f;
    else if (clear)
        s->depth = (float)sqrt(distance) - bounding_radius(g, s);
    else if (s->shape == SAC_SHAPE_MESH)
        s->depth = 1e11f;
    if (is_empty(&s->rect)) return;
    if (clear)
        r->clear[r->clear_count++] = i;
    else
    {
        plan_grid(r, s);
        r->opaque[r->opaque_count++] = i;
    }
}

sac_status sac_frame_prepare(sac_renderer *r, const sac_scene *scene)
{
    render_eye eye;
    SAC_TRY(check_scene(r, scene));
    SAC_TRY(sac_frame_view(&eye, &scene->view));
    for (int i = 0; i < scene->geom_count; i++) SAC_TRY(check_indices(&scene->geoms[i], i, scene->assets));

    double p[3][3], d[3][3];
    sac_frame_aim(p, d, &eye, &scene->view, r->def.width, r->def.height);
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 3; i++) r->view_p[row][i] = (float)p[row][i], r->view_d[row][i] = (float)d[row][i];
    r->scene = scene;
    r->near = scene->view.near;
    r->far = scene->view.far;
    sac_frame_take_lights(r, scene, &eye);
    r->sets = 1 + __builtin_popcount(r->casting);
    take_sky(r, scene);

    r->solid_count = r->opaque_count = r->clear_count = r->table_size = r->block_count = 0;
    r->mirror = -1;
    for (int i = 0; i < scene->geom_count; i++)
    {
        solid *s = &r->solids[r->solid_count];
        if (!make_solid(r, s, i, scene, &eye)) continue;
        sac_frame_turn_fan(&s->eye, p, d, &eye, &scene->geoms[i], s, sac_frame_is_round(s->shape));
        file_solid(r, r->solid_count++, scene, &eye);
    }
    if (r->mirror >= 0) mirror_solids(r, scene, &eye);
    sort_opaque(r);
    sort(r->clear, r->clear_count, r->solids);
    memset(r->block_numbers, 0xff, (size_t)r->table_size * sizeof *r->block_numbers);
    return SAC_OK;
}
