#include <string.h>

#include "base/lanes/level.h"
#include "learn/layer.h"

/// Convolutions of 3 x 3 places with stride 1 by tiles of 2 x 2 outputs, F(2 x 2, 3 x 3) of Lavin and Gray 2016 after
/// Winograd: with d the 4 x 4 pixels under a tile and g a filter,
///
///     out = A^T ((G g G^T) * (B^T d B)) A,       B^T = | 1  0 -1  0 |   G = | 1    0   0  |   A^T = | 1 1  1  0 |
///                                                      | 0  1  1  0 |       | 1/2  1/2 1/2|         | 0 1 -1 -1 |
///                                                      | 0 -1  1  0 |       | 1/2 -1/2 1/2|
///                                                      | 0  1  0 -1 |       | 0    0   1  |
///
/// where * goes over 16 positions, each of which is a product of matrices [tiles, channels] [channels, outputs]: 16
/// multiplications in place of 36. Gradients go the same way: that of the pictures is the convolution of dout by the
/// filters turned around, and that of the filters is G^T ((A dout A^T) * (B^T d B)) G, summed over tiles in their
/// order. Channels and outputs are multiples of SAC_LANES.

enum
{
    POSITIONS = 16
};

// the tiles of all pictures
typedef struct tiles
{
    const sac_convolution *c;
    int rows, columns, all; // of a picture, and of all pictures
} tiles;

static tiles tiles_of(const sac_convolution *c)
{
    tiles t = {.c = c, .rows = (c->height + 1) / 2, .columns = (c->width + 1) / 2};
    t.all = t.rows * t.columns * (c->pictures > 0 ? c->pictures : 1);
    return t;
}

// where tile `index` begins: its picture, and its first output's row and column
static void tile_at(const tiles *t, int index, int *picture, int *row, int *column)
{
    const int each = t->rows * t->columns;
    *picture = index / each;
    *row = index % each / t->columns * 2;
    *column = index % t->columns * 2;
}

// pixels count x count from (row, column) on; those outside are zeros
static void point_at(const tiles *t, const float **pixels, const float *x, int size, int index, int first, int count,
                     const float *zeros)
{
    int picture, row, column;
    tile_at(t, index, &picture, &row, &column);
    for (int i = 0; i < count * count; i++)
    {
        const int y = row + first + i / count, z = column + first + i % count;
        const bool inside = y >= 0 && y < t->c->height && z >= 0 && z < t->c->width;
        const ptrdiff_t at = ((ptrdiff_t)picture * t->c->height + y) * t->c->width + z;
        pixels[i] = inside ? x + at * size : zeros;
    }
}

// B^T of four numbers `step` apart
LANES void input_line(lanes *d, int step)
{
    const lanes a = d[0], b = d[step], c = d[2 * step], e = d[3 * step];
    d[0] = lanes_sub(a, c);
    d[step] = lanes_add(b, c);
    d[2 * step] = lanes_sub(c, b);
    d[3 * step] = lanes_sub(b, e);
}

// B^T d B of a tile's pixels: v [16, position]
static void input_tile(float *v, ptrdiff_t position, const float *const *pixels, int size)
{
    for (int c = 0; c < size; c += SAC_LANES)
    {
        lanes d[POSITIONS];
        for (int i = 0; i < POSITIONS; i++) d[i] = lanes_load(pixels[i] + c);
        for (int i = 0; i < 4; i++) input_line(d + i, 4);
        for (int i = 0; i < 4; i++) input_line(d + 4 * i, 1);
        for (int i = 0; i < POSITIONS; i++) lanes_store(v + i * position + c, d[i]);
    }
}

// A^T m A of a tile: m [16, position] to the outputs that lie in the picture, NULL for the others
static void output_tile(float *const *outs, const float *m, ptrdiff_t position, int size, bool add)
{
    for (int c = 0; c < size; c += SAC_LANES)
    {
        lanes d[POSITIONS], half[8], out[4];
        for (int i = 0; i < POSITIONS; i++) d[i] = lanes_load(m + i * position + c);
        for (int i = 0; i < 4; i++)
        {
            half[i] = lanes_add(lanes_add(d[i], d[4 + i]), d[8 + i]);
            half[4 + i] = lanes_sub(lanes_sub(d[4 + i], d[8 + i]), d[12 + i]);
        }
        for (int i = 0; i < 2; i++)
        {
            const lanes *h = half + 4 * i;
            out[2 * i] = lanes_add(lanes_add(h[0], h[1]), h[2]);
            out[2 * i + 1] = lanes_sub(lanes_sub(h[1], h[2]), h[3]);
        }
        for (int i = 0; i < 4; i++)
            if (outs[i]) lanes_store(outs[i] + c, add ? lanes_add(lanes_load(outs[i] + c), out[i]) : out[i]);
    }
}

