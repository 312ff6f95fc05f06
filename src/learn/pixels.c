#include "learn/layer.h"

/// What patches say of their projection's weights: token[o][n] = bias[o] + sum_i weights[o][i] pixel[n][i] / 255. The
/// forward pass is the kernels' project_bytes.

// `count` bytes become floats; whole vectors are read and written, up to 15 bytes too many
static inline void convert(float *restrict out, const uint8_t *restrict bytes, int count)
{
    for (int i = 0; i < count; i += SAC_LANES)
        for (int j = 0; j < SAC_LANES; j++) out[i + j] = (float)bytes[i + j];
}

// patches [N, patch size], patch by patch: what is written too much is overwritten by what follows
void LAYER(pixels_gather)(const sac_learn *l, float *out, const uint8_t *image, const sac_patches *p)
{
    (void)l;
    const int line = p->patch * p->channels, step = p->stride * p->channels;
    const uint8_t *end = image + p->pitch * (p->height - 1) + (ptrdiff_t)p->width * p->channels;
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column < p->columns; column++)
            for (int y = 0; y < p->patch; y++, out += line)
            {
                const uint8_t *from = image + (row * p->stride + y) * p->pitch + (ptrdiff_t)column * step;
                if (end - from >= line + SAC_LANES)
                    convert(out, from, line);
                else
                    for (int i = 0; i < line; i++) out[i] = (float)from[i];
            }
}

void LAYER(pixels_backward)(const sac_learn *l, const sac_patches *p, float *dweights, float *dbias,
                            const float *dtokens, int stride, const uint8_t *image, float *workspace)
{
    const int n = p->rows * p->columns, size = p->patch * p->patch * p->channels;
    LAYER(pixels_gather)(l, workspace, image, p);
    // by weights of: sum_i weights[o][i] pixel[n][i], a sum over patches
    layer_gemm(l, (sac_gemm){.rows = p->outputs,
                             .columns = size,
                             .inner = n,
                             .a = dtokens,
                             .a_row = stride,
                             .a_column = 1,
                             .b = workspace,
                             .b_row = size,
                             .b_column = 1,
                             .out = dweights,
                             .out_row = size,
                             .add = true});
    for (int o = 0; o < p->outputs; o++) dbias[o] += row_total(dtokens + (ptrdiff_t)o * stride, n);
}
