#pragma once

#include "render/assets.h"

/// The tree of boxes that rays walk through a mesh.

/// Make the nodes of a mesh, and the order in which its triangles stand in the leaves. Both have room.
/// @return SAC_OK or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_render_tree_build(render_mesh *out, const sac_mesh *mesh);

/// Fit the boxes of a tree that stays as it is to triangles that have moved.
void sac_render_tree_fit(render_mesh *mesh);
