#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/workspace.h"
#include "kernels/kernels.h"
#include "kernels/project.h"

/// The forms in which the kernels want shapes and weights.

sac_patches sac_patches_create(int height, int width, int channels, int patch, int stride, int outputs)
{
    SAC_ASSERT(patch >= 1 && patch <= height && patch <= width && stride >= 1 && channels >= 1 && outputs >= 1);
    return (sac_patches){.height = height,
                         .width = width,
                         .channels = channels,
                         .pitch = (ptrdiff_t)width * channels,
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

// Counts the groups of four bytes in a row of a patch.
static int dwords(const sac_patches *p)
{
    return (p->patch * p->channels + 3) / 4;
}

static int blocks(const sac_patches *p)
{
    return (p->outputs + SAC_PROJECT_BLOCK - 1) / SAC_PROJECT_BLOCK;
}

// A row of an image is split into planes, one for each offset inside a patch, so that the same offset of neighbouring
// patches lies in neighbouring lanes. Where the patches overlap by whole groups of four bytes, offsets that differ by
// the step are the same plane read from a later column: only `phases` planes are made, not one for each group.
sac_project_layout sac_project_layout_of(const sac_patches *p)
{
    int step = p->stride * p->channels, count = dwords(p);
    sac_project_layout l = {.dwords = count, .phases = step % 4 == 0 && step / 4 < count ? step / 4 : count};
    int later = (count - 1) / l.phases;
    l.span = p->columns + later;
    // A tile may be read from any column on, and whole vectors are written, so a plane has room beyond its columns.
    l.pitch = sac_round_up(p->columns + SAC_TILE_COLUMNS + later);
    l.row_pitch = (size_t)l.phases * 2 * (size_t)l.pitch;
    l.line = (size_t)sac_round_up(l.span) * (size_t)step + 4 * (size_t)l.phases + 128;
    return l;
}

size_t sac_project_scratch_size(const sac_patches *p)
{
    sac_project_layout l = sac_project_layout_of(p);
    size_t bytes = (size_t)p->patch * l.row_pitch * sizeof(int32_t) + l.line;
    size_t floats = (size_t)sac_patch_size(p) * (size_t)(p->columns + SAC_TILE_COLUMNS) * sizeof(float);
    sac_workspace workspace = {0};
    sac_take(&workspace, bytes > floats ? bytes : floats, 1);
    return workspace.used;
}

size_t sac_project_packed_count(const sac_patches *p)
{
    return (size_t)blocks(p) * (size_t)p->patch * (size_t)dwords(p) * 2 * SAC_PROJECT_BLOCK;
}

// Puts weight i of output o in its place, which holds zero before.
static void put(int32_t *packed, const sac_patches *p, int o, int i, int16_t weight)
{
    int row_size = p->patch * p->channels, row = i / row_size, byte = i % row_size;
    size_t pairs = (size_t)dwords(p) * 2, pair = (size_t)(byte / 4 * 2 + byte % 2);
    size_t block_row = (size_t)(o / SAC_PROJECT_BLOCK) * (size_t)p->patch + (size_t)row;
    int32_t *place = packed + (block_row * pairs + pair) * SAC_PROJECT_BLOCK + o % SAC_PROJECT_BLOCK;
    // bytes 0 and 2 of a group share a word, and so do 1 and 3: the words that the kernels multiply with
    int half = byte % 4 / 2;
    *place = (int32_t)((uint32_t)*place | (uint32_t)(uint16_t)weight << (16 * half));
}

void sac_project_pack(int32_t *packed, const int16_t *weights, const sac_patches *p)
{
    int size = sac_patch_size(p);
    memset(packed, 0, sac_project_packed_count(p) * sizeof *packed);
    for (int o = 0; o < p->outputs; o++)
        for (int i = 0; i < size; i++) put(packed, p, o, i, weights[(size_t)o * (size_t)size + (size_t)i]);
}

// Finds the largest weight, and the int16 that stands for it so that a whole patch of 255 stays below 2^31; false: a
// weight is not finite.
static bool find_range(const float *w, int size, float *largest, double *limit)
{
    bool finite = true;
    int nonzero = 0;
    *largest = 0;
    for (int i = 0; i < size; i++)
    {
        nonzero += w[i] != 0;
        finite &= isfinite(w[i]) != 0;
        if (fabsf(w[i]) > *largest) *largest = fabsf(w[i]);
    }
    // 255 is the largest pixel; weights of zero add nothing, and leave the others more room
    *limit = fmin(32767, floor(2147483647.0 / (255.0 * (nonzero > 0 ? nonzero : 1))));
    return finite;
}

double sac_project_inverse(const float *weights, int size)
{
    float largest;
    double limit;
    bool finite = find_range(weights, size, &largest, &limit);
    return finite && largest > 0 ? limit / (double)largest : 0;
}

// Each output has a step of its own, as fine as 16 bits and a sum below 2^31 allow: the relative error of a weight is
// at most half a step, 1/65534 of the largest weight of that output.
void sac_project_quantise(int32_t *packed, float *scales, const float *weights, const sac_patches *p)
{
    int size = sac_patch_size(p);
    memset(packed, 0, sac_project_packed_count(p) * sizeof *packed);
    for (int o = 0; o < p->outputs; o++)
    {
        const float *w = weights + (size_t)o * (size_t)size;
        float largest;
        double limit;
        bool finite = find_range(w, size, &largest, &limit);
        scales[o] = finite ? (float)((double)largest / limit) : NAN;
        if (!finite || largest == 0) continue;
        double inverse = limit / (double)largest;
        for (int i = 0; i < size; i++)
        {
            double scaled = (double)w[i] * inverse;
            // half away from zero, as exported C does it, too
            put(packed, p, o, i, (int16_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5));
        }
    }
}

size_t sac_lstm_packed_count(int inputs, int hidden)
{
    return (size_t)sac_round_up(hidden) * 4 * (size_t)(1 + inputs + hidden);
}

// The two biases are added here, once, because every step adds both. Units past the last have weights of zero, so that
// whole vectors can be read.
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
