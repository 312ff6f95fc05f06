#include "base/lanes/avx512.h"
#include "kernels/project.h"

/// AVX-512: one register is 16 floats.

#define WIDE_ROWS 8
#include "kernels/wide_bits.h"
#include "kernels/wide_maps.h"
#include "kernels/wide_softmax.h"

// This takes the place of wide_hamming where the machine has an instruction that counts bits.
__attribute__((target("avx512vpopcntdq"))) static void
hamming(int32_t *distances, const uint32_t *bits, int bits_stride, const uint32_t *query, int word_count, int n)
{
    for (int j = 0; j < n; j += SAC_LANES)
    {
        // lanes past the last column are neither read nor written
        __mmask16 live = n - j >= SAC_LANES ? 0xffff : mask_first(n - j);
        words sum = words_set(0);
        for (int w = 0; w < word_count; w++)
        {
            words value = _mm512_maskz_loadu_epi32(live, bits + (size_t)w * (size_t)bits_stride + j);
            sum = words_add(sum, _mm512_popcnt_epi32(words_xor(value, words_set(query[w]))));
        }
        _mm512_mask_storeu_epi32(distances + j, live, sum);
    }
}

// One permutation takes 8 columns of a phase from two registers: of dwords, where columns begin at dwords, else of
// words.
LANES void split_by(int32_t *planes, const sac_project_layout *l, const uint8_t *line, int step, bool dwords)
{
    // which words of the 128 bytes become the dwords of 8 columns
    uint16_t first[32] = {0};
    for (int column = 0; column < 8; column++)
        for (int word = 0; word < 2; word++) first[2 * column + word] = (uint16_t)(column * step / 2 + word);
    const __m512i count = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i index = dwords ? _mm512_mullo_epi32(count, _mm512_set1_epi32(step / 4)) : _mm512_loadu_si512(first);
    const __m256i even = _mm256_set1_epi32(0x00ff00ff);
    for (int x = 0; x < l->span; x += 8)
    {
        const uint8_t *at = line + (size_t)x * (size_t)step;
        // two registers reach as far as 8 columns of any step that `split` lets in
        __m512i near = _mm512_loadu_si512(at), far = _mm512_loadu_si512(at + 64);
        for (int phase = 0; phase < l->phases; phase++)
        {
            __m512i both = dwords
                               ? _mm512_permutex2var_epi32(near, _mm512_add_epi32(index, _mm512_set1_epi32(phase)), far)
                               : _mm512_permutex2var_epi16(
                                     near, _mm512_add_epi16(index, _mm512_set1_epi16((int16_t)(2 * phase))), far);
            // bytes 0 and 2 of a dword go to the low plane, and bytes 1 and 3 to the high one: as 16-bit numbers
            __m256i bytes = _mm512_castsi512_si256(both);
            int32_t *low = planes + (size_t)(2 * phase) * (size_t)l->pitch + x;
            _mm256_storeu_si256((__m256i *)low, _mm256_and_si256(bytes, even));
            _mm256_storeu_si256((__m256i *)(low + l->pitch), _mm256_and_si256(_mm256_srli_epi32(bytes, 8), even));
        }
    }
}

// A row of bytes into planes: by permutations where the last column of eight still lies in two registers.
static void split(int32_t *planes, const sac_project_layout *l, const sac_patches *p, const uint8_t *line)
{
    int step = p->stride * p->channels, last_word = 7 * step / 2 + 2 * l->phases - 1;
    if (step % 2 != 0 || last_word >= 64)
        sac_project_split(planes, l, p, line);
    else if (step % 4 == 0)
        split_by(planes, l, line, step, true);
    else
        split_by(planes, l, line, step, false);
}

// 24 columns of 8 outputs: 24 sums in registers. A product is that of two 16-bit numbers with two others, added to a
// 32-bit sum by one instruction: a weight word holds those of bytes 4k and 4k + 2 (or of the two between them).
static void tile(int32_t *out, int out_stride, int outputs, int columns, const int32_t *packed,
                 const sac_project_layout *l, const sac_patches *p, void *scratch, int y, int first)
{
    __m256i sum[8][3];
#pragma GCC unroll 8
    for (int o = 0; o < 8; o++) sum[o][0] = sum[o][1] = sum[o][2] = _mm256_setzero_si256();
    for (int row = 0; row < p->patch; row++)
    {
        const int32_t *slot = sac_project_slot(scratch, l, p, y + row) + first;
        for (int k = 0, phase = 0; k < l->dwords; k++)
        {
            for (int half = 0; half < 2; half++, packed += 8)
            {
                const int32_t *plane = slot + (size_t)(2 * phase + half) * (size_t)l->pitch;
                __m256i a = _mm256_loadu_si256((const __m256i *)plane);
                __m256i b = _mm256_loadu_si256((const __m256i *)(plane + 8));
                __m256i c = _mm256_loadu_si256((const __m256i *)(plane + 16));
#pragma GCC unroll 8
                for (int o = 0; o < 8; o++)
                {
                    __m256i weight = _mm256_set1_epi32(packed[o]);
                    sum[o][0] = _mm256_dpwssd_epi32(sum[o][0], a, weight);
                    sum[o][1] = _mm256_dpwssd_epi32(sum[o][1], b, weight);
                    sum[o][2] = _mm256_dpwssd_epi32(sum[o][2], c, weight);
                }
            }
            // the next phase, or the first one again a column later (project.h)
            if (++phase == l->phases) phase = 0, slot++;
        }
    }
#pragma GCC unroll 8
    for (int o = 0; o < 8; o++)
    {
        if (o >= outputs) break;
#pragma GCC unroll 3
        for (int v = 0; v < 3; v++)
        {
            // columns past the last are not written: they belong to the next row of patches
            int left = columns - 8 * v;
            __mmask8 live = left >= 8 ? 0xff : left > 0 ? (__mmask8)((1u << left) - 1) : 0;
            _mm256_mask_storeu_epi32(out + (size_t)o * (size_t)out_stride + 8 * v, live, sum[o][v]);
        }
    }
}

static void project_bytes(int32_t *out, int out_stride, const uint8_t *image, const int32_t *packed,
                          const sac_patches *p, void *scratch)
{
    sac_project_run(out, out_stride, image, packed, p, scratch, split, tile);
}

void sac_kernels_add_avx512(sac_kernels *k)
{
    wide_add(k);
    products_add(k);
    maps_add(k);
    softmax_add(k);
    if (__builtin_cpu_supports("avx512vpopcntdq")) k->hamming = hamming;
    k->project_bytes = project_bytes;
}
