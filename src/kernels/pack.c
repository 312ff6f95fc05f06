#include <math.h>
#include <string.h>

#include "base/error.h"
#include "kernels/kernels.h"

/// The forms in which the kernels want shapes and weights.

sac_patches sac_patches_create(int height, int width, int channels, int patch, int stride, int outputs)
{
    SAC_ASSERT(patch >= 1 && patch <= height && patch <= width && stride >= 1 && channels >= 1 && outputs >= 1);
    return (sac_patches){.height = height,
                         .width = width,
                         .channels = channels,
                         .patch = patch,
                         .stride = stride,
                         .outputs = outputs,
                         .rows = (height - patch) / stride + 1,
                         .columns = (width - patch) / stride + 1};
}

int sac_patch_size(const sac_patches *p)
{
    return p->patch * p->patch * p->channels;
}

// groups of four bytes in a patch's row
static int dwords(const sac_patches *p)
{
    return (p->patch * p->channels + 3) / 4;
}

static int blocks(const sac_patches *p)
{
    return (p->outputs + SAC_PROJECT_BLOCK - 1) / SAC_PROJECT_BLOCK;
}

size_t sac_project_scratch_size(const sac_patches *p)
{
    // a ring of `patch` image rows, each with its values in the order of the vectors, columns in whole lanes and a few
    // more for the vectors that reach past the end
    size_t columns = (size_t)sac_round_up(p->columns) + 2 * SAC_LANES;
    return (size_t)p->patch * (size_t)dwords(p) * 4 * columns * sizeof(float);
}

size_t sac_project_packed_count(const sac_patches *p)
{
    return (size_t)blocks(p) * (size_t)p->patch * (size_t)dwords(p) * 2 * SAC_PROJECT_BLOCK;
}

void sac_project_pack(int32_t *packed, const int16_t *weights, const sac_patches *p)
{
    int row_size = p->patch * p->channels, pairs = dwords(p) * 2;
    memset(packed, 0, sac_project_packed_count(p) * sizeof *packed);
    for (int o = 0; o < p->outputs; o++)
        for (int row = 0; row < p->patch; row++)
            for (int byte = 0; byte < row_size; byte++)
            {
                int pair = byte / 4 * 2 + byte % 2, half = byte % 4 / 2;
                size_t block = (size_t)(o / SAC_PROJECT_BLOCK), lane = (size_t)(o % SAC_PROJECT_BLOCK);
                size_t at =
                    ((block * (size_t)p->patch + (size_t)row) * (size_t)pairs + (size_t)pair) * SAC_PROJECT_BLOCK +
                    lane;
                uint32_t word =
                    (uint16_t)weights[((size_t)o * (size_t)p->patch + (size_t)row) * (size_t)row_size + (size_t)byte];
                packed[at] = (int32_t)((uint32_t)packed[at] | word << (16 * half));
            }
}

void sac_project_quantise(int32_t *packed, float *scales, const float *weights, const sac_patches *p)
{
    int size = sac_patch_size(p), row_size = p->patch * p->channels, pairs = dwords(p) * 2;
    // the largest weight such that a whole patch of 255 stays below 2^31
    double limit = floor(2147483647.0 / (255.0 * size));
    if (limit > 32767) limit = 32767;
    memset(packed, 0, sac_project_packed_count(p) * sizeof *packed);
    for (int o = 0; o < p->outputs; o++)
    {
        const float *w = weights + (size_t)o * (size_t)size;
        float largest = 0;
        for (int i = 0; i < size; i++) largest = fabsf(w[i]) <= largest ? largest : fabsf(w[i]);
        bool finite = largest < INFINITY;
        double inverse = largest > 0 && finite ? limit / (double)largest : 0;
        scales[o] = finite ? (float)((double)largest / limit) : NAN;
        for (int i = 0; i < size; i++)
        {
            int row = i / row_size, byte = i % row_size, pair = byte / 4 * 2 + byte % 2, half = byte % 4 / 2;
            size_t at =
                (((size_t)(o / SAC_PROJECT_BLOCK) * (size_t)p->patch + (size_t)row) * (size_t)pairs + (size_t)pair) *
                    SAC_PROJECT_BLOCK +
                (size_t)(o % SAC_PROJECT_BLOCK);
            double scaled = finite ? (double)w[i] * inverse : 0;
            int rounded = (int)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
            packed[at] = (int32_t)((uint32_t)packed[at] | (uint32_t)(uint16_t)(int16_t)rounded << (16 * half));
        }
    }
}

size_t sac_lstm_packed_count(int inputs, int hidden)
{
    return (size_t)sac_round_up(hidden) * 4 * (size_t)(1 + inputs + hidden);
}

void sac_lstm_pack(float *packed, const float *weight_ih, const float *weight_hh, const float *bias_ih,
                   const float *bias_hh, int inputs, int hidden)
{
    size_t in = (size_t)inputs, size = (size_t)hidden;
    for (int unit = 0; unit < sac_round_up(hidden); unit++)
        for (size_t row = 0; row < 1 + in + size; row++)
            for (size_t gate = 0; gate < 4; gate++)
            {
                size_t from = gate * size + (size_t)unit;
                float w = 0;
                if (unit >= hidden)
                    w = 0;
                else if (row == 0)
                    w = bias_ih[from] + bias_hh[from];
                else if (row <= in)
                    w = weight_ih[from * in + row - 1];
                else
                    w = weight_hh[from * size + row - 1 - in];
                size_t block = (size_t)(unit / SAC_LANES), lane = (size_t)(unit % SAC_LANES);
                packed[((block * (1 + in + size) + row) * 4 + gate) * SAC_LANES + lane] = w;
            }
}
