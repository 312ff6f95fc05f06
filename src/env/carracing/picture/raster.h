#pragma once

#include "saccade/base.h"

/// Areas of polygons, exactly, and their colours. An edge of a polygon adds to each cell that it passes the area that
/// lies below it, as a difference to the row above, so that running sums down the columns give the coverage of every
/// pixel. Sums run along rows of cells and so vectorise. All CPU levels give the same bits.

enum
{
    CAR_SPARE_ROWS = 3
};

/// A plane of cells: row r of column c at cells[r * stride + c]. CAR_SPARE_ROWS more than `height` are there for
/// edges that leave at the bottom.
typedef struct car_plane
{
    float *cells; ///< [height + CAR_SPARE_ROWS, stride]
    int width, height;
    int stride; ///< a multiple of 16, at least width
} car_plane;

/// An edge in pixels, x to the right and y down. A polygon goes clockwise on the screen.
typedef struct car_edge
{
    float x0, y0, x1, y1;
    float weight; ///< what full coverage adds
    float shade;  ///< the same for the second plane of add_two
} car_edge;

/// What is drawn over the field in a box of columns and rows: coverage 0..1, one plane each. None hides another: where
/// the hull is above a wheel, the wheel is left out. A stripe is a part of its wheel.
typedef struct car_figure
{
    int column, row; ///< of the box's upper left corner in the picture; the column a multiple of 16
    car_plane wheel, stripe, hull;
} car_figure;

/// Colours, 0..255, and what is added before they are cut to whole numbers.
typedef struct car_inks
{
    float grass[3], square[3], road[3], side_road[3]; ///< square: what a light square adds to the grass
    float wheel, stripe, hull[3];
    float offset;
} car_inks;

/// The planes of the field.
typedef struct car_layers
{
    car_plane road;      ///< coverage by the road and its kerbs
    car_plane shade;     ///< what tiles and kerbs add to the road's colour
    car_plane red;       ///< what red kerbs add to red besides
    car_plane square;    ///< light squares of grass
    car_plane field;     ///< the playfield, black outside
    car_plane side_road; ///< the second road of the variant fake-lane, under the road
    bool has_side_road;  ///< whether a second road is in view; then not plain
    bool has_red;        ///< whether a red kerb is in view; otherwise red is not read
    bool plain; ///< neither the field's edge nor a crossing is in view, and grass, squares and road are as red and
                ///< blue as one another: field is then not read
} car_layers;

typedef struct car_raster
{
    /// Add edges to a plane.
    void (*add)(const car_plane *plane, const car_edge *edges, int count);
    /// Add edges to two planes of the same size: weight to the first, shade to the second.
    void (*add_two)(const car_plane *plane, const car_plane *second, const car_edge *edges, int count);
    /// Turn a plane's differences into coverage, cut to 0..1.
    void (*settle)(const car_plane *plane);
    /// Turn all planes into colours, rgb [height, width, 3], and clear them.
    void (*compose)(const car_layers *layers, const car_figure *figure, const car_inks *inks, uint8_t *rgb);
} car_raster;

/// The functions for the CPU level in use.
const car_raster *sac_car_raster(void);
extern const car_raster sac_car_raster_scalar, sac_car_raster_neon, sac_car_raster_avx2, sac_car_raster_avx512;
