#include "render/frame.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "render/bounds.h"

#define TOO_LARGE 1e15f // numbers from here on are as good as infinite

static bool finite_numbers(const float *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabsf(x[i]) < TOO_LARGE)) return false;
    return true;
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// --- the view

static sac_status take_view(render_eye *eye, const sac_render_view *view)
{
    if (!finite_numbers(view->position, 3) || !finite_numbers(view->forward, 3) || !finite_numbers(view->up, 3))
        return sac_fail(SAC_ERROR_ARGUMENT, "the scene's view: position, forward or up is not finite");
    if (!(view->right - view->left > 0.0f) || !(view->top - view->bottom > 0.0f) || !(view->near > 0.0f) ||
        !(view->far > view->near) || !finite_numbers(&view->left, 6))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "the scene's view: left < right, bottom < top and 0 < near < far are expected");
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        eye->at[i] = (double)view->position[i];
        eye->axes[0][i] =
            (double)view->forward[j] * (double)view->up[k] - (double)view->forward[k] * (double)view->up[j];
        eye->axes[1][i] = (double)view->up[i];
        eye->axes[2][i] = (double)view->forward[i];
    }
    eye->near = (double)view->near;
    eye->parallel = view->orthographic;
    return SAC_OK;
}

// rays of the pixels from the eye, in the world
static void aim(double p[3][3], double d[3][3], const render_eye *eye, const sac_render_view *view, int width,
                int height)
{
    double step_x = ((double)view->right - (double)view->left) / width;
    double step_y = ((double)view->top - (double)view->bottom) / height;
    for (int i = 0; i < 3; i++)
    {
        double right = eye->axes[0][i], up = eye->axes[1][i];
        double corner = right * (double)view->left + up * (double)view->top;
        double(*moving)[3] = eye->parallel ? p : d, (*still)[3] = eye->parallel ? d : p;
        moving[0][i] = corner + (eye->parallel ? 0.0 : eye->axes[2][i]);
        moving[1][i] = right * step_x;
        moving[2][i] = -up * step_y;
        still[0][i] = eye->parallel ? eye->axes[2][i] : 0.0;
        still[1][i] = still[2][i] = 0.0;
    }
}

// the same rays in a solid's units, starting as deep as its centre, so that small differences are not lost
static void turn_fan(render_fan *fan, const double p[3][3], const double d[3][3], const render_eye *eye,
                     const sac_geom *g, const solid *s, bool shifted)
{
    double to_center[3];
    for (int i = 0; i < 3; i++) to_center[i] = (double)g->position[i] - eye->at[i];
    double shift = shifted ? fmax(0.0, dot3(to_center, eye->axes[2])) : 0.0;
    fan->shift = (float)shift;
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++)
        {
            double start = 0, way = 0;
            for (int i = 0; i < 3; i++)
            {
                double axis = (double)g->axes[3 * i + k];
                way += axis * d[row][i];
                start += axis * (p[row][i] - (row == 0 ? to_center[i] : 0.0) + (double)fan->shift * d[row][i]);
            }
            fan->p[row][k] = (float)(start / (double)s->scale[k]);
            fan->d[row][k] = (float)(way / (double)s->scale[k]);
        }
}

// whether its rays may start at its depth: not where it is large (planes), or all rays must start at one point (meshes)
static bool is_round(sac_shape shape)
{
    return shape != SAC_SHAPE_PLANE && shape != SAC_SHAPE_MESH && shape != SAC_SHAPE_LINE;
}

// --- bounds

