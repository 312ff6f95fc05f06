#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "render/assets.h"
#include "render/tree.h"

// Texcoords are linear over the triangle. This finds their slopes along it.
// The slope g of a texcoord along the triangle solves g . e = a and g . f = b for its edges e and f and the differences
// a and b, with g a combination of e and f; the three dot products of the edges are the system's matrix.
static void find_slopes(float out[2][3], const float corners[3][3], const float texcoords[3][2])
{
    float e[2][3], ee[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
    {
        e[0][k] = corners[1][k] - corners[0][k];
        e[1][k] = corners[2][k] - corners[0][k];
        ee[0] += e[0][k] * e[0][k];
        ee[1] += e[0][k] * e[1][k];
        ee[2] += e[1][k] * e[1][k];
    }
    float determinant = ee[0] * ee[2] - ee[1] * ee[1];
    for (int c = 0; c < 2; c++)
    {
        float a = texcoords[1][c] - texcoords[0][c], b = texcoords[2][c] - texcoords[0][c];
        for (int k = 0; k < 3; k++)
            out[c][k] = determinant > 0.0f
                            ? ((a * ee[2] - b * ee[1]) * e[0][k] + (b * ee[0] - a * ee[1]) * e[1][k]) / determinant
                            : 0.0f;
    }
}

static sac_status check(const sac_mesh *mesh)
{
    if (mesh->triangle_count < 1 || mesh->triangle_count > 1 << 24)
        return sac_fail(SAC_ERROR_ARGUMENT, "%d triangles, expected 1..%d", mesh->triangle_count, 1 << 24);
    if (!mesh->positions || !mesh->normals) return sac_fail(SAC_ERROR_ARGUMENT, "no positions or no normals");
    for (size_t i = 0; i < (size_t)mesh->triangle_count * 9; i++)
        if (!(fabsf(mesh->positions[i]) < 1e18f) || !(fabsf(mesh->normals[i]) < 1e18f))
            return sac_fail(SAC_ERROR_ARGUMENT, "triangle %zu has a number that is not finite", i / 9);
    for (size_t i = 0; mesh->texcoords && i < (size_t)mesh->triangle_count * 6; i++)
        if (!(fabsf(mesh->texcoords[i]) < 1e18f))
            return sac_fail(SAC_ERROR_ARGUMENT, "triangle %zu has a texcoord that is not finite", i / 6);
    return SAC_OK;
}

// Copies triangles in the order of the tree's leaves.
static void copy_triangles(render_mesh *out, const sac_mesh *mesh, const int32_t *order)
{
    for (int i = 0; i < out->triangle_count; i++)
    {
        size_t from = (size_t)order[i];
        memcpy(out->corners[i], mesh->positions + from * 9, sizeof out->corners[i]);
        memcpy(out->normals[i], mesh->normals + from * 9, sizeof out->normals[i]);
        if (!out->texcoords || !mesh->texcoords) continue;
        memcpy(out->texcoords[i], mesh->texcoords + from * 6, sizeof out->texcoords[i]);
        find_slopes(out->slopes[i], (const float(*)[3])out->corners[i], (const float(*)[2])out->texcoords[i]);
    }
}

void sac_render_mesh_release(render_mesh *mesh)
{
    sac_free(mesh->order);
    sac_free(mesh->nodes);
    sac_free(mesh->corners);
    sac_free(mesh->normals);
    sac_free(mesh->texcoords);
    sac_free(mesh->slopes);
    *mesh = (render_mesh){0};
}

sac_status sac_render_mesh_move(render_mesh *mesh, const sac_mesh *corners)
{
    SAC_ASSERT(mesh->order && corners->triangle_count == mesh->triangle_count);
    SAC_ASSERT(!mesh->texcoords || corners->texcoords);
    SAC_TRY(check(corners));
    copy_triangles(mesh, corners, mesh->order);
    sac_render_tree_fit(mesh);
    memcpy(mesh->low, mesh->nodes[0].low, sizeof mesh->low);
    memcpy(mesh->high, mesh->nodes[0].high, sizeof mesh->high);
    return SAC_OK;
}

sac_status sac_render_mesh_create(render_mesh *out, const sac_mesh *mesh, bool moves)
{
    SAC_TRY(check(mesh));
    size_t count = (size_t)mesh->triangle_count;
    *out = (render_mesh){.triangle_count = mesh->triangle_count, .node_count = 1};
    out->order = sac_alloc_array(count, sizeof *out->order);
    out->nodes = SAC_NEW_ARRAY(render_node, 2 * count);
    out->corners = sac_alloc_array(count, sizeof *out->corners);
    out->normals = sac_alloc_array(count, sizeof *out->normals);
    out->texcoords = mesh->texcoords ? sac_alloc_array(count, sizeof *out->texcoords) : NULL;
    out->slopes = mesh->texcoords ? sac_alloc_array(count, sizeof *out->slopes) : NULL;
    if (!out->order || !out->nodes || !out->corners || !out->normals ||
        (mesh->texcoords && (!out->texcoords || !out->slopes)))
    {
        sac_render_mesh_release(out);
        return sac_fail_memory("a mesh");
    }
    sac_status status = sac_render_tree_build(out, mesh);
    if (status != SAC_OK)
    {
        sac_render_mesh_release(out);
        return status;
    }
    copy_triangles(out, mesh, out->order);
    memcpy(out->low, out->nodes[0].low, sizeof out->low);
    memcpy(out->high, out->nodes[0].high, sizeof out->high);
    if (moves) return SAC_OK;
    sac_free(out->order);
    out->order = NULL;
    return SAC_OK;
}
