#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mjv/scene.h"

// Skins and flexes: meshes whose corners MuJoCo computes anew for each picture.

// --- making

static sac_status make_mover(mjv_mover *mover, int triangles, bool texcoords)
{
    size_t corners = 3 * (size_t)triangles;
    mover->positions = sac_alloc_array(corners, 3 * sizeof(float));
    mover->normals = sac_alloc_array(corners, 3 * sizeof(float));
    mover->texcoords = texcoords ? sac_alloc_array(corners, 2 * sizeof(float)) : NULL;
    if (!mover->positions || !mover->normals || (texcoords && !mover->texcoords)) return sac_fail_memory("a skin");
    mover->corners = (sac_mesh){triangles, mover->positions, mover->normals, mover->texcoords};
    return SAC_OK;
}

static bool skin_is_whole(const sac_mjv_model *m, int id)
{
    int64_t first = m->skin_faceadr[id], faces = m->skin_facenum[id], vertices = m->skin_vertnum[id];
    if (first < 0 || faces < 0 || first + faces > m->nskinface || m->skin_vertadr[id] < 0 || vertices < 0 ||
        m->skin_vertadr[id] + vertices > m->nskinvert)
        return false;
    if (m->skin_texcoordadr[id] >= 0 && m->skin_texcoordadr[id] + vertices > m->nskintexvert) return false;
    for (int64_t i = 3 * first; i < 3 * (first + faces); i++)
        if (m->skin_face[i] < 0 || m->skin_face[i] >= vertices) return false;
    return true;
}

static void gather(float *out, const float *from, const int *vertices, int count, size_t width)
{
    for (int i = 0; i < count; i++)
        memcpy(out + (size_t)i * width, from + (size_t)vertices[i] * width, width * sizeof *out);
}

static sac_status make_skin(mjv_mover *mover, const sac_mjv_model *m, int id)
{
    if (!skin_is_whole(m, id))
        return sac_fail(SAC_ERROR_ARGUMENT, "skin %d has an index that leads out of the model's arrays", id);
    int triangles = m->skin_facenum[id], texcoords = m->skin_texcoordadr[id];
    if (triangles == 0) return SAC_OK;
    SAC_TRY(make_mover(mover, triangles, texcoords >= 0));
    const int *face = m->skin_face + 3 * (size_t)m->skin_faceadr[id];
    gather(mover->positions, m->skin_vert + 3 * (size_t)m->skin_vertadr[id], face, 3 * triangles, 3);
    if (texcoords >= 0) gather(mover->texcoords, m->skin_texcoord + 2 * (size_t)texcoords, face, 3 * triangles, 2);
    return SAC_OK;
}

static sac_status make_all(sac_mjv_scene *s, const sac_mjv_model *m, const sac_mjv_flexes *flexes)
{
    for (int i = 0; i < s->skin_count; i++) SAC_TRY(make_skin(&s->movers[i], m, i));
    for (int i = 0; i < s->flex_count; i++)
        if (flexes->flexfacenum[i] > 0)
            SAC_TRY(make_mover(&s->movers[s->skin_count + i], flexes->flexfacenum[i], true));
    return SAC_OK;
}

sac_status sac_mjv_make_movers(sac_mjv_scene *s, const sac_render_assets *assets, const sac_mjv_model *m,
                               const sac_mjv_flexes *flexes)
{
    s->skin_count = m->nskin;
    s->flex_count = flexes ? flexes->nflex : 0;
    size_t count = (size_t)s->skin_count + (size_t)s->flex_count, made = 0;
    s->movers = SAC_NEW_ARRAY(mjv_mover, count);
    sac_mesh *meshes = SAC_NEW_ARRAY(sac_mesh, count);
    sac_status status = s->movers && meshes ? make_all(s, m, flexes) : sac_fail_memory("a scene");
    s->cone = 2 * m->nmesh + m->nhfield;
    for (size_t i = 0; i < count && status == SAC_OK; i++)
        if (s->movers[i].positions)
        {
            s->movers[i].mesh = s->cone + 1 + (int)made;
            meshes[made++] = s->movers[i].corners;
        }
    if (status == SAC_OK) status = sac_render_assets_extend(&s->assets, assets, meshes, (int)made);
    sac_free(meshes);
    return status;
}

void sac_mjv_release_movers(sac_mjv_scene *s)
{
    for (int i = 0; i < s->skin_count + s->flex_count && s->movers; i++)
    {
        sac_free(s->movers[i].positions);
        sac_free(s->movers[i].normals);
        sac_free(s->movers[i].texcoords);
    }
    sac_free(s->movers);
    sac_render_assets_destroy(s->assets);
}

// --- moving

// The corners of skins and flexes are in the world's coordinates; their geoms' positions are there for sorting alone.
static void place_in_world(sac_geom *geom)
{
    memset(geom->position, 0, sizeof geom->position);
    for (int i = 0; i < 9; i++) geom->axes[i] = i % 4 == 0 ? 1.0f : 0.0f;
}

