#include "base/lanes/avx2.h"
#include "kernels/project.h"

/// AVX2 and FMA: two registers are 16 floats.

#define WIDE_ROWS 4
#include "kernels/wide_bits.h"
#include "kernels/wide_maps.h"
#include "kernels/wide_softmax.h"

// A tile for four of the eight outputs, whose weights begin at `packed`.
LANES void half_tile(int32_t *out, int out_stride, int outputs, int columns, const int32_t *packed,
                     const sac_project_layout *l, const sac_patches *p, void *scratch, int y, int first)
{
    // 4 outputs times 24 columns: twelve of the sixteen registers
    __m256i sum[4][3];
#pragma GCC unroll 4
    for (int o = 0; o < 4; o++) sum[o][0] = sum[o][1] = sum[o][2] = _mm256_setzero_si256();
    for (int row = 0; row < p->patch; row++)
    {
        const int32_t *slot = sac_project_slot(scratch, l, p, y + row) + first;
        for (int k = 0, phase = 0; k < l->dwords; k++)
        {
            for (int half = 0; half < 2; half++, packed += SAC_PROJECT_BLOCK)
            {
                const __m256i *plane = (const __m256i *)(slot + (size_t)(2 * phase + half) * (size_t)l->pitch);
#pragma GCC unroll 4
                for (int o = 0; o < 4; o++)
                {
                    // two weights for two bytes: madd multiplies 16 bits by 16 and adds the two products, exactly
                    __m256i weight = _mm256_set1_epi32(packed[o]);
#pragma GCC unroll 3
                    for (int v = 0; v < 3; v++)
                        sum[o][v] =
                            _mm256_add_epi32(sum[o][v], _mm256_madd_epi16(weight, _mm256_loadu_si256(plane + v)));
                }
            }
            // the next phase, or the first one again a column later (project.h)
            if (++phase == l->phases) phase = 0, slot++;
        }
    }
#pragma GCC unroll 4
    for (int o = 0; o < 4; o++)
    {
        // a constant bound, so that the sums stay in registers; the break leaves the outputs that are not there
        if (o >= outputs) break;
#pragma GCC unroll 3
        for (int v = 0; v < 3; v++)
            _mm256_maskstore_epi32(out + (size_t)o * (size_t)out_stride + 8 * v, first_256(columns - 8 * v), sum[o][v]);
    }
}

// AVX2 has half as many registers as AVX-512, so a tile of eight outputs is done in two halves.
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

void sac_kernels_add_avx2(sac_kernels *k)
{
    wide_add(k);
    products_add(k);
    maps_add(k);
    softmax_add(k);
    k->project_bytes = project_bytes;
}
