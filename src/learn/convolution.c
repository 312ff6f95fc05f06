#include <string.h>

#include "learn/layer.h"

/// Convolution of a picture [height, width, channels] as a product of matrices: each place's patch becomes a row of
/// `patches` [places, patch patch channels], in the order row, column, channel.

typedef struct places
{
    int rows, columns, line, size; // line: numbers in a row of a patch
} places;

static places places_of(const sac_convolution *c)
{
    places p = {.line = c->patch * c->channels, .size = c->patch * c->patch * c->channels};
    sac_convolution_size(c, &p.rows, &p.columns);
    return p;
}

// the part of a patch's row that lies in the picture: `count` numbers from number `from` on, at `at` of the picture
static bool line_inside(const sac_convolution *c, int row, int column, int line, int *from, int *count, ptrdiff_t *at)
{
    int y = row * c->stride + line - c->padding, x = column * c->stride - c->padding;
    int first = x < 0 ? -x : 0, last = x + c->patch > c->width ? c->width - x : c->patch;
    if (y < 0 || y >= c->height || first >= last) return false;
    *from = first * c->channels;
    *count = (last - first) * c->channels;
    *at = ((ptrdiff_t)y * c->width + x + first) * c->channels;
    return true;
}

static void gather(const sac_convolution *c, const places *p, float *patches, const float *x)
{
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column < p->columns; column++)
            for (int line = 0; line < c->patch; line++, patches += p->line)
            {
                int from, count;
                ptrdiff_t at;
                bool inside = line_inside(c, row, column, line, &from, &count, &at);
                if (!inside || count < p->line) memset(patches, 0, (size_t)p->line * sizeof *patches);
                if (inside) memcpy(patches + from, x + at, (size_t)count * sizeof *patches);
            }
}

// Backward: the gradients of overlapping patches are summed into the pixels in the order of patches.
static void scatter(const sac_convolution *c, const places *p, float *dx, const float *patches)
{
    memset(dx, 0, (size_t)c->height * (size_t)c->width * (size_t)c->channels * sizeof *dx);
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column < p->columns; column++)
            for (int line = 0; line < c->patch; line++, patches += p->line)
            {
                int from, count;
                ptrdiff_t at;
                if (!line_inside(c, row, column, line, &from, &count, &at)) continue;
                for (int i = 0; i < count; i++) dx[at + i] += patches[from + i];
            }
}

void LAYER(convolution_forward)(const sac_learn *l, const sac_convolution *c, float *out, const float *x,
                                const float *weights, const float *bias, float *workspace)
{
    places p = places_of(c);
    gather(c, &p, workspace, x);
    // out[place][o] = f(bias[o] + sum_i patches[place][i] weights[o][i])
    LAYER(linear_forward)(l, out, workspace, weights, bias, p.rows * p.columns, p.size, c->outputs, c->activation);
}

void LAYER(convolution_backward)(const sac_learn *l, const sac_convolution *c, float *dx, float *dweights, float *dbias,
                                 const float *dout, const float *x, const float *weights, float *workspace)
{
    places p = places_of(c);
    int count = p.rows * p.columns;
    // gradient with respect to weights and bias of bias[o] + sum_i patches[place][i] weights[o][i]
    if (dweights) gather(c, &p, workspace, x);
    LAYER(linear_backward)(l, NULL, dweights, dbias, dout, workspace, weights, count, p.size, c->outputs);
    // gradient with respect to the patches, and from there to the picture's pixels
    if (!dx) return;
    LAYER(linear_backward)(l, workspace, NULL, NULL, dout, NULL, weights, count, p.size, c->outputs);
    scatter(c, &p, dx, workspace);
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
