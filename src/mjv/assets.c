#include "saccade/mjv.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mjv/cone.h"

enum
{
    FLAT = 0, // mjTEXTURE_2D; all other types are cubes
    SRGB = 2  // mjCOLORSPACE_SRGB
};

// --- textures

// A cube that is one square shows it on all six sides, which are laid out one under the other in `memory`.
static sac_status repeat_face(sac_texture *t, uint8_t **memory)
{
    size_t face = (size_t)t->width * (size_t)t->height * (size_t)t->channels;
    *memory = sac_alloc_array(6, face);
    if (!*memory) return sac_fail_memory("a texture");
    for (size_t i = 0; i < 6; i++) memcpy(*memory + i * face, t->pixels, face);
    t->pixels = *memory;
    t->height *= 6;
    return SAC_OK;
}

// As OpenGL reads a flat texture that is sRGB. The fourth channel is linear.
static sac_status make_linear(sac_texture *t, uint8_t **memory)
{
    size_t channels = (size_t)t->channels, size = (size_t)t->width * (size_t)t->height * channels;
    uint8_t curve[256], *out = sac_alloc(size);
    *memory = out;
    if (!out) return sac_fail_memory("a texture");
    for (int i = 0; i < 256; i++)
    {
        double c = i / 255.0;
        curve[i] = (uint8_t)lround(255.0 * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)));
    }
    for (size_t i = 0; i < size; i++) out[i] = i % channels == 3 ? t->pixels[i] : curve[t->pixels[i]];
    t->pixels = out;
    return SAC_OK;
}

