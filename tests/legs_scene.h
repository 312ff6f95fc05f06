#pragma once

#include "world_scene.h"

/// The columns of worlds `legs:*`, for tests.

enum
{
    COLUMNS = 9,
    X = 0,
    Y = 1,
    Z = 2,
    ROLL = 3,
    FELL = 6,
    CROSSED = 7,
    UNSOLVED = 8
};
