#include "learn/layer.h"

/// What patches say of their projection's weights: token[o][n] = bias[o] + sum_i weights[o][i] pixel[n][i] / 255. The
/// forward pass is the kernels' project_bytes.

static inline void convert(float *restrict out, const uint8_t *restrict bytes, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) out[i] = (float)bytes[i];
}

// whole vectors are read and written, up to 15 numbers too many
static inline void copy(float *restrict out, const float *restrict from, int count)
{
    for (int i = 0; i < count; i += SAC_LANES) memcpy(out + i, from + i, SAC_LANES * sizeof *out);
}

// patches of `rows` rows of the grid, [rows columns, patch size], by way of lines of the image as floats. The
// numbers that are written past the end of a patch's line are overwritten by the next line.
static void gather(float *out, float *lines, const uint8_t *image, const sac_patches *p, int first, int rows)
{
    const int line = p->patch * p->channels, step = p->stride * p->channels, width = p->width * p->channels;
    const int top = first * p->stride, count = (rows - 1) * p->stride + p->patch;
    for (int y = 0; y < count; y++) convert(lines + (ptrdiff_t)y * width, image + (top + y) * p->pitch, width);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < p->columns; column++)
            for (int y = 0; y < p->patch; y++, out += line)
                copy(out, lines + (ptrdiff_t)(row * p->stride + y) * width + (ptrdiff_t)column * step, line);
}

void LAYER(pixels_backward)(const sac_learn *l, const sac_patches *p, float *dweights, float *dbias,
                            const float *dtokens, int stride, const uint8_t *image, float *workspace)
{
    const int n = p->rows * p->columns, size = p->patch * p->patch * p->channels;
    // a few rows of the grid at a time, so that their patches stay in the first cache
    const int rows = sac_pixels_rows(p);
    float *lines = workspace + (ptrdiff_t)rows * p->columns * size + SAC_LANES;
    for (int row = 0; row < p->rows; row += rows)
    {
        const int now = p->rows - row < rows ? p->rows - row : rows;
        gather(workspace, lines, image, p, row, now);
        // gradient with respect to weights of sum_i weights[o][i] pixel[n][i]: a sum over patches
        layer_gemm(l, (sac_gemm){.rows = p->outputs,
                                 .columns = size,
                                 .inner = now * p->columns,
                                 .a = dtokens + (ptrdiff_t)row * p->columns,
                                 .a_row = stride,
                                 .a_column = 1,
                                 .b = workspace,
                                 .b_row = size,
                                 .b_column = 1,
                                 .out = dweights,
                                 .out_row = size,
                                 .add = true});
    }
    for (int o = 0; o < p->outputs; o++) dbias[o] += row_total(dtokens + (ptrdiff_t)o * stride, n);
}
