#include "env/carracing/picture/raster.h"

#include <string.h>

#include "base/lanes/vectors.h"

extern const car_raster SAC_LEVEL_NAME(sac_car_raster);

static inline float least(float a, float b)
{
    return a < b ? a : b;
}
static inline float most(float a, float b)
{
    return a > b ? a : b;
}

/// One column's share of an edge that falls from y = top to bottom: `area` is its signed width.
// Exact coverage by accumulation: an edge adds to a cell what it takes from the cells below it, so that a running sum
// down each column (`settle`) gives every pixel the share of its area that polygons cover. Within a pixel that share is
// the integral of the edge's line: a triangle or a trapezium, whose area is written out here.
static inline void add_column(float *cell, int stride, float area, float top, float bottom)
{
    int row = (int)top;
    float *c = cell + row * stride;
    if (bottom <= (float)(row + 1))
    {
        float below = area * (0.5f * (top + bottom) - (float)row);
        c[0] += area - below;
        c[stride] += below;
        return;
    }
    // The edge passes several rows: coverage grows as a parabola, then a line, then a parabola.
    float density = area / (bottom - top), part = (float)(row + 1) - top;
    float coverage = 0.5f * density * part * part;
    c[0] += coverage;
    for (row++, c += stride; bottom > (float)(row + 1); row++, c += stride)
    {
        float next = density * ((float)row + 0.5f - top);
        c[0] += next - coverage;
        coverage = next;
    }
    part = bottom - (float)row;
    float next = area - 0.5f * density * part * part;
    c[0] += next - coverage;
    c[stride] += area - next;
}

/// An edge inside the plane, x0 < x1.
static inline void walk(const car_plane *p, float *second, float x0, float y0, float x1, float y1, float weight,
                        float shade)
{
    float slope = (y1 - y0) / (x1 - x0);
    float low = least(y0, y1), high = most(y0, y1);
    float x = x0, y = y0;
    for (int column = (int)x0; x < x1; column++)
    {
        float next_x = least((float)(column + 1), x1);
        float next_y = least(most(y0 + (next_x - x0) * slope, low), high);
        float top = least(y, next_y), bottom = most(y, next_y);
        add_column(p->cells + column, p->stride, weight * (next_x - x), top, bottom);
        if (second) add_column(second + column, p->stride, shade * (next_x - x), top, bottom);
        x = next_x, y = next_y;
    }
}

/// An edge along or above the first row: all below it is covered.
static inline void walk_top(const car_plane *p, float *second, float x0, float x1, float weight, float shade)
{
    int first = (int)x0, last = (int)x1; // whole columns lie between first + 1 and last
    for (int column = first; column <= last && column < p->width; column++)
    {
        float share = least((float)(column + 1), x1) - most((float)column, x0);
        p->cells[column] += weight * share;
        if (second) second[column] += shade * share;
    }
}

