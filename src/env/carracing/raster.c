#include "env/carracing/raster.h"

#include <string.h>

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
    // the edge passes several rows: coverage grows as a parabola, a line, a parabola
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
    walk(p, second, x0, 0, x1, 0, weight, shade);
}

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
    if (x0 < x1) walk(p, second, x0, least(y0, height), x1, least(y1, height), weight, shade);
}

static void add(const car_plane *plane, const car_edge *edges, int count)
{
    for (int i = 0; i < count; i++) add_edge(plane, NULL, &edges[i]);
}

static void add_two(const car_plane *plane, const car_plane *second, const car_edge *edges, int count)
{
    for (int i = 0; i < count; i++) add_edge(plane, second->cells, &edges[i]);
}

static void settle(const car_plane *plane)
{
    float *cells = plane->cells;
    int stride = plane->stride;
    for (int i = stride; i < plane->height * stride; i++) cells[i] += cells[i - stride];
    for (int i = 0; i < plane->height * stride; i++) cells[i] = most(least(cells[i], 1), 0);
}

static inline uint8_t byte(float value)
{
    return (uint8_t)(int)most(least(value, 255), 0);
}

/// Add a row of differences to the running sums and clear it.
static inline float take(float *restrict sums, float *restrict cells, int x)
{
    float sum = sums[x] + cells[x];
    sums[x] = sum;
    cells[x] = 0;
    return sum;
}

/// The running sums of the planes in one row.
typedef struct layer_row
{
    float *restrict road, *restrict shade, *restrict square, *restrict red, *restrict field;
    float *restrict sums[5];
} layer_row;

static layer_row row_of(const car_layers *l, int row)
{
    int stride = l->road.stride, at = row * stride;
    layer_row r = {l->road.cells + at, l->shade.cells + at, l->square.cells + at,
                   l->red.cells + at,  l->field.cells + at, {l->sums}};
    for (int i = 1; i < 5; i++) r.sums[i] = r.sums[i - 1] + stride;
    return r;
}

/// Where cells of a row of the picture lie in the figure's box.
static inline int figure_at(const car_figure *f, int row)
{
    return (row - f->row) * f->wheel.stride - f->column;
}

/// Colours of the pixels from..to of a row. `plain` and `figured` are constants where this is inlined.
static inline void colour(const car_layers *l, const car_figure *f, const car_inks *ink, int row, int from, int to,
                          const bool plain, const bool figured)
{
    int stride = l->road.stride, at = figured ? figure_at(f, row) : 0;
    layer_row r = row_of(l, row);
    uint8_t *restrict red = l->bytes, *restrict green = red + stride, *restrict blue = green + stride;
    const float *restrict wheel = f->wheel.cells + at, *restrict stripe = f->stripe.cells + at;
    const float *restrict hull = f->hull.cells + at;
    for (int x = from; x < to; x++)
    {
        float cover = take(r.sums[0], r.road, x), tint = take(r.sums[1], r.shade, x);
        float light = take(r.sums[2], r.square, x);
        float colours[3];
        if (plain)
        {
            float under = ink->grass[1] + light * ink->square[1];
            colours[0] = colours[2] = ink->road[0] + tint;
            colours[1] = under + least(cover, 1) * (ink->road[1] - under) + tint;
        }
        else
        {
            // where the road crosses itself, the mean of both
            float flag = take(r.sums[3], r.red, x), field = take(r.sums[4], r.field, x), share = 1 / most(cover, 1);
            cover = least(cover, 1);
            for (int c = 0; c < 3; c++)
            {
                float under = field * ink->grass[c] + light * ink->square[c];
                colours[c] = under + cover * (ink->road[c] - under) + share * (c == 0 ? tint + flag : tint);
            }
        }
        if (figured)
            for (int c = 0; c < 3; c++)
            {
                float below =
                    colours[c] + wheel[x] * (ink->wheel - colours[c]) + stripe[x] * (ink->stripe - ink->wheel);
                colours[c] = below + hull[x] * (ink->hull[c] - below);
            }
        red[x] = byte(colours[0] + ink->offset);
        green[x] = byte(colours[1] + ink->offset);
        blue[x] = byte(colours[2] + ink->offset);
    }
}

static void plain_row(const car_layers *l, const car_figure *f, const car_inks *ink, int row, int from, int to)
{
    colour(l, f, ink, row, from, to, true, false);
}

static void plain_figure_row(const car_layers *l, const car_figure *f, const car_inks *ink, int row, int from, int to)
{
    colour(l, f, ink, row, from, to, true, true);
}

static void full_row(const car_layers *l, const car_figure *f, const car_inks *ink, int row, int from, int to)
{
    colour(l, f, ink, row, from, to, false, false);
}

static void full_figure_row(const car_layers *l, const car_figure *f, const car_inks *ink, int row, int from, int to)
{
    colour(l, f, ink, row, from, to, false, true);
}

static void interleave(const car_layers *l, uint8_t *restrict out)
{
    const uint8_t *restrict red = l->bytes, *restrict green = red + l->road.stride;
    const uint8_t *restrict blue = green + l->road.stride;
    for (int x = 0; x < l->road.width; x++)
    {
        out[3 * x] = red[x];
        out[3 * x + 1] = green[x];
        out[3 * x + 2] = blue[x];
    }
}

static void compose(const car_layers *l, const car_figure *f, const car_inks *ink, uint8_t *rgb)
{
    int stride = l->road.stride, left = f->column, right = left + f->wheel.stride;
    memset(l->sums, 0, sizeof(float) * 5 * (size_t)stride);
    for (int row = 0; row < l->road.height; row++, rgb += (size_t)l->road.width * 3)
    {
        bool figured = row >= f->row && row < f->row + f->wheel.height;
        (l->plain ? plain_row : full_row)(l, f, ink, row, 0, figured ? left : stride);
        if (figured)
        {
            (l->plain ? plain_figure_row : full_figure_row)(l, f, ink, row, left, right);
            (l->plain ? plain_row : full_row)(l, f, ink, row, right, stride);
        }
        interleave(l, rgb);
    }
}

const car_raster SAC_LEVEL_NAME(sac_car_raster) = {
    .add = add, .add_two = add_two, .settle = settle, .compose = compose};
