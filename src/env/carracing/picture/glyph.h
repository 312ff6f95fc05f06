#pragma once

#include "env/carracing/picture/raster.h"

/// Digits and a minus sign as outlines of our own: a plain, heavy face drawn with an oval pen. They take the places of
/// the digits of Gymnasium's picture, in units of the 1000 x 800 scene.

/// Where a text goes: pixels of the plane, and pixels a unit.
typedef struct glyph_place
{
    double x, y; ///< left end of the text, top of its line
    double scale_x, scale_y;
} glyph_place;

/// The width of a text in units. Other characters than digits and '-' are blank.
double sac_glyph_width(const char *text);

/// Add a text's coverage to a plane; sac_car_raster's settle then cuts overlapping strokes to 1.
void sac_glyph_add(const car_raster *raster, const car_plane *plane, const char *text, const glyph_place *place);