static void cover(render_window *w, const render_eye *eye, const sac_geom *g, const solid *s)
{
    double c[3] = {(double)g->position[0], (double)g->position[1], (double)g->position[2]};
    double end[3];
    float half[3] = {g->size[0], g->size[1], g->size[2]};
    switch (g->shape)
    {
    case SAC_SHAPE_PLANE: sac_window_add_plane(w, eye, c, g->axes, g->size); return;
    case SAC_SHAPE_LINE:
        half[0] = half[1] = 0.0f, half[2] = 0.5f * g->size[1];
        for (int i = 0; i < 3; i++) c[i] += 0.5 * (double)g->size[1] * (double)g->axes[3 * i + 2];
        break;
    case SAC_SHAPE_SPHERE: sac_window_add_sphere(w, eye, c, (double)g->size[0]); return;
    case SAC_SHAPE_CAPSULE:
        for (int side = -1; side <= 1; side += 2)
        {
            for (int i = 0; i < 3; i++) end[i] = c[i] + side * (double)g->size[1] * (double)g->axes[3 * i + 2];
            sac_window_add_sphere(w, eye, end, (double)g->size[0]);
        }
        return;
    case SAC_SHAPE_CYLINDER: half[1] = g->size[0], half[2] = g->size[1]; break;
    case SAC_SHAPE_ELLIPSOID:
    case SAC_SHAPE_BOX: break;
    case SAC_SHAPE_MESH:
        for (int k = 0; k < 3; k++)
        {
            half[k] = 0.5f * (s->mesh->high[k] - s->mesh->low[k]);
            for (int i = 0; i < 3; i++)
                c[i] += 0.5 * ((double)s->mesh->high[k] + (double)s->mesh->low[k]) * (double)g->axes[3 * i + k];
        }
        break;
    }
    sac_window_add_box(w, eye, c, g->axes, half);
}

// pixels whose centres may lie in low..high, both in pixels; `margin` for samples beside the centres
static void take_pixels(int *first, int *end, double low, double high, int count, double margin)
{
    *first = 0;
    *end = 0;
    if (!(low <= high)) return;
    low = ceil(fmax(low - 0.5 - margin, 0.0));
    high = floor(fmin(high - 0.5 + margin, count - 1.0)) + 1.0;
    if (!(low < high)) return;
    *first = (int)low;
    *end = (int)high;
}

static render_rect to_pixels(const render_window *w, const sac_render_view *view, const sac_renderer_def *def)
{
    double margin = def->antialias ? 0.51 : 0.01;
    double x = def->width / ((double)view->right - (double)view->left);
    double y = def->height / ((double)view->top - (double)view->bottom);
    render_rect rect;
    take_pixels(&rect.left, &rect.right, (w->low[0] - (double)view->left) * x, (w->high[0] - (double)view->left) * x,
                def->width, margin);
    take_pixels(&rect.top, &rect.bottom, ((double)view->top - w->high[1]) * y, ((double)view->top - w->low[1]) * y,
                def->height, margin);
    return rect;
}

static bool is_empty(const render_rect *rect)
{
    return rect->left >= rect->right || rect->top >= rect->bottom;
}

// --- lights

