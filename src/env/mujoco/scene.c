#include "env/mujoco/scene.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

// --- textures

static sac_texture take_texture(const mjModel *m, int id)
{
    return (sac_texture){.width = m->tex_width[id],
                         .height = m->tex_height[id],
                         .channels = m->tex_nchannel[id],
                         .cube = m->tex_type[id] != mjTEXTURE_2D,
                         .pixels = m->tex_data + m->tex_adr[id]};
}

// --- meshes: a model's meshes and their hulls, then its height fields

typedef struct corners
{
    float *positions, *normals, *texcoords;
    int count; // of corners
} corners;

static void add_corner(corners *out, const float p[3], const float n[3], const float *texcoord)
{
    size_t i = (size_t)out->count++;
    memcpy(out->positions + 3 * i, p, 3 * sizeof *p);
    memcpy(out->normals + 3 * i, n, 3 * sizeof *n);
    if (texcoord) memcpy(out->texcoords + 2 * i, texcoord, 2 * sizeof *texcoord);
}

static void face_normal(float out[3], const float *a, const float *b, const float *c)
{
    float e[3], f[3], square = 0;
    for (int i = 0; i < 3; i++) e[i] = b[i] - a[i], f[i] = c[i] - a[i];
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = e[j] * f[k] - e[k] * f[j];
        square += out[i] * out[i];
    }
    float length = sqrtf(square);
    for (int i = 0; i < 3; i++) out[i] = length < 1e-10f ? (i == 2) : out[i] / length;
}

static void add_triangle(corners *out, const float *a, const float *b, const float *c)
{
    float n[3];
    face_normal(n, a, b, c);
    add_corner(out, a, n, NULL);
    add_corner(out, b, n, NULL);
    add_corner(out, c, n, NULL);
}

// As MuJoCo draws it, a corner without texcoords is lit flat where its normal is far from its face's.
static void fill_mesh(corners *out, const mjModel *m, int id)
{
    const float *vertices = m->mesh_vert + 3 * (size_t)m->mesh_vertadr[id];
    const float *normals = m->mesh_normal + 3 * (size_t)m->mesh_normaladr[id];
    const float *texcoords =
        m->mesh_texcoordadr[id] < 0 ? NULL : m->mesh_texcoord + 2 * (size_t)m->mesh_texcoordadr[id];
    for (int f = m->mesh_faceadr[id]; f < m->mesh_faceadr[id] + m->mesh_facenum[id]; f++)
    {
        const float *p[3];
        float flat[3];
        for (int k = 0; k < 3; k++) p[k] = vertices + 3 * (size_t)m->mesh_face[3 * f + k];
        face_normal(flat, p[0], p[1], p[2]);
        for (int k = 0; k < 3; k++)
        {
            const float *n = normals + 3 * (size_t)m->mesh_facenormal[3 * f + k];
            bool far_off = n[0] * flat[0] + n[1] * flat[1] + n[2] * flat[2] < 0.8f;
            if (texcoords)
                add_corner(out, p[k], n, texcoords + 2 * (size_t)m->mesh_facetexcoord[3 * f + k]);
            else
                add_corner(out, p[k], far_off ? flat : n, NULL);
        }
    }
}

static int hull_faces(const mjModel *m, int id)
{
    return m->mesh_graphadr[id] < 0 ? 0 : m->mesh_graph[m->mesh_graphadr[id] + 1];
}

static void fill_hull(corners *out, const mjModel *m, int id)
{
    const int *graph = m->mesh_graph + m->mesh_graphadr[id];
    int vertices = graph[0], faces = graph[1];
    const int *face = graph + 2 + 3 * vertices + 3 * faces;
    const float *from = m->mesh_vert + 3 * (size_t)m->mesh_vertadr[id];
    for (int f = 0; f < faces; f++, face += 3)
        add_triangle(out, from + 3 * (size_t)face[0], from + 3 * (size_t)face[1], from + 3 * (size_t)face[2]);
}

