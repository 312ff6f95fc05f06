#pragma once

#include "grip/solid.h"

/// The things that are grasped: families of things of simple solids, each with variants of its own sizes. Nothing here
/// needs a simulator.

enum
{
    GRASP_VARIANTS = 16, ///< of a family
    GRASP_SEEN = 10,     ///< families that are trained with: the first ones
    GRASP_UNSEEN = 5,    ///< and those that are kept for testing
    GRASP_FAMILIES = GRASP_SEEN + GRASP_UNSEEN,
    GRASP_OBJECTS = GRASP_FAMILIES * GRASP_VARIANTS, ///< object i is of family i / GRASP_VARIANTS
    GRASP_POSES = 3                                  ///< in which a thing can lie, at most
};

typedef struct grasp_object
{
    grip_thing thing;             ///< its origin is anywhere within it
    double density;               ///< kg/m^3
    double poses[GRASP_POSES][9]; ///< rotations with which it rests on a table
    int pose_count;
    float rgba[4];
} grasp_object;

/// "can", "bottle" and so on.
extern const char *const sac_grasp_families[GRASP_FAMILIES];

/// Make an object; all numbers follow from its index.
/// @param index  0..GRASP_OBJECTS - 1
void sac_grasp_object(grasp_object *object, int index);