static void take_lights(sac_renderer *r, const sac_scene *scene, const render_eye *eye)
{
    r->every_light = r->casting = 0;
    r->ambient = scene->light_count ? 0.0f : 0.3f;
    for (int l = 0; l < scene->light_count; l++)
    {
        const sac_light *from = &scene->lights[l];
        render_light *light = &r->lights[l];
        light->caster_count = 0;
        if (!finite_numbers(from->position, 3) || !finite_numbers(from->direction, 3) ||
            !finite_numbers(from->attenuation, 3) || !finite_numbers(from->ambient, 9) ||
            !finite_numbers(&from->exponent, 1) || !finite_numbers(&from->cutoff, 1))
            continue;
        r->every_light |= 1u << l;
        light->directional = from->directional;
        light->casts = from->casts_shadow && r->def.shadows && from->shadow_extent > 0.0f;
        if (light->casts) r->casting |= 1u << l;
        memcpy(light->attenuation, from->attenuation, sizeof light->attenuation);
        light->cutoff = from->cutoff >= 180.0f ? -2.0f : (float)cos((double)from->cutoff * M_PI / 180.0);
        light->exponent = from->exponent;
        double extent = fmin((double)from->shadow_extent, 80.0) * M_PI / 180.0;
        light->extent = from->directional ? from->shadow_extent : (float)tan(extent);
        // up: at right angles to the direction and to x, or to y where it runs along x
        const float *d = from->direction;
        double up[3] = {0, -(double)d[2], (double)d[1]}, length = sqrt(up[1] * up[1] + up[2] * up[2]);
        if (length <= 0.1)
        {
            up[0] = -(double)d[2], up[1] = 0, up[2] = (double)d[0];
            length = sqrt(up[0] * up[0] + up[2] * up[2]);
        }
        if (length == 0.0) length = 1.0;
        for (int i = 0; i < 3; i++) up[i] /= length;
        for (int i = 0; i < 3; i++)
        {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            light->axes[0][i] = (float)((double)d[j] * up[k] - (double)d[k] * up[j]);
            light->axes[1][i] = (float)up[i];
            light->axes[2][i] = d[i];
        }
        for (int k = 0; k < 3; k++)
        {
            double at = 0;
            for (int i = 0; i < 3; i++) at += (double)light->axes[k][i] * (eye->at[i] - (double)from->position[i]);
            light->offset[k] = (float)at;
        }
    }
    r->steady = r->every_light & ~r->casting;
    r->light_count = scene->light_count;
}

static void light_solid(solid *s, const sac_geom *g, const sac_scene *scene, unsigned lights)
{
    for (int l = 0; l < scene->light_count; l++)
    {
        if (!(lights >> l & 1)) continue;
        const sac_light *from = &scene->lights[l];
        solid_light *to = &s->lights[l];
        for (int k = 0; k < 3; k++)
        {
            float at = 0, way = 0;
            for (int i = 0; i < 3; i++)
            {
                at += g->axes[3 * i + k] * (from->position[i] - g->position[i]);
                way += g->axes[3 * i + k] * from->direction[i];
            }
            to->position[k] = at;
            to->direction[k] = way;
            to->ambient[k] = from->ambient[k] * g->rgba[k];
            to->diffuse[k] = from->diffuse[k] * g->rgba[k];
            to->specular[k] = from->specular[k] * g->specular;
            s->light_point[l][k] = (from->directional ? way : at) / s->scale[k];
        }
    }
}

// where a solid may shade something
static void cast(sac_renderer *r, int index, const sac_geom *g, const sac_scene *scene)
{
    solid *s = &r->solids[index];
    for (int l = 0; l < scene->light_count; l++)
    {
        render_light *light = &r->lights[l];
        if (!(r->casting >> l & 1)) continue;
        render_eye from = {.near = 1e-4, .parallel = light->directional};
        for (int k = 0; k < 3; k++)
        {
            from.at[k] = (double)scene->lights[l].position[k];
            for (int i = 0; i < 3; i++) from.axes[k][i] = (double)light->axes[k][i];
        }
        render_window w = WINDOW_EMPTY;
        cover(&w, &from, g, s);
        if (!(w.low[0] <= w.high[0])) continue;
        double extent = (double)light->extent * 1.01, margin = 1e-4 * extent;
        for (int k = 0; k < 2; k++)
        {
            s->light_window[l][k] = (float)(fmax(w.low[k], -extent) - margin);
            s->light_window[l][2 + k] = (float)(fmin(w.high[k], extent) + margin);
        }
        light->casters[light->caster_count++] = index;
    }
}

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
    case SAC_SHAPE_MESH: return g->mesh >= 0 && assets;
    case SAC_SHAPE_LINE: return g->size[0] > 0.0f && g->size[1] > 0.0f;
    case SAC_SHAPE_PLANE: return g->size[0] > 0.0f && g->size[1] > 0.0f;
    case SAC_SHAPE_SPHERE: return g->size[0] > 0.0f;
    case SAC_SHAPE_CAPSULE: return g->size[0] > 0.0f && g->size[1] >= 0.0f;
    case SAC_SHAPE_CYLINDER: return g->size[0] > 0.0f && g->size[1] > 0.0f;
    case SAC_SHAPE_ELLIPSOID:
    case SAC_SHAPE_BOX: return g->size[0] > 0.0f && g->size[1] > 0.0f && g->size[2] > 0.0f;
    }
    return false;
}

