#pragma once

/// The tip of arrows: a cone from z = 0, where its radius is 1, to z = 1, of as many sides as MuJoCo draws.

enum
{
    CONE_SIDES = 28,
    CONE_TRIANGLES = 2 * CONE_SIDES ///< with the disk below
};

typedef struct mjv_cone
{
    float positions[CONE_TRIANGLES * 9], normals[CONE_TRIANGLES * 9];
} mjv_cone;

void sac_mjv_make_cone(mjv_cone *out);