// A d A^T of a tile's four gradients: v [16, position]
static void gradient_tile(float *v, ptrdiff_t position, const float *const *pixels, int size)
{
    for (int c = 0; c < size; c += SAC_LANES)
    {
        lanes d[4], half[8], out[POSITIONS];
        for (int i = 0; i < 4; i++) d[i] = lanes_load(pixels[i] + c);
        for (int i = 0; i < 2; i++)
        {
            half[i] = d[i];
            half[2 + i] = lanes_add(d[i], d[2 + i]);
            half[4 + i] = lanes_sub(d[i], d[2 + i]);
            half[6 + i] = lanes_negate(d[2 + i]);
        }
        for (int i = 0; i < 4; i++)
        {
            const lanes a = half[2 * i], b = half[2 * i + 1];
            out[4 * i] = a;
            out[4 * i + 1] = lanes_add(a, b);
            out[4 * i + 2] = lanes_sub(a, b);
            out[4 * i + 3] = lanes_negate(b);
        }
        for (int i = 0; i < POSITIONS; i++) lanes_store(v + i * position + c, out[i]);
    }
}

// --- filters ---

// G of three numbers: (a, (a + b + c) / 2, (a - b + c) / 2, c)
LANES void filter_line(lanes out[4], lanes a, lanes b, lanes c)
{
    const lanes half = lanes_set(0.5f), ends = lanes_add(a, c);
    out[0] = a;
    out[1] = lanes_mul(half, lanes_add(ends, b));
    out[2] = lanes_mul(half, lanes_sub(ends, b));
    out[3] = c;
}

// G g G^T of 16 channels of a filter [3, 3, C], turned around or not
LANES void filter_tile(lanes out[POSITIONS], const float *weights, int channels, bool back)
{
    lanes g[9], half[12], line[4];
    for (int i = 0; i < 9; i++) g[i] = lanes_load(weights + (ptrdiff_t)(back ? 8 - i : i) * channels);
    for (int i = 0; i < 3; i++)
    {
        filter_line(line, g[i], g[3 + i], g[6 + i]);
        for (int k = 0; k < 4; k++) half[3 * k + i] = line[k];
    }
    for (int k = 0; k < 4; k++) filter_line(out + 4 * k, half[3 * k], half[3 * k + 1], half[3 * k + 2]);
}

void LAYER(winograd_weights)(const sac_learn *l, const sac_convolution *c, float *u, const float *weights, bool back)
{
    (void)l;
    const int channels = c->channels, outputs = c->outputs;
    const ptrdiff_t position = (ptrdiff_t)channels * outputs;
    _Alignas(64) float block[POSITIONS][SAC_LANES][SAC_LANES];
    for (int o = 0; o < outputs; o += SAC_LANES)
        for (int k = 0; k < channels; k += SAC_LANES)
        {
            for (int i = 0; i < SAC_LANES; i++)
            {
                lanes tile[POSITIONS];
                filter_tile(tile, weights + (ptrdiff_t)(o + i) * 9 * channels + k, channels, back);
                for (int p = 0; p < POSITIONS; p++)
                    lanes_store(back ? u + p * position + (ptrdiff_t)(o + i) * channels + k : block[p][i], tile[p]);
            }
            // forward wants [channels, outputs]
            for (int p = 0; !back && p < POSITIONS; p++)
                for (int j = 0; j < SAC_LANES; j++)
                {
                    float *restrict line = u + p * position + (ptrdiff_t)(k + j) * outputs + o;
                    for (int i = 0; i < SAC_LANES; i++) line[i] = block[p][i][j];
                }
        }
}

// adds G^T s G to a filter's gradient [3, 3, C]
static void add_filter(float *dweights, const float *s, ptrdiff_t position, int channels)
{
    const lanes half = lanes_set(0.5f);
    for (int c = 0; c < channels; c += SAC_LANES)
    {
        lanes d[POSITIONS], part[12];
        for (int i = 0; i < POSITIONS; i++) d[i] = lanes_load(s + i * position + c);
        for (int i = 0; i < 4; i++)
        {
            const lanes sum = lanes_mul(half, lanes_add(d[4 + i], d[8 + i]));
            part[i] = lanes_add(d[i], sum);
            part[4 + i] = lanes_mul(half, lanes_sub(d[4 + i], d[8 + i]));
            part[8 + i] = lanes_add(sum, d[12 + i]);
        }
        for (int i = 0; i < 3; i++)
        {
            const lanes *h = part + 4 * i, sum = lanes_mul(half, lanes_add(h[1], h[2]));
            const lanes line[3] = {lanes_add(h[0], sum), lanes_mul(half, lanes_sub(h[1], h[2])), lanes_add(sum, h[3])};
            for (int j = 0; j < 3; j++)
            {
                float *at = dweights + (ptrdiff_t)(3 * i + j) * channels + c;
                lanes_store(at, lanes_add(lanes_load(at), line[j]));
            }
        }
    }
}