// Adds the mesh where it is now. What is not finite is not drawn, as with other geoms.
static void add_moved(sac_mjv_scene *s, mjv_mover *mover, const mjv_geom *from, const sac_geom *like)
{
    if (sac_render_assets_move(s->assets, mover->mesh, &mover->corners) != SAC_OK) return;
    sac_geom *geom = add_like(s, like);
    if (!geom) return;
    geom->shape = SAC_SHAPE_MESH;
    geom->mesh = mover->mesh;
    place_in_world(geom);
    if (mover->texcoords && !from->texcoord) geom->texture = -1;
}

void sac_mjv_add_skin(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like, const sac_mjv_model *m,
                      const mjv_seen *seen)
{
    if (from->objid < 0 || from->objid >= s->skin_count || !seen->skinvert || !seen->skinnormal) return;
    mjv_mover *mover = &s->movers[from->objid];
    if (!mover->mesh) return;
    const int *face = m->skin_face + 3 * (size_t)m->skin_faceadr[from->objid];
    size_t first = 3 * (size_t)m->skin_vertadr[from->objid];
    gather(mover->positions, seen->skinvert + first, face, 3 * mover->corners.triangle_count, 3);
    gather(mover->normals, seen->skinnormal + first, face, 3 * mover->corners.triangle_count, 3);
    add_moved(s, mover, from, like);
}

static void add_vertex(sac_mjv_scene *s, const sac_geom *like, const float at[3], float radius)
{
    sac_geom *ball = add_like(s, like);
    if (!ball) return;
    ball->shape = SAC_SHAPE_SPHERE;
    ball->size[0] = radius;
    memcpy(ball->position, at, sizeof ball->position);
}

// Turns a geom's z axis to a direction of unit length.
static void turn_to(float axes[9], const float z[3])
{
    float x[3], length = 0;
    int least = fabsf(z[0]) < fabsf(z[1]) ? 0 : 1;
    if (fabsf(z[2]) < fabsf(z[least])) least = 2;
    for (int i = 0; i < 3; i++) x[i] = (i == least ? 1.0f : 0.0f) - z[least] * z[i], length += x[i] * x[i];
    length = sqrtf(length);
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        axes[3 * i] = x[i] / length;
        axes[3 * i + 1] = (z[j] * x[k] - z[k] * x[j]) / length;
        axes[3 * i + 2] = z[i];
    }
}

static void add_link(sac_mjv_scene *s, const sac_geom *like, const float a[3], const float b[3], float radius)
{
    float way[3], length = 0;
    for (int i = 0; i < 3; i++) way[i] = b[i] - a[i], length += way[i] * way[i];
    length = sqrtf(length);
    sac_geom *link = length > 0.0f ? add_like(s, like) : NULL;
    if (!link) return;
    for (int i = 0; i < 3; i++) way[i] /= length, link->position[i] = 0.5f * (a[i] + b[i]);
    link->shape = SAC_SHAPE_CYLINDER;
    link->size[0] = radius, link->size[1] = 0.5f * length;
    turn_to(link->axes, way);
}

// Vertices and edges are drawn where no faces are.
static void add_skeleton(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like, const sac_mjv_flexes *f)
{
    int id = from->objid, vertices = f->flexvertnum[id];
    const float *vert = f->flexvert + 3 * (size_t)f->flexvertadr[id];
    const int *edge = f->flexedge + 2 * (size_t)f->flexedgeadr[id];
    sac_geom plain = *like;
    plain.texture = -1;
    place_in_world(&plain);
    for (int i = 0; i < vertices && f->flexvertopt; i++) add_vertex(s, &plain, vert + 3 * (size_t)i, from->size[0]);
    for (int i = 0; i < f->flexedgenum[id] && f->flexedgeopt; i++, edge += 2)
        if (edge[0] >= 0 && edge[0] < vertices && edge[1] >= 0 && edge[1] < vertices)
            add_link(s, &plain, vert + 3 * (size_t)edge[0], vert + 3 * (size_t)edge[1], from->size[0]);
}

void sac_mjv_add_flex(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like, const sac_mjv_flexes *f)
{
    int id = from->objid;
    if (id < 0 || id >= s->flex_count || id >= f->nflex) return;
    int used = f->flexfaceused[id];
    if (from->size[0] > 0.0f && !(f->flexskinopt && used)) add_skeleton(s, from, like, f);
    mjv_mover *mover = &s->movers[s->skin_count + id];
    if (!mover->mesh || used < 1) return;
    size_t all = (size_t)mover->corners.triangle_count, count = (size_t)used < all ? (size_t)used : all;
    size_t first = (size_t)f->flexfaceadr[id];
    memcpy(mover->positions, f->flexface + 9 * first, 9 * count * sizeof(float));
    memcpy(mover->normals, f->flexnormal + 9 * first, 9 * count * sizeof(float));
    if (from->texcoord && f->flextexcoord)
        memcpy(mover->texcoords, f->flextexcoord + 6 * first, 6 * count * sizeof(float));
    // faces that are not in use are points, which no ray meets
    for (size_t i = 3 * count; i < 3 * all; i++) memcpy(mover->positions + 3 * i, mover->positions, 3 * sizeof(float));
    add_moved(s, mover, from, like);
}