static int field_triangles(const mjModel *m, int id)
{
    int rows = m->hfield_nrow[id] - 1, columns = m->hfield_ncol[id] - 1;
    return 2 * rows * columns + 4 * rows + 4 * columns + 2;
}

static void field_point(float out[3], const mjModel *m, int id, int row, int column)
{
    const mjtNum *size = m->hfield_size + 4 * (size_t)id;
    int rows = m->hfield_nrow[id], columns = m->hfield_ncol[id];
    out[0] = (float)size[0] * ((float)column / (0.5f * (float)(columns - 1)) - 1.0f);
    out[1] = (float)size[1] * ((float)row / (0.5f * (float)(rows - 1)) - 1.0f);
    out[2] = m->hfield_data[m->hfield_adr[id] + row * columns + column] * (float)size[2];
}

// Adds a wall from an edge of the surface down to the bottom. Seen from a to b, the outside is on the right.
static void add_side(corners *out, const float a[3], const float b[3], float bottom)
{
    float below_a[3] = {a[0], a[1], bottom}, below_b[3] = {b[0], b[1], bottom};
    add_triangle(out, below_a, below_b, b);
    add_triangle(out, below_a, b, a);
}

static void fill_field(corners *out, const mjModel *m, int id)
{
    int rows = m->hfield_nrow[id], columns = m->hfield_ncol[id];
    float bottom = -(float)m->hfield_size[4 * id + 3], p[4][3];
    for (int r = 0; r < rows - 1; r++)
        for (int c = 0; c < columns - 1; c++)
        {
            field_point(p[0], m, id, r + 1, c);
            field_point(p[1], m, id, r, c);
            field_point(p[2], m, id, r + 1, c + 1);
            field_point(p[3], m, id, r, c + 1);
            add_triangle(out, p[0], p[1], p[2]);
            add_triangle(out, p[1], p[3], p[2]);
        }
    for (int r = 0; r < rows - 1; r++)
    {
        field_point(p[0], m, id, r + 1, 0), field_point(p[1], m, id, r, 0);
        add_side(out, p[0], p[1], bottom);
        field_point(p[0], m, id, r, columns - 1), field_point(p[1], m, id, r + 1, columns - 1);
        add_side(out, p[0], p[1], bottom);
    }
    for (int c = 0; c < columns - 1; c++)
    {
        field_point(p[0], m, id, 0, c), field_point(p[1], m, id, 0, c + 1);
        add_side(out, p[0], p[1], bottom);
        field_point(p[0], m, id, rows - 1, c + 1), field_point(p[1], m, id, rows - 1, c);
        add_side(out, p[0], p[1], bottom);
    }
    float x = (float)m->hfield_size[4 * id], y = (float)m->hfield_size[4 * id + 1];
    float floor[4][3] = {{-x, -y, bottom}, {-x, y, bottom}, {x, y, bottom}, {x, -y, bottom}};
    add_triangle(out, floor[0], floor[1], floor[2]);
    add_triangle(out, floor[0], floor[2], floor[3]);
}

// Mesh 2 i is the model's mesh i, 2 i + 1 its hull, and 2 nmesh + i its height field i. An empty mesh is a point.
static sac_status take_mesh(sac_mesh *out, corners *memory, const mjModel *m, int index)
{
    bool field = index >= 2 * m->nmesh, hull = !field && index % 2;
    int id = field ? index - 2 * m->nmesh : index / 2;
    int count = field ? field_triangles(m, id) : hull ? hull_faces(m, id) : m->mesh_facenum[id];
    bool texcoords = !field && !hull && m->mesh_texcoordadr[id] >= 0;
    size_t room = (size_t)(count > 0 ? count : 1) * 3;
    *memory = (corners){.positions = sac_alloc_array(room, 3 * sizeof(float)),
                        .normals = sac_alloc_array(room, 3 * sizeof(float)),
                        .texcoords = texcoords ? sac_alloc_array(room, 2 * sizeof(float)) : NULL};
    if (!memory->positions || !memory->normals || (texcoords && !memory->texcoords))
        return sac_fail_memory("a model's meshes");
    if (field)
        fill_field(memory, m, id);
    else if (hull && count > 0)
        fill_hull(memory, m, id);
    else if (!hull)
        fill_mesh(memory, m, id);
    *out = (sac_mesh){(int)(room / 3), memory->positions, memory->normals, memory->texcoords};
    return SAC_OK;
}