// --- pictures ---

// out [pictures, H, W, outputs] (+)= the pictures x [..., channels] by filters u [16, channels, outputs]
static void convolve(const sac_learn *l, const tiles *t, float *out, const float *x, const float *u, int channels,
                     int outputs, bool add, float *workspace)
{
    static const float zeros[SAC_WINOGRAD_CHANNELS];
    const ptrdiff_t from = (ptrdiff_t)SAC_WINOGRAD_BLOCK * channels, to = (ptrdiff_t)SAC_WINOGRAD_BLOCK * outputs;
    float *v = workspace, *m = v + POSITIONS * from;
    for (int first = 0; first < t->all; first += SAC_WINOGRAD_BLOCK)
    {
        const int count = t->all - first < SAC_WINOGRAD_BLOCK ? t->all - first : SAC_WINOGRAD_BLOCK;
        const float *pixels[POSITIONS];
        for (int i = 0; i < count; i++)
        {
            point_at(t, pixels, x, channels, first + i, -1, 4, zeros);
            input_tile(v + (ptrdiff_t)i * channels, from, pixels, channels);
        }
        for (int p = 0; p < POSITIONS; p++)
            layer_gemm(l, (sac_gemm){.rows = count,
                                     .columns = outputs,
                                     .inner = channels,
                                     .a = v + p * from,
                                     .a_row = channels,
                                     .a_column = 1,
                                     .b = u + (ptrdiff_t)p * channels * outputs,
                                     .b_row = outputs,
                                     .b_column = 1,
                                     .out = m + p * to,
                                     .out_row = outputs});
        for (int i = 0; i < count; i++)
        {
            point_at(t, pixels, out, outputs, first + i, 0, 2, NULL);
            float *outs[4] = {(float *)pixels[0], (float *)pixels[1], (float *)pixels[2], (float *)pixels[3]};
            output_tile(outs, m + (ptrdiff_t)i * outputs, to, outputs, add);
        }
    }
}

void LAYER(winograd_forward)(const sac_learn *l, const sac_convolution *c, float *out, const float *x, const float *u,
                             float *workspace)
{
    const tiles t = tiles_of(c);
    convolve(l, &t, out, x, u, c->channels, c->outputs, false, workspace);
}

static void filters_backward(const sac_learn *l, const tiles *t, float *dweights, const float *dout, const float *x,
                             float *workspace)
{
    static const float zeros[SAC_WINOGRAD_CHANNELS];
    const int channels = t->c->channels, outputs = t->c->outputs;
    const ptrdiff_t from = (ptrdiff_t)SAC_WINOGRAD_BLOCK * channels, to = (ptrdiff_t)SAC_WINOGRAD_BLOCK * outputs;
    const ptrdiff_t position = (ptrdiff_t)channels * outputs;
    float *v = workspace, *w = v + POSITIONS * from, *s = w + POSITIONS * to;
    for (int first = 0; first < t->all; first += SAC_WINOGRAD_BLOCK)
    {
        const int count = t->all - first < SAC_WINOGRAD_BLOCK ? t->all - first : SAC_WINOGRAD_BLOCK;
        const float *pixels[POSITIONS];
        for (int i = 0; i < count; i++)
        {
            point_at(t, pixels, x, channels, first + i, -1, 4, zeros);
            input_tile(v + (ptrdiff_t)i * channels, from, pixels, channels);
            point_at(t, pixels, dout, outputs, first + i, 0, 2, zeros);
            gradient_tile(w + (ptrdiff_t)i * outputs, to, pixels, outputs);
        }
        for (int p = 0; p < POSITIONS; p++)
            layer_gemm(l, (sac_gemm){.rows = outputs,
                                     .columns = channels,
                                     .inner = count,
                                     .a = w + p * to,
                                     .a_row = 1,
                                     .a_column = outputs,
                                     .b = v + p * from,
                                     .b_row = channels,
                                     .b_column = 1,
                                     .out = s + p * position,
                                     .out_row = channels,
                                     .add = first > 0});
    }
    for (int o = 0; o < outputs; o++)
        add_filter(dweights + (ptrdiff_t)o * 9 * channels, s + (ptrdiff_t)o * channels, position, channels);
}

void LAYER(winograd_backward)(const sac_learn *l, const sac_convolution *c, float *dx, float *dweights,
                              const float *dout, const float *x, const float *u, float *workspace)
{
    const tiles t = tiles_of(c);
    if (dweights) filters_backward(l, &t, dweights, dout, x, workspace);
    if (dx) convolve(l, &t, dx, dout, u, c->outputs, c->channels, c->add, workspace);
}
