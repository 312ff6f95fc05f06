#pragma once

#include "saccade/render.h"

/// Textures as blocks and meshes as trees of boxes.

enum
{
    TEXTURE_LEVELS = 16, ///< mipmaps of up to 2^14 texels and a table's spare
    TREE_DEPTH = 64,     ///< of a mesh, at most
    TREE_LEAF = 4        ///< triangles of a leaf, at most
};

/// Texel (x, y) with its right, lower and lower right neighbours is a block of 16 bytes: these four texels' reds, then
/// their greens, then their blues, so that a bilinear sample is one load.
typedef struct render_texture
{
    bool cube;
    int levels;                                          ///< mipmaps, the first is the picture itself
    float width[TEXTURE_LEVELS], height[TEXTURE_LEVELS]; ///< of each level; the last level's from there on
    int32_t columns[TEXTURE_LEVELS];                     ///< the same width
    int32_t face[TEXTURE_LEVELS];                        ///< blocks of one face
    int32_t first[TEXTURE_LEVELS];                       ///< block of the level
    uint8_t *blocks;
} render_texture;

/// A box of a tree: two more boxes at `first` and the next place, or `count` triangles from `first` on.
typedef struct render_node
{
    float low[3], high[3];
    int32_t first;
    int16_t count, axis; ///< 0 triangles: inner, its children apart along this axis
} render_node;

typedef struct render_mesh
{
    int triangle_count, node_count;
    render_node *nodes;     ///< nodes[0] is the root
    float (*corners)[3][3]; ///< [triangle_count], in the order of the leaves
    float (*normals)[3][3];
    float (*texcoords)[3][2]; ///< or NULL
    float (*slopes)[2][3];    ///< what each texcoord gains a metre along x, y, z; or NULL
    float low[3], high[3];
    int32_t *order; ///< of a mesh that moves: the caller's number of each triangle; else NULL
} render_mesh;

struct sac_render_assets
{
    render_texture *textures;
    int texture_count;
    render_mesh *meshes;
    int mesh_count;
    const sac_render_assets *base; ///< whose textures and first meshes these are; NULL: all are their own
};

SAC_CHECKED sac_status sac_render_texture_create(render_texture *out, const sac_texture *texture);
SAC_CHECKED sac_status sac_render_mesh_create(render_mesh *out, const sac_mesh *mesh, bool moves);
SAC_CHECKED sac_status sac_render_mesh_move(render_mesh *mesh, const sac_mesh *corners);
void sac_render_mesh_release(render_mesh *mesh);