sac_status sac_mujoco_assets_create(sac_render_assets **assets, const mjModel *m)
{
    *assets = NULL;
    size_t textures = (size_t)m->ntex, meshes = (size_t)(2 * m->nmesh + m->nhfield);
    sac_texture *texture = SAC_NEW_ARRAY(sac_texture, textures);
    sac_mesh *mesh = SAC_NEW_ARRAY(sac_mesh, meshes);
    corners *memory = SAC_NEW_ARRAY(corners, meshes);
    sac_status status = texture && mesh && memory ? SAC_OK : sac_fail_memory("a model's textures and meshes");
    for (size_t i = 0; i < textures && status == SAC_OK; i++) texture[i] = take_texture(m, (int)i);
    for (size_t i = 0; i < meshes && status == SAC_OK; i++) status = take_mesh(&mesh[i], &memory[i], m, (int)i);
    if (status == SAC_OK) status = sac_render_assets_create(assets, texture, (int)textures, mesh, (int)meshes);
    for (size_t i = 0; i < meshes && memory; i++)
    {
        sac_free(memory[i].positions);
        sac_free(memory[i].normals);
        sac_free(memory[i].texcoords);
    }
    sac_free(memory);
    sac_free(mesh);
    sac_free(texture);
    return status;
}

// --- scene

enum
{
    GEOMS = 1000,    ///< what MuJoCo's scene has room for
    PLANE_GRID = 200 ///< cells of an endless plane along each axis, mjMAXPLANEGRID
};

struct sac_mujoco_scene
{
    const sac_mujoco *mj;
    mjvScene abstract;
    mjvOption option;
    mjvPerturb perturb;
    sac_scene scene;
    sac_geom geoms[GEOMS];
    sac_light lights[SAC_RENDER_LIGHTS];
};

sac_status sac_mujoco_scene_create(sac_mujoco_scene **out, const sac_mujoco *mj, const mjModel *model,
                                   const sac_render_assets *assets)
{
    *out = NULL;
    sac_mujoco_scene *s = SAC_NEW(sac_mujoco_scene);
    if (!s) return sac_fail_memory("a scene");
    s->mj = mj;
    mj->mjv_defaultScene(&s->abstract);
    mj->mjv_makeScene(model, &s->abstract, GEOMS);
    mj->mjv_defaultOption(&s->option);
    mj->mjv_defaultPerturb(&s->perturb);
    s->scene.assets = assets;
    s->scene.geoms = s->geoms;
    s->scene.lights = s->lights;
    *out = s;
    return SAC_OK;
}

void sac_mujoco_scene_destroy(sac_mujoco_scene *scene)
{
    if (!scene) return;
    scene->mj->mjv_freeScene(&scene->abstract);
    sac_free(scene);
}

// --- geoms

