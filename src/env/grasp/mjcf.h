#pragma once

#include "env/grasp/meshes.h"
#include "env/grasp/objects.h"
#include "files/growing.h"

/// The model of a table, things on it and a hand, as MuJoCo's XML. The things have room for solids that are set in each
/// episode; the hand is moved by setting its place and speed, and its fingers by force.
///
/// Names: geom "table"; bodies "thing0" and so on with a free joint and GRIP_SOLIDS geoms each; body "hand" with a free
/// joint, camera "wrist" and geoms "palm", "left", "right"; joints and actuators "left" and "right"; cameras "camera"
/// and "people"; of meshes what meshes.h says.

/// Bits of what can touch.
enum
{
    GRASP_TABLE_BIT = 1,
    GRASP_THING_BIT = 2,
    GRASP_HAND_BIT = 4
};

/// Group of geoms that are not drawn: MuJoCo draws groups 0 to 2.
enum
{
    GRASP_HIDDEN = 4
};

typedef struct grasp_model_def
{
    int things;
    double step;        ///< seconds of physics
    double friction;    ///< of things
    double force;       ///< N of each finger, for the damping with which it closes
    double fov;         ///< degrees of the camera, vertically
    const char *meshes; ///< a folder or a file of a user's meshes; NULL or empty: things are of simple solids
    double mesh_scale;  ///< m that their 1 stands for
} grasp_model_def;

/// @param meshes  that things may be; empty: none
void sac_grasp_mjcf(sac_growing *text, const grasp_model_def *def, const grasp_meshes *meshes);
