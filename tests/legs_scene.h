#pragma once

#include "world_scene.h"

/// Columns of the worlds `legs:*`.

enum
{
    X = 0,
    Y = 1,
    Z = 2,
    ROLL = 3,
    FELL = 6,
    CROSSED = 7,
    UNSOLVED = 8
};