static void size_solid(solid *s, const sac_geom *g)
{
    for (int k = 0; k < 3; k++) s->scale[k] = 1.0f, s->size[k] = g->size[k];
    switch (g->shape)
    {
    case SAC_SHAPE_ELLIPSOID: memcpy(s->scale, g->size, sizeof s->scale); break;
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
    switch (g->shape)
    {
    case SAC_SHAPE_SPHERE: return size[0];
    case SAC_SHAPE_CAPSULE: return size[0] + size[1];
    case SAC_SHAPE_CYLINDER: return sqrtf(size[0] * size[0] + size[1] * size[1]);
    case SAC_SHAPE_ELLIPSOID: return fmaxf(size[0], fmaxf(size[1], size[2]));
    case SAC_SHAPE_MESH: size = s->mesh->high; break;
    default: break;
    }
    return sqrtf(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
}

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
    memcpy(s->grid, g->grid, sizeof s->grid);
    s->block_table = -1;
}

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

static void sort(int *order, int count, const solid *solids)
{
    for (int i = 1; i < count; i++)
    {
        int moving = order[i], j = i;
        for (; j > 0 && solids[order[j - 1]].depth > solids[moving].depth; j--) order[j] = order[j - 1];
        order[j] = moving;
    }
}

// --- the mirror

// the eye behind the mirror; false when it does not face the eye
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
    aim(p, d, &there, &scene->view, r->def.width, r->def.height);
    for (int i = 0; i < r->solid_count; i++)
    {
        solid *s = &r->solids[i];
        const sac_geom *g = &scene->geoms[s->geom];
        if (s->shape == SAC_SHAPE_LINE) continue;
        render_window w = WINDOW_EMPTY;
        cover(&w, &there, g, s);
        s->mirror_rect = to_pixels(&w, &scene->view, &r->def);
        if (is_empty(&s->mirror_rect)) continue;
        turn_fan(&s->mirror, p, d, &there, g, s, is_round(s->shape));
        for (int k = 0; k < 3; k++)
        {
            double at = 0;
            for (int j = 0; j < 3; j++) at += (double)g->axes[3 * j + k] * (there.at[j] - (double)g->position[j]);
            s->mirror_point[k] = (float)at;
        }
    }
}

// --- sky and haze

