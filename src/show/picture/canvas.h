#pragma once

#include "saccade/base.h"

/// A picture to draw on. Everything is clipped at its edges.

typedef struct canvas
{
    uint8_t *rgb; ///< [height, width, 3]
    int height, width;
} canvas;

typedef struct box
{
    int x, y, width, height;
} box;

typedef struct ink
{
    uint8_t red, green, blue;
} ink;

/// Fill a box; opacity 0..1.
void sac_canvas_fill(const canvas *target, box where, ink color, float opacity);

/// Draw a one-pixel-wide frame inside the edges of a box.
void sac_canvas_outline(const canvas *target, box where, ink color, float opacity);

/// Stretch an image [height, width, channels] over a box by nearest neighbour. An image of fewer than three channels is
/// grey.
void sac_canvas_image(const canvas *target, box where, const uint8_t *image, int height, int width, int channels);

/// Write text in a stroke font of our own, anti-aliased and independent of any installed font. A character that is not
/// a letter, a digit or common punctuation of ASCII is drawn as a low dot.
/// @param x, baseline  where the first character starts and stands
/// @param size         height of a digit in pixels
void sac_canvas_text(const canvas *target, double x, double baseline, double size, ink color, const char *text);

/// The width in pixels by which sac_canvas_text advances.
double sac_text_width(double size, const char *text);