// Clip an edge to the plane. What is left or right of it has no effect; what is above the first row counts as lying
// along it, because all below is covered; what is below the last row covers nothing.
static inline void add_edge(const car_plane *p, float *second, const car_edge *e)
{
    bool forward = e->x0 < e->x1;
    float x0 = forward ? e->x0 : e->x1, y0 = forward ? e->y0 : e->y1;
    float x1 = forward ? e->x1 : e->x0, y1 = forward ? e->y1 : e->y0;
    float weight = forward ? e->weight : -e->weight, shade = forward ? e->shade : -e->shade;
    float width = (float)p->width, height = (float)p->height;
    if (!(x0 < x1) || x1 <= 0 || x0 >= width || (y0 >= height && y1 >= height)) return;

    float slope = (y1 - y0) / (x1 - x0);
    if (x0 < 0) y0 -= x0 * slope, x0 = 0;
    if (x1 > width) y1 -= (x1 - width) * slope, x1 = width;
    if (y0 >= 0 && y0 <= height && y1 >= 0 && y1 <= height) // nearly all
    {
        walk(p, second, x0, y0, x1, y1, weight, shade);
        return;
    }
    if (y0 < 0)
    {
        if (y1 <= 0)
        {
            walk_top(p, second, x0, x1, weight, shade);
            return;
        }
        float x = least(most(x0 - y0 / slope, x0), x1);
        walk_top(p, second, x0, x, weight, shade);
        x0 = x, y0 = 0;
    }
    else if (y1 < 0)
    {
        float x = least(most(x1 - y1 / slope, x0), x1);
        walk_top(p, second, x, x1, weight, shade);
        x1 = x, y1 = 0;
    }
    if (y0 > height) x0 = least(most(x0 + (height - y0) / slope, x0), x1), y0 = height;
    if (y1 > height) x1 = least(most(x1 + (height - y1) / slope, x0), x1), y1 = height;
    // The last two tests keep out coordinates that are not numbers.
    if (x0 < x1 && y0 >= 0 && y1 >= 0) walk(p, second, x0, least(y0, height), x1, least(y1, height), weight, shade);
}

static void add(const car_plane *plane, const car_edge *edges, int count)
{
    for (int i = 0; i < count; i++) add_edge(plane, NULL, &edges[i]);
}

static void add_two(const car_plane *plane, const car_plane *second, const car_edge *edges, int count)
{
    for (int i = 0; i < count; i++) add_edge(plane, second->cells, &edges[i]);
}

// Differences down the columns become coverages, cut to 0..1: overlapping polygons cover once.
static void settle(const car_plane *plane)
{
    float *cells = plane->cells;
    int stride = plane->stride;
    for (int i = stride; i < plane->height * stride; i++) cells[i] += cells[i - stride];
    for (int i = 0; i < plane->height * stride; i++) cells[i] = most(least(cells[i], 1), 0);
}

enum
{
    BLOCK = 16,
    PARTS = BLOCK / LANES_COUNT
};

typedef uint8_t bytes __attribute__((vector_size(16)));

/// Add a row's differences to the running sum and clear them.
// The running sum and the clearing share one pass, so that the planes are ready for the next picture.
static inline lanes take(lanes *sum, float *cells)
{
    lanes *at = (lanes *)cells;
    *sum += *at;
    *at = (lanes){0};
    return *sum;
}

/// What is drawn beside the plain field, in a block of columns and a range of rows.
enum
{
    RED = 1,
    FULL = 2,
    FIGURE = 4,
    SIDE_ROAD = 8
};

static inline void colour(const car_layers *l, int at, lanes sums[6], const car_inks *ink, const int what, lanes out[3])
{
    lanes cover = take(&sums[0], l->road.cells + at), shade = take(&sums[1], l->shade.cells + at);
    lanes light = take(&sums[2], l->square.cells + at), over = lanes_min(cover, lanes_set(1));
    if (!(what & FULL))
    {
        lanes under = ink->grass[1] + light * ink->square[1];
        out[0] = out[2] = ink->road[0] + shade;
        out[1] = under + over * (ink->road[1] - under) + shade;
        if (what & RED) out[0] += take(&sums[3], l->red.cells + at);
        return;
    }
    // Where the road crosses itself, the colour is the mean of both.
    lanes flag = take(&sums[3], l->red.cells + at), field = take(&sums[4], l->field.cells + at);
    lanes share = 1 / lanes_max(cover, lanes_set(1));
    lanes side = what & SIDE_ROAD
                     ? lanes_max(lanes_min(take(&sums[5], l->side_road.cells + at), lanes_set(1)), lanes_set(0))
                     : lanes_set(0);
    for (int c = 0; c < 3; c++)
    {
        lanes under = field * ink->grass[c] + light * ink->square[c];
        if (what & SIDE_ROAD) under += side * (ink->side_road[c] - under);
        out[c] = under + over * (ink->road[c] - under) + share * (c == 0 ? shade + flag : shade);
    }
}