static void take_sky(sac_renderer *r, const sac_scene *scene)
{
    r->sky = scene->sky >= 0 && scene->assets ? &scene->assets->textures[scene->sky] : NULL;
    r->sky_radius = r->sky && scene->sky_radius > 0.0f ? scene->sky_radius : INFINITY;
    // the longest ray of the view is that of a corner
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
    // transparency has its corner where the cone meets the diagonal
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

// one end of a solid along its z axis in the eye's axes
static void find_end(double at[3], const sac_geom *g, const render_eye *eye, double z)
{
    double to[3];
    for (int i = 0; i < 3; i++) to[i] = (double)g->position[i] + z * (double)g->axes[3 * i + 2] - eye->at[i];
    for (int k = 0; k < 3; k++) at[k] = dot3(to, eye->axes[k]);
}

// where a solid's ends are in the picture, and how far around them it reaches if it may pass between pixels' centres
static void find_thread(solid *s, const sac_geom *g, const render_eye *eye, const sac_render_view *view,
                        const sac_renderer_def *def)
{
    bool line = g->shape == SAC_SHAPE_LINE;
    bool along_z = line || g->shape == SAC_SHAPE_CAPSULE || g->shape == SAC_SHAPE_CYLINDER;
    s->thread_reach = 0.0f;
    if (!line && !(def->antialias && (along_z || g->shape == SAC_SHAPE_SPHERE))) return;
    double scale_x = def->width / ((double)view->right - (double)view->left);
    double scale_y = def->height / ((double)view->top - (double)view->bottom), reach = 0.0, at[2][3];
    for (int end = 0; end < 2; end++)
        find_end(at[end], g, eye, !along_z ? 0.0 : end ? (double)g->size[1] : line ? 0.0 : -(double)g->size[1]);
    if (at[0][2] < eye->near && at[1][2] < eye->near) return;
    for (int end = 0; end < 2; end++)
    {
        double *p = at[end], *q = at[!end], share = (eye->near - p[2]) / (q[2] - p[2]);
        for (int k = 0; k < 3 && p[2] < eye->near; k++) p[k] = k < 2 ? p[k] + share * (q[k] - p[k]) : eye->near;
        double inverse = eye->parallel ? 1.0 : 1.0 / p[2];
        s->thread[end][0] = (float)((p[0] * inverse - (double)view->left) * scale_x);
        s->thread[end][1] = (float)(((double)view->top - p[1] * inverse) * scale_y);
        s->thread_depth[end] = (float)p[2];
        reach = fmax(reach, line ? 0.5 * (double)g->size[0] : (double)g->size[0] * inverse * fmax(scale_x, scale_y));
    }
    if (line || reach < 1.5) s->thread_reach = (float)reach + 0.75f;
}

// by so many pixels
static void widen(render_window *w, double by, const sac_render_view *view, const sac_renderer_def *def)
{
    double pixel[2] = {((double)view->right - (double)view->left) / def->width,
                       ((double)view->top - (double)view->bottom) / def->height};
    for (int k = 0; k < 2; k++) w->low[k] -= by * pixel[k], w->high[k] += by * pixel[k];
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
    cover(&w, eye, g, s);
    if (g->shape == SAC_SHAPE_LINE) widen(&w, 0.5 * (double)g->size[0] + 1.0, &scene->view, &r->def);
    s->rect = to_pixels(&w, &scene->view, &r->def);
    s->mirror_rect = (render_rect){0, 0, 0, 0};
    find_thread(s, g, eye, &scene->view, &r->def);
    paint_solid(s, g, scene);
    light_solid(s, g, scene, r->every_light);
    return true;
}

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
    if (g->casts_shadow && s->shape != SAC_SHAPE_LINE) cast(r, i, g, scene);
    // meshes cost most, so they are looked at last
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
    SAC_TRY(take_view(&eye, &scene->view));
    for (int i = 0; i < scene->geom_count; i++) SAC_TRY(check_indices(&scene->geoms[i], i, scene->assets));

    double p[3][3], d[3][3];
    aim(p, d, &eye, &scene->view, r->def.width, r->def.height);
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 3; i++) r->view_p[row][i] = (float)p[row][i], r->view_d[row][i] = (float)d[row][i];
    r->scene = scene;
    r->near = scene->view.near;
    r->far = scene->view.far;
    take_lights(r, scene, &eye);
    r->sets = 1 + __builtin_popcount(r->casting);
    take_sky(r, scene);

    r->solid_count = r->opaque_count = r->clear_count = r->table_size = r->block_count = 0;
    r->mirror = -1;
    for (int i = 0; i < scene->geom_count; i++)
    {
        solid *s = &r->solids[r->solid_count];
        if (!make_solid(r, s, i, scene, &eye)) continue;
        turn_fan(&s->eye, p, d, &eye, &scene->geoms[i], s, is_round(s->shape));
        file_solid(r, r->solid_count++, scene, &eye);
    }
    if (r->mirror >= 0) mirror_solids(r, scene, &eye);
    sort(r->opaque, r->opaque_count, r->solids);
    sort(r->clear, r->clear_count, r->solids);
    memset(r->block_numbers, 0xff, (size_t)r->table_size * sizeof *r->block_numbers);
    return SAC_OK;
}
