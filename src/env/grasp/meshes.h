#pragma once

#include "env/grasp/objects.h"
#include "env/mujoco/mujoco.h"
#include "files/growing.h"

/// Meshes of a user's in place of things of simple solids: .obj and .stl files. Physics takes the convex hull of each
/// and pictures the mesh itself, both by MuJoCo.

enum
{
    GRASP_MOST_MESHES = 256
};

typedef struct grasp_mesh
{
    char *path;
    grasp_object object; ///< whose one solid is the box about the mesh along its file's axes
    grip_weight weight;  ///< of its hull
} grasp_mesh;

typedef struct grasp_meshes
{
    grasp_mesh *all; ///< [count]
    int count;
    double scale;
} grasp_meshes;

/// Read a folder of files, in the order of their names' bytes, or one file. Each file is loaded once, alone, so that
/// what is wrong with it is said of it.
/// @param      scale   m that the files' 1 stands for
/// @param[out] meshes  released by sac_grasp_meshes_close, also after a failure
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT, SAC_ERROR_ARGUMENT for a mesh that is too large or too small to be grasped
SAC_CHECKED sac_status sac_grasp_meshes_open(grasp_meshes *meshes, const sac_mujoco *mj, const char *path,
                                             double scale);

void sac_grasp_meshes_close(grasp_meshes *meshes);

/// Write the meshes as MuJoCo's assets "mesh0" and so on.
void sac_grasp_meshes_add_assets(sac_growing *text, const grasp_meshes *meshes);

/// Write a geom of each, "mesh0" and so on, far below the table, where it touches nothing and is not seen: what an
/// episode's things are is copied from there.
void sac_grasp_meshes_add_shelf(sac_growing *text, const grasp_meshes *meshes);