static bool take_shape(sac_geom *out, const mjvGeom *from, const mjModel *m)
{
    memcpy(out->size, from->size, sizeof out->size);
    switch (from->type)
    {
    case mjGEOM_PLANE: out->shape = SAC_SHAPE_PLANE; return true;
    case mjGEOM_SPHERE: out->shape = SAC_SHAPE_SPHERE; return true;
    case mjGEOM_ELLIPSOID: out->shape = SAC_SHAPE_ELLIPSOID; return true;
    case mjGEOM_BOX: out->shape = SAC_SHAPE_BOX; return true;
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
        out->shape = from->type == mjGEOM_CAPSULE ? SAC_SHAPE_CAPSULE : SAC_SHAPE_CYLINDER;
        out->size[1] = from->size[2];
        return true;
    case mjGEOM_MESH:
    case mjGEOM_SDF:
        out->shape = SAC_SHAPE_MESH;
        out->mesh = from->dataid;
        return from->dataid >= 0 && from->dataid < 2 * m->nmesh;
    case mjGEOM_HFIELD:
        out->shape = SAC_SHAPE_MESH;
        out->mesh = 2 * m->nmesh + from->dataid;
        return from->dataid >= 0 && from->dataid < m->nhfield;
    case mjGEOM_LINE:
        out->shape = SAC_SHAPE_LINE;
        out->size[1] = from->size[2];
        return true;
    default: return false; // arrows, labels, skins: what a person asks for on top
    }
}

// Finds a plane's lines along one axis, at which it is lit, and its half width where it is endless.
static void take_grid(sac_geom *out, int axis, const mjModel *m, const mjvGeom *from, double far)
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
    double size = (double)from->size[axis], spacing = from->objid >= 0 ? m->geom_size[3 * from->objid + 2] : size;
    spacing = fmax(spacing, size / (PLANE_GRID - 2));
    int inner = (int)floor(size / fmax(mjMINVAL, spacing));
    inner -= inner % 2;
    *grid = (sac_plane_grid){(float)(size - inner * spacing), (float)(2.0 * spacing), inner + 2};
}

// The texture coordinates of planes are linear in x and y.
static void map_plane(sac_geom *out, const mjvGeom *from)
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

// On other solids, flat textures lie over x and y of the unit shape, and cubes are read by direction.
static void map_solid(sac_geom *out, const mjvGeom *from, const mjModel *m)
{
    bool scaled = from->type != mjGEOM_MESH && from->type != mjGEOM_SDF && from->type != mjGEOM_HFIELD;
    float unit[3];
    for (int k = 0; k < 3; k++) unit[k] = scaled && from->size[k] > 0.0f ? 1.0f / from->size[k] : 1.0f;
    if (m->tex_type[out->texture] != mjTEXTURE_2D)
    {
        for (int k = 0; k < 3; k++)
            out->texture_scale[k] = unit[k] * (from->texuniform && from->size[k] > 0.0f ? from->size[k] : 1.0f);
        return;
    }
    if (from->texcoord && !scaled)
    {
        out->texture_scale[0] = out->texture_scale[1] = 1.0f;
        return;
    }
    for (int k = 0; k < 2; k++)
    {
        float repeat = from->texrepeat[k];
        if (from->dataid >= 0 && from->size[k] > 0.0f) repeat /= from->size[k];
        if (from->texuniform && from->size[k] > 0.0f) repeat *= from->size[k];
        out->texture_scale[k] = (k == 0 ? 0.5f : -0.5f) * repeat * unit[k];
        out->texture_offset[k] = -0.5f;
    }
}

static int texture_of(const mjvGeom *from, const mjModel *m)
{
    if (from->texid >= 0) return from->texid;
    if (from->matid < 0 || from->matid >= m->nmat) return -1;
    return m->mat_texid[mjNTEXROLE * from->matid + mjTEXROLE_RGB];
}

static void take_geom(sac_geom *out, const mjvGeom *from, const mjModel *m, double far)
{
    memcpy(out->position, from->pos, sizeof out->position);
    memcpy(out->axes, from->mat, sizeof out->axes);
    memcpy(out->rgba, from->rgba, sizeof out->rgba);
    out->emission = from->emission;
    out->specular = from->specular;
    out->shininess = from->shininess;
    out->reflectance = from->reflectance;
    out->texture = from->matid >= 0 ? texture_of(from, m) : -1;
    out->casts_shadow = from->category != mjCAT_DECOR;
    out->id = from->segid;
    if (from->type == mjGEOM_PLANE)
    {
        for (int k = 0; k < 2; k++) take_grid(out, k, m, from, far);
        map_plane(out, from);
    }
    else if (out->texture >= 0)
        map_solid(out, from, m);
}