static inline void lay_figure(const car_figure *f, int at, const car_inks *ink, lanes colours[3])
{
    lanes wheel = *(const lanes *)(f->wheel.cells + at), stripe = *(const lanes *)(f->stripe.cells + at);
    lanes hull = *(const lanes *)(f->hull.cells + at);
    for (int c = 0; c < 3; c++)
    {
        colours[c] += (wheel * (ink->wheel - colours[c]) + hull * (ink->hull[c] - colours[c])) +
                      stripe * (ink->stripe - ink->wheel);
    }
}

static inline words quantise(lanes value, float offset)
{
    return words_truncate(lanes_max(lanes_min(value + offset, lanes_set(255)), lanes_set(0)));
}

/// 16 pixels of 4 bytes become 48 bytes.
static inline void pack(const bytes pixels[4], uint8_t *out)
{
    bytes packed[3] = {
        __builtin_shufflevector(pixels[0], pixels[1], 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20),
        __builtin_shufflevector(pixels[1], pixels[2], 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25),
        __builtin_shufflevector(pixels[2], pixels[3], 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25, 26, 28, 29, 30),
    };
    memcpy(out, packed, sizeof packed);
}

/// Rows from..to of the block that starts at a column.
static inline void rows(const car_layers *l, const car_figure *f, const car_inks *ink, lanes sums[PARTS][6], int column,
                        int from, int to, uint8_t *rgb, const int what)
{
    int width = l->road.width;
    for (int row = from; row < to; row++)
    {
        union
        {
            words parts[PARTS];
            bytes quarters[4];
        } pixels;
        for (int part = 0; part < PARTS; part++)
        {
            lanes colours[3];
            int x = column + part * LANES_COUNT;
            colour(l, row * l->road.stride + x, sums[part], ink, what, colours);
            if (what & FIGURE) lay_figure(f, (row - f->row) * f->hull.stride + x - f->column, ink, colours);
            pixels.parts[part] = quantise(colours[0], ink->offset) | quantise(colours[1], ink->offset) << 8 |
                                 quantise(colours[2], ink->offset) << 16;
        }
        uint8_t *out = rgb + ((size_t)row * (size_t)width + (size_t)column) * 3;
        if (column + BLOCK <= width)
            pack(pixels.quarters, out);
        else
        {
            uint8_t rest[3 * BLOCK];
            pack(pixels.quarters, rest);
            memcpy(out, rest, 3 * (size_t)(width - column));
        }
    }
}

static inline void block(const car_layers *l, const car_figure *f, const car_inks *ink, int column, uint8_t *rgb,
                         const int what)
{
    lanes sums[PARTS][6] = {0};
    int height = l->road.height, top = height, bottom = height;
    if (column >= f->column && column < f->column + f->hull.stride) top = f->row, bottom = top + f->hull.height;
    rows(l, f, ink, sums, column, 0, top, rgb, what);
    rows(l, f, ink, sums, column, top, bottom, rgb, what | FIGURE);
    rows(l, f, ink, sums, column, bottom, height, rgb, what);
}

// Most pictures have no crossing, no kerb and no edge of the field in view. A constant says what a block may hold, so
// that the compiler makes a loop for each case, without the layers that it does not need.
static void compose(const car_layers *l, const car_figure *f, const car_inks *ink, uint8_t *rgb)
{
    for (int column = 0; column < l->road.width; column += BLOCK)
    {
        if (l->has_side_road)
            block(l, f, ink, column, rgb, FULL | RED | SIDE_ROAD);
        else if (!l->plain)
            block(l, f, ink, column, rgb, FULL | RED);
        else if (l->has_red)
            block(l, f, ink, column, rgb, RED);
        else
            block(l, f, ink, column, rgb, 0);
    }
}

const car_raster SAC_LEVEL_NAME(sac_car_raster) = {
    .add = add, .add_two = add_two, .settle = settle, .compose = compose};
