#include "base/lanes/neon.h"
#include "kernels/project.h"

/// NEON: four registers are 16 floats.

#define WIDE_ROWS 4
#include "kernels/wide_bits.h"
#include "kernels/wide_maps.h"
#include "kernels/wide_softmax.h"

// A tile for four of the eight outputs, whose weights begin at `packed`.
LANES void half_tile(int32_t *out, int out_stride, int outputs, int columns, const int32_t *packed,
                     const sac_project_layout *l, const sac_patches *p, void *scratch, int y, int first)
{
    // 4 outputs times 24 columns, 24 of the 32 registers
    int32x4_t sum[4][6];
    for (int o = 0; o < 4; o++)
        for (int v = 0; v < 6; v++) sum[o][v] = vdupq_n_s32(0);
    for (int row = 0; row < p->patch; row++)
    {
        const int32_t *slot = sac_project_slot(scratch, l, p, y + row) + first;
        for (int k = 0, phase = 0; k < l->dwords; k++)
        {
            for (int half = 0; half < 2; half++, packed += SAC_PROJECT_BLOCK)
            {
                const int32_t *plane = slot + (size_t)(2 * phase + half) * (size_t)l->pitch;
                // Weights of outputs 0..3: those of the lower byte in even lanes, those of the upper byte in odd ones.
                int16x8_t w = vreinterpretq_s16_s32(vld1q_s32(packed));
                for (int v = 0; v < 6; v++)
                {
                    int32x4_t pairs = vld1q_s32(plane + 4 * v);
                    // NEON has no multiplication of pairs: the two bytes of a lane are taken apart and multiplied one
                    // after the other
                    int16x4_t low = vmovn_s32(pairs), high = vshrn_n_s32(pairs, 16);
                    sum[0][v] = vmlal_laneq_s16(vmlal_laneq_s16(sum[0][v], low, w, 0), high, w, 1);
                    sum[1][v] = vmlal_laneq_s16(vmlal_laneq_s16(sum[1][v], low, w, 2), high, w, 3);
                    sum[2][v] = vmlal_laneq_s16(vmlal_laneq_s16(sum[2][v], low, w, 4), high, w, 5);
                    sum[3][v] = vmlal_laneq_s16(vmlal_laneq_s16(sum[3][v], low, w, 6), high, w, 7);
                }
            }
            // the next phase, or the first one again a column later (project.h)
            if (++phase == l->phases) phase = 0, slot++;
        }
    }
    for (int o = 0; o < 4 && o < outputs; o++)
    {
        // NEON has no store of a part of a register, so that the columns go through memory
        int32_t part[SAC_TILE_COLUMNS];
        for (int v = 0; v < 6; v++) vst1q_s32(part + 4 * v, sum[o][v]);
        for (int x = 0; x < columns; x++) out[(size_t)o * (size_t)out_stride + (size_t)x] = part[x];
    }
}

// A tile has eight outputs, because their weights are packed so; it is done in two halves.
static void tile(int32_t *out, int out_stride, int outputs, int columns, const int32_t *packed,
                 const sac_project_layout *l, const sac_patches *p, void *scratch, int y, int first)
{
    half_tile(out, out_stride, outputs, columns, packed, l, p, scratch, y, first);
    if (outputs > 4)
        half_tile(out + 4 * (size_t)out_stride, out_stride, outputs - 4, columns, packed + 4, l, p, scratch, y, first);
}

static void project_bytes(int32_t *out, int out_stride, const uint8_t *image, const int32_t *packed,
                          const sac_patches *p, void *scratch)
{
    sac_project_run(out, out_stride, image, packed, p, scratch, sac_project_split, tile);
}

void sac_kernels_add_neon(sac_kernels *k)
{
    wide_add(k);
    products_add(k);
    maps_add(k);
    softmax_add(k);
    k->project_bytes = project_bytes;
}
