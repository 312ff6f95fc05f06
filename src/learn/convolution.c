#include <string.h>

#include "learn/layer.h"

/// Convolution of pictures [height, width, channels] as a product of matrices: each place's patch becomes a row of
/// `patches` [places, patch patch channels], in the order row, column, channel. A block of places is taken at a time,
/// so that their patches stay in the second cache; a block may reach from one picture into the next.

typedef struct places
{
    int rows, columns, line, size; // line: numbers in a row of a patch
    int all, block;                // places of all pictures, and of a block
    ptrdiff_t picture;             // numbers in a picture
} places;

static places places_of(const sac_convolution *c)
{
    places p = {.line = c->patch * c->channels, .size = c->patch * c->patch * c->channels};
    sac_convolution_size(c, &p.rows, &p.columns);
    p.all = p.rows * p.columns * (c->pictures > 0 ? c->pictures : 1);
    p.block = sac_convolution_block(c);
    p.picture = (ptrdiff_t)c->height * c->width * c->channels;
    return p;
}

// the part of a patch's row that lies in the picture: `count` numbers from number `from` on, at `at` of the picture
static inline bool line_inside(const sac_convolution *c, int row, int column, int line, int *from, int *count,
                               ptrdiff_t *at)
{
    int y = row * c->stride + line - c->padding, x = column * c->stride - c->padding;
    int first = x < 0 ? -x : 0, last = x + c->patch > c->width ? c->width - x : c->patch;
    if (y < 0 || y >= c->height || first >= last) return false;
    *from = first * c->channels;
    *count = (last - first) * c->channels;
    *at = ((ptrdiff_t)y * c->width + x + first) * c->channels;
    return true;
}

// a place by its picture, row and column
typedef struct place
{
    int row, column;
    ptrdiff_t picture; // where its picture begins
} place;

static place place_at(const places *p, int index)
{
    const int in = p->rows * p->columns;
    return (place){index % in / p->columns, index % p->columns, index / in * p->picture};
}

static inline void next_place(const places *p, place *at)
{
    if (++at->column < p->columns) return;
    at->column = 0;
    if (++at->row < p->rows) return;
    at->row = 0;
    at->picture += p->picture;
}

// short lines are copied here: a call takes longer
static inline void copy_line(float *restrict to, const float *restrict from, int count)
{
    if (count >= SAC_LANES)
        memcpy(to, from, (size_t)count * sizeof *to);
    else
        for (int i = 0; i < count; i++) to[i] = from[i];
}

// the patches of places first..first+count-1
static void gather(const sac_convolution *c, const places *p, float *patches, const float *x, int first, int count)
{
    place now = place_at(p, first);
    for (int i = 0; i < count; i++, next_place(p, &now))
        for (int line = 0; line < c->patch; line++, patches += p->line)
        {
            int from, some;
            ptrdiff_t at;
            bool inside = line_inside(c, now.row, now.column, line, &from, &some, &at);
            if (!inside || some < p->line) memset(patches, 0, (size_t)p->line * sizeof *patches);
            if (inside) copy_line(patches + from, x + now.picture + at, some);
        }
}

static inline void add_line(float *restrict to, const float *restrict from, int count)
{
    for (int i = 0; i < count; i++) to[i] += from[i];
}

// Backward: the gradients of overlapping patches are summed into the pixels in the order of patches.
static void scatter(const sac_convolution *c, const places *p, float *dx, const float *patches, int first, int count)
{
    place now = place_at(p, first);
    for (int i = 0; i < count; i++, next_place(p, &now))
        for (int line = 0; line < c->patch; line++, patches += p->line)
        {
            int from, some;
            ptrdiff_t at;
            if (!line_inside(c, now.row, now.column, line, &from, &some, &at)) continue;
            add_line(dx + now.picture + at, patches + from, some);
        }
}

