#pragma once

#include "table_scene.h"

/// Depth pictures that the renderer drew and noise was added to. Those of tests/cloud/data are of this size, as
/// record.c wrote them; larger ones are written when they are needed.

enum
{
    RECORDED_PICTURES = 3,
    RECORDED_HEIGHT = 120,
    RECORDED_WIDTH = 160,
    RECORDED_MOST = 480 * 640 // pixels of the larger ones
};

static inline table_scene recorded_scene(int index)
{
    return table_make(100 + (uint64_t)index);
}

static inline table_picture recorded_take(int index, int height, int width)
{
    static const double azimuths[] = {0.3, 2, 4.4}, elevations[] = {0.9, 1.1, 1.4};
    const table_scene scene = recorded_scene(index);
    const table_camera camera = {height, width, 0.8, azimuths[index], elevations[index], 0.001, 0.02};
    return table_take(&scene, &camera, 100 + (uint64_t)index);
}