// --- lights

static void take_light(sac_light *out, const mjvLight *from, const mjModel *m)
{
    *out = (sac_light){.directional = from->type == mjLIGHT_DIRECTIONAL,
                       .casts_shadow = from->castshadow,
                       .cutoff = from->cutoff,
                       .exponent = from->exponent};
    memcpy(out->position, from->pos, sizeof out->position);
    memcpy(out->direction, from->dir, sizeof out->direction);
    memcpy(out->attenuation, from->attenuation, sizeof out->attenuation);
    memcpy(out->ambient, from->ambient, sizeof out->ambient);
    memcpy(out->diffuse, from->diffuse, sizeof out->diffuse);
    memcpy(out->specular, from->specular, sizeof out->specular);
    // The map of shadows holds a square.
    double cone = fmin(2.0 * (double)from->cutoff * (double)m->vis.map.shadowscale, 160.0);
    out->shadow_extent =
        out->directional ? (float)((double)m->vis.map.shadowclip * m->stat.extent) : (float)(0.5 * cone);
}

static void take_lights(sac_mujoco_scene *s, const mjModel *m)
{
    int count = 0;
    for (int i = 0; i < s->abstract.nlight && count < SAC_RENDER_LIGHTS; i++)
    {
        const mjvLight *from = &s->abstract.lights[i];
        if (from->type == mjLIGHT_DIRECTIONAL || from->type == mjLIGHT_SPOT) take_light(&s->lights[count++], from, m);
    }
    s->scene.light_count = count;
}

// --- view

static void take_view(sac_render_view *out, const mjvGLCamera camera[2], int width, int height)
{
    const mjvGLCamera *a = &camera[0], *b = &camera[1];
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

static void take_sky(sac_scene *out, const mjModel *m)
{
    out->sky = -1;
    for (int i = 0; i < m->ntex && out->sky < 0; i++)
        if (m->tex_type[i] == mjTEXTURE_SKYBOX) out->sky = i;
    out->sky_radius = 0.7f * out->view.far;
    out->haze = m->vis.map.haze;
    memcpy(out->haze_rgb, m->vis.rgba.haze, sizeof out->haze_rgb);
}

sac_scene *sac_mujoco_scene_update(sac_mujoco_scene *s, const mjModel *m, mjData *data, int camera, int width,
                                   int height)
{
    mjvCamera cam;
    s->mj->mjv_defaultCamera(&cam);
    if (camera >= 0 && camera < m->ncam)
    {
        cam.type = mjCAMERA_FIXED;
        cam.fixedcamid = camera;
    }
    else
        s->mj->mjv_defaultFreeCamera(m, &cam);
    // Endless planes follow the camera that was set last, so the camera is set before the scene is made.
    s->mj->mjv_updateCamera(m, data, &cam, &s->abstract);
    s->mj->mjv_updateScene(m, data, &s->option, &s->perturb, &cam, mjCAT_ALL, &s->abstract);
    take_view(&s->scene.view, s->abstract.camera, width, height);
    take_sky(&s->scene, m);
    take_lights(s, m);
    double far = (double)m->vis.map.zfar * m->stat.extent;
    int count = 0;
    s->scene.haze_plane = -1;
    for (int i = 0; i < s->abstract.ngeom; i++)
    {
        const mjvGeom *from = &s->abstract.geoms[i];
        if (!take_shape(&s->geoms[count], from, m)) continue;
        take_geom(&s->geoms[count], from, m, far);
        bool endless = from->type == mjGEOM_PLANE && from->size[0] <= 0.0f && from->size[1] <= 0.0f;
        if (endless && s->scene.haze_plane < 0) s->scene.haze_plane = count;
        count++;
    }
    s->scene.geom_count = count;
    return &s->scene;
}

mjvScene *sac_mujoco_scene_abstract(sac_mujoco_scene *scene)
{
    return &scene->abstract;
}