static sac_status take_texture(sac_texture *out, uint8_t **memory, const sac_mjv_model *m, int id)
{
    int64_t width = m->tex_width[id], height = m->tex_height[id], channels = m->tex_nchannel ? m->tex_nchannel[id] : 3;
    bool cube = m->tex_type[id] != FLAT;
    if (width < 1 || height < 1 || channels < 1 || channels > 4 || (cube && height != width && height != 6 * width))
        return sac_fail(SAC_ERROR_ARGUMENT, "texture %d has %d x %d texels of %d channels, expected 1..16384 of 1..4",
                        id, (int)width, (int)height, (int)channels);
    if (m->tex_adr[id] < 0 || m->tex_adr[id] > m->ntexdata - width * height * channels)
        return sac_fail(SAC_ERROR_ARGUMENT, "texture %d ends behind the model's %lld bytes", id,
                        (long long)m->ntexdata);
    *out = (sac_texture){.width = (int)width,
                         .height = (int)height,
                         .channels = (int)channels,
                         .cube = cube,
                         .pixels = m->tex_data + m->tex_adr[id]};
    if (cube) return height == width ? repeat_face(out, memory) : SAC_OK;
    return m->tex_colorspace && m->tex_colorspace[id] == SRGB && channels > 2 ? make_linear(out, memory) : SAC_OK;
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
static void fill_mesh(corners *out, const sac_mjv_model *m, int id)
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

static int hull_faces(const sac_mjv_model *m, int id)
{
    return m->mesh_graphadr[id] < 0 ? 0 : m->mesh_graph[m->mesh_graphadr[id] + 1];
}

static void fill_hull(corners *out, const sac_mjv_model *m, int id)
{
    const int *graph = m->mesh_graph + m->mesh_graphadr[id];
    int vertices = graph[0], faces = graph[1];
    const int *face = graph + 2 + 3 * vertices + 3 * faces;
    const float *from = m->mesh_vert + 3 * (size_t)m->mesh_vertadr[id];
    for (int f = 0; f < faces; f++, face += 3)
        add_triangle(out, from + 3 * (size_t)face[0], from + 3 * (size_t)face[1], from + 3 * (size_t)face[2]);
}

static int field_triangles(const sac_mjv_model *m, int id)
{
    int rows = m->hfield_nrow[id] - 1, columns = m->hfield_ncol[id] - 1;
    return 2 * rows * columns + 4 * rows + 4 * columns + 2;
}

static void field_point(float out[3], const sac_mjv_model *m, int id, int row, int column)
{
    const double *size = m->hfield_size + 4 * (size_t)id;
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

static void fill_field(corners *out, const sac_mjv_model *m, int id)
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

// --- checks, so that no index of a model leads out of its arrays

static bool within(int64_t first, int64_t count, int64_t all)
{
    return first >= 0 && count >= 0 && count <= all && first <= all - count;
}

static bool indices_within(const int *indices, int64_t count, int64_t all)
{
    for (int64_t i = 0; i < count; i++)
        if (indices[i] < 0 || indices[i] >= all) return false;
    return true;
}

static bool mesh_is_whole(const sac_mjv_model *m, int id)
{
    int64_t faces = m->mesh_facenum[id], first = 3 * (int64_t)m->mesh_faceadr[id];
    if (!within(m->mesh_faceadr[id], faces, m->nmeshface) ||
        !within(m->mesh_vertadr[id], m->mesh_vertnum[id], m->nmeshvert) ||
        !within(m->mesh_normaladr[id], m->mesh_normalnum[id], m->nmeshnormal))
        return false;
    if (m->mesh_texcoordadr[id] >= 0 &&
        (!within(m->mesh_texcoordadr[id], m->mesh_texcoordnum[id], m->nmeshtexcoord) ||
         !indices_within(m->mesh_facetexcoord + first, 3 * faces, m->mesh_texcoordnum[id])))
        return false;
    return indices_within(m->mesh_face + first, 3 * faces, m->mesh_vertnum[id]) &&
           indices_within(m->mesh_facenormal + first, 3 * faces, m->mesh_normalnum[id]);
}

static bool hull_is_whole(const sac_mjv_model *m, int id)
{
    int64_t at = m->mesh_graphadr[id];
    if (at < 0) return true;
    if (!within(at, 2, m->nmeshgraph)) return false;
    int64_t vertices = m->mesh_graph[at], faces = m->mesh_graph[at + 1];
    return vertices >= 0 && faces >= 0 && within(at, 2 + 3 * vertices + 6 * faces, m->nmeshgraph) &&
           indices_within(m->mesh_graph + at + 2 + 3 * vertices + 3 * faces, 3 * faces, m->mesh_vertnum[id]);
}

static bool field_is_whole(const sac_mjv_model *m, int id)
{
    int64_t rows = m->hfield_nrow[id], columns = m->hfield_ncol[id];
    return rows >= 2 && columns >= 2 && rows * columns < 1 << 23 &&
           within(m->hfield_adr[id], rows * columns, m->nhfielddata);
}

static sac_status check(const sac_mjv_model *m)
{
    for (int i = 0; i < m->nmesh; i++)
        if (!mesh_is_whole(m, i) || !hull_is_whole(m, i))
            return sac_fail(SAC_ERROR_ARGUMENT, "mesh %d has an index that leads out of the model's arrays", i);
    for (int i = 0; i < m->nhfield; i++)
        if (!field_is_whole(m, i))
            return sac_fail(SAC_ERROR_ARGUMENT, "height field %d leads out of the model's arrays, or is too large", i);
    return SAC_OK;
}

// --- all of it

// Mesh 2 i is the model's mesh i, 2 i + 1 its hull, and 2 nmesh + i its height field i. An empty mesh is a point. The
// last one is the tip of arrows.
static sac_status take_mesh(sac_mesh *out, corners *memory, const sac_mjv_model *m, int index)
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

typedef struct making
{
    sac_texture *textures;
    uint8_t **faces; // that were repeated
    size_t texture_count;
    sac_mesh *meshes;
    corners *corners;
    size_t mesh_count;
} making;

static sac_status make(sac_render_assets **assets, making *all, const sac_mjv_model *m)
{
    if (!all->textures || !all->faces || !all->meshes || !all->corners)
        return sac_fail_memory("a model's textures and meshes");
    SAC_TRY(check(m));
    for (size_t i = 0; i < all->texture_count; i++) SAC_TRY(take_texture(&all->textures[i], &all->faces[i], m, (int)i));
    for (size_t i = 0; i < all->mesh_count; i++) SAC_TRY(take_mesh(&all->meshes[i], &all->corners[i], m, (int)i));
    mjv_cone cone;
    sac_mjv_make_cone(&cone);
    all->meshes[all->mesh_count] = (sac_mesh){CONE_TRIANGLES, cone.positions, cone.normals, NULL};
    int meshes = (int)all->mesh_count + 1;
    return sac_render_assets_create(assets, all->textures, (int)all->texture_count, all->meshes, meshes);
}

static void release(making *all)
{
    for (size_t i = 0; i < all->mesh_count && all->corners; i++)
    {
        sac_free(all->corners[i].positions);
        sac_free(all->corners[i].normals);
        sac_free(all->corners[i].texcoords);
    }
    for (size_t i = 0; i < all->texture_count && all->faces; i++) sac_free(all->faces[i]);
    sac_free(all->textures);
    sac_free(all->faces);
    sac_free(all->meshes);
    sac_free(all->corners);
}

sac_status sac_mjv_assets_create(sac_render_assets **out, const sac_mjv_model *m)
{
    *out = NULL;
    size_t textures = (size_t)m->ntex, meshes = 2 * (size_t)m->nmesh + (size_t)m->nhfield;
    making all = {.textures = SAC_NEW_ARRAY(sac_texture, textures),
                  .faces = SAC_NEW_ARRAY(uint8_t *, textures),
                  .texture_count = textures,
                  .meshes = SAC_NEW_ARRAY(sac_mesh, meshes + 1),
                  .corners = SAC_NEW_ARRAY(corners, meshes),
                  .mesh_count = meshes};
    sac_status status = make(out, &all, m);
    release(&all);
    return status;
}