void LAYER(convolution_forward)(const sac_learn *l, const sac_convolution *c, float *out, const float *x,
                                const float *weights, const float *bias, float *workspace)
{
    const places p = places_of(c);
    for (int first = 0; first < p.all; first += p.block)
    {
        const int count = p.all - first < p.block ? p.all - first : p.block;
        gather(c, &p, workspace, x, first, count);
        // out[place][o] = f(bias[o] + sum_i patches[place][i] weights[o][i])
        LAYER(linear_forward)
        (l, out + (ptrdiff_t)first * c->outputs, workspace, weights, bias, count, p.size, c->outputs, c->activation);
    }
}

void LAYER(convolution_backward)(const sac_learn *l, const sac_convolution *c, float *dx, float *dweights, float *dbias,
                                 const float *dout, const float *x, const float *weights, float *workspace)
{
    const places p = places_of(c);
    const size_t pictures = (size_t)(c->pictures > 0 ? c->pictures : 1);
    if (dx && !c->add) memset(dx, 0, pictures * (size_t)p.picture * sizeof *dx);
    for (int first = 0; first < p.all; first += p.block)
    {
        const int count = p.all - first < p.block ? p.all - first : p.block;
        const float *dplaces = dout + (ptrdiff_t)first * c->outputs;
        // gradient with respect to weights and bias of bias[o] + sum_i patches[place][i] weights[o][i]
        if (dweights) gather(c, &p, workspace, x, first, count);
        LAYER(linear_backward)(l, NULL, dweights, dbias, dplaces, workspace, weights, count, p.size, c->outputs);
        // gradient with respect to the patches, and from there to the pictures' pixels
        if (!dx) continue;
        LAYER(linear_backward)(l, workspace, NULL, NULL, dplaces, NULL, weights, count, p.size, c->outputs);
        scatter(c, &p, dx, workspace, first, count);
    }
}

/// Pooling over squares of a picture.

void LAYER(pooling_forward)(const sac_learn *l, const sac_pooling *p, float *out, const float *x)
{
    (void)l;
    int rows, columns;
    sac_pooling_size(p, &rows, &columns);
    const ptrdiff_t pitch = (ptrdiff_t)p->width * p->channels;
    const float share = 1.0f / (float)(p->patch * p->patch);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++, out += p->channels)
        {
            const float *from = x + row * p->stride * pitch + (ptrdiff_t)column * p->stride * p->channels;
            for (int c = 0; c < p->channels; c++) out[c] = p->average ? 0.0f : from[c];
            for (int i = 0; i < p->patch * p->patch; i++)
            {
                const float *pixel = from + i / p->patch * pitch + (ptrdiff_t)(i % p->patch) * p->channels;
                // out = the sum, or the largest, over the square
                for (int c = 0; c < p->channels; c++)
                    out[c] = p->average ? out[c] + pixel[c] : pixel[c] > out[c] ? pixel[c] : out[c];
            }
            for (int c = 0; p->average && c < p->channels; c++) out[c] *= share;
        }
}

void LAYER(pooling_backward)(const sac_learn *l, const sac_pooling *p, float *dx, const float *dout, const float *x)
{
    (void)l;
    int rows, columns;
    sac_pooling_size(p, &rows, &columns);
    const ptrdiff_t pitch = (ptrdiff_t)p->width * p->channels;
    const float share = 1.0f / (float)(p->patch * p->patch);
    memset(dx, 0, (size_t)p->height * (size_t)pitch * sizeof *dx);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            for (int c = 0; c < p->channels; c++, dout++)
            {
                ptrdiff_t corner = row * p->stride * pitch + (ptrdiff_t)column * p->stride * p->channels + c;
                ptrdiff_t best = corner;
                for (int i = 0; i < p->patch * p->patch; i++)
                {
                    ptrdiff_t at = corner + i / p->patch * pitch + (ptrdiff_t)(i % p->patch) * p->channels;
                    // average pooling sends the gradient to every pixel, max pooling to the largest alone
                    if (p->average)
                        dx[at] += share * *dout;
                    else if (x[at] > x[best])
                        best = at;
                }
                if (!p->average) dx[best] += *dout;
            }
}
