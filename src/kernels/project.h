#pragma once

#include <string.h>

#include "kernels/kernels.h"

/// How the vector levels project patches, without a matrix of patches.
///
/// A dword holds 4 bytes of a patch's row. For each image row, phase k is the vector over grid columns x of the dword
/// at byte x * stride * channels + 4 k; it is split into two planes of int16 pairs (bytes 0 and 2, bytes 1 and 3),
/// which one multiply-add instruction turns into two products a lane. Where stride * channels is 4 g, phase k + g is
/// phase k one column later, so that only g phases are built. A ring of `patch` rows of planes serves every patch row
/// that covers them; the image is read once.

enum
{
    SAC_TILE_OUTPUTS = SAC_PROJECT_BLOCK, ///< outputs and columns that are summed in registers
    SAC_TILE_COLUMNS = 24,
};

typedef struct sac_project_layout
{
    int dwords;       ///< of a patch's row
    int phases;       ///< that are built; phase k is number k % phases, k / phases columns later
    int span;         ///< columns that are built
    int pitch;        ///< of a plane
    size_t row_pitch; ///< of a row's planes, two a phase
    size_t line;      ///< bytes that may be read from the start of an image row
} sac_project_layout;

sac_project_layout sac_project_layout_of(const sac_patches *p);

/// A ring's slot that holds image row y.
static inline int32_t *sac_project_slot(void *scratch, const sac_project_layout *l, const sac_patches *p, int y)
{
    return (int32_t *)scratch + (size_t)(y % p->patch) * l->row_pitch;
}

/// The start of image row y with l->line readable bytes: the image itself, or a copy where it ends too early.
static inline const uint8_t *sac_project_line(void *scratch, const sac_project_layout *l, const sac_patches *p,
                                              const uint8_t *image, int y)
{
    // Between rows lie bytes of the same image. Past the row that is last in memory there may be nothing to read.
    size_t rows_after = (size_t)(p->pitch < 0 ? y : p->height - 1 - y),
           pitch = (size_t)(p->pitch < 0 ? -p->pitch : p->pitch);
    size_t left = rows_after * pitch + (size_t)p->width * (size_t)p->channels;
    const uint8_t *line = image + p->pitch * y;
    if (left >= l->line) return line;
    uint8_t *copy = (uint8_t *)((int32_t *)scratch + (size_t)p->patch * l->row_pitch);
    memcpy(copy, line, left);
    return copy;
}

/// Fill a slot from an image row: plain loops, for levels without a better way.
static inline void sac_project_split(int32_t *planes, const sac_project_layout *l, const sac_patches *p,
                                     const uint8_t *line)
{
    int step = p->stride * p->channels;
    for (int phase = 0; phase < l->phases; phase++)
    {
        int32_t *low = planes + (size_t)(2 * phase) * (size_t)l->pitch, *high = low + l->pitch;
        for (int x = 0; x < l->span; x++) memcpy(low + x, line + (size_t)x * (size_t)step + 4 * (size_t)phase, 4);
        for (int x = 0; x < l->span; x++)
        {
            uint32_t bytes = (uint32_t)low[x];
            low[x] = (int32_t)(bytes & 0x00ff00ff);
            high[x] = (int32_t)(bytes >> 8 & 0x00ff00ff);
        }
    }
}

typedef void sac_project_split_fn(int32_t *planes, const sac_project_layout *l, const sac_patches *p,
                                  const uint8_t *line);

/// out[o * out_stride + x] for outputs o < outputs and columns x < columns of one patch row whose first image row is y;
/// first: the tile's first column; packed: of the block of outputs.
typedef void sac_project_tile_fn(int32_t *out, int out_stride, int outputs, int columns, const int32_t *packed,
                                 const sac_project_layout *l, const sac_patches *p, void *scratch, int y, int first);

static inline __attribute__((always_inline)) void sac_project_run(int32_t *out, int out_stride, const uint8_t *image,
                                                                  const int32_t *packed, const sac_patches *p,
                                                                  void *scratch, sac_project_split_fn *split,
                                                                  sac_project_tile_fn *tile)
{
    sac_project_layout l = sac_project_layout_of(p);
    size_t block_size = (size_t)p->patch * (size_t)l.dwords * 2 * SAC_PROJECT_BLOCK;
    int ready = 0; // image rows below this one are in the ring, as far as they still matter
    for (int row = 0; row < p->rows; row++)
    {
        int y = row * p->stride;
        if (ready < y) ready = y;
        for (; ready < y + p->patch; ready++)
            split(sac_project_slot(scratch, &l, p, ready), &l, p, sac_project_line(scratch, &l, p, image, ready));
        for (int o = 0; o < p->outputs; o += SAC_TILE_OUTPUTS)
            for (int x = 0; x < p->columns; x += SAC_TILE_COLUMNS)
            {
                int outputs = p->outputs - o < SAC_TILE_OUTPUTS ? p->outputs - o : SAC_TILE_OUTPUTS;
                int columns = p->columns - x < SAC_TILE_COLUMNS ? p->columns - x : SAC_TILE_COLUMNS;
                tile(out + (size_t)o * (size_t)out_stride + (size_t)row * (size_t)p->columns + x, out_stride, outputs,
                     columns, packed + (size_t)(o / SAC_TILE_OUTPUTS) * block_size, &l, p, scratch, y, x);
            }
    }
}
