#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/project.h"

/// AVX-512: one register is 16 floats.

typedef __m512 lanes;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 16
};

#define OP static inline __attribute__((always_inline))

OP __mmask16 first_mask(int count)
{
    return (__mmask16)((1u << count) - 1);
}
OP lanes lanes_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
OP lanes lanes_load_part(const float *p, int count)
{
    return _mm512_maskz_loadu_ps(first_mask(count), p);
}
OP lanes lanes_load_integers(const int32_t *p)
{
    return _mm512_cvtepi32_ps(_mm512_loadu_si512(p));
}
OP void lanes_store(float *p, lanes a)
{
    _mm512_storeu_ps(p, a);
}
OP void lanes_store_part(float *p, lanes a, int count)
{
    _mm512_mask_storeu_ps(p, first_mask(count), a);
}
OP lanes lanes_set(float x)
{
    return _mm512_set1_ps(x);
}
OP lanes lanes_add(lanes a, lanes b)
{
    return _mm512_add_ps(a, b);
}
OP lanes lanes_sub(lanes a, lanes b)
{
    return _mm512_sub_ps(a, b);
}
OP lanes lanes_mul(lanes a, lanes b)
{
    return _mm512_mul_ps(a, b);
}
OP lanes lanes_div(lanes a, lanes b)
{
    return _mm512_div_ps(a, b);
}
OP lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return _mm512_fmadd_ps(a, b, c);
}
OP lanes lanes_max(lanes a, lanes b)
{
    return _mm512_max_ps(a, b);
}
OP lanes lanes_min(lanes a, lanes b)
{
    return _mm512_min_ps(a, b);
}
OP lanes lanes_sqrt(lanes a)
{
    return _mm512_sqrt_ps(a);
}
OP lanes lanes_round(lanes a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
OP lanes lanes_power(lanes p, lanes n)
{
    return _mm512_scalef_ps(p, n);
}
OP lanes lanes_raise(lanes p, lanes n)
{
    __m512i bits = _mm512_slli_epi32(_mm512_castps_si512(n), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p), bits));
}
OP lanes lanes_abs(lanes a)
{
    return _mm512_abs_ps(a);
}
OP lanes lanes_negate(lanes a)
{
    return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f));
}
OP lanes lanes_first(lanes a, int count)
{
    return _mm512_maskz_mov_ps(first_mask(count), a);
}
OP uint32_t lanes_greater(lanes a, lanes b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

OP lanes lanes_copy_sign(lanes magnitude, lanes sign)
{
    lanes bit = _mm512_set1_ps(-0.0f);
    return _mm512_or_ps(_mm512_andnot_ps(bit, magnitude), _mm512_and_ps(bit, sign));
}

OP lanes lanes_less(lanes a, lanes b, lanes x, lanes y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}

OP void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
{
    enum
    {
        A_XOR_B_AND_C = 0x78
    };
    __m512i bits = _mm512_castps_si512(n), one = _mm512_set1_epi32(1), top = _mm512_set1_epi32(INT32_MIN);
    __mmask16 odd = _mm512_test_epi32_mask(bits, one);
    __m512i a = _mm512_castps_si512(_mm512_mask_blend_ps(odd, s, c)), down = _mm512_slli_epi32(bits, 30);
    __m512i b = _mm512_castps_si512(_mm512_mask_blend_ps(odd, c, s));
    __m512i left = _mm512_slli_epi32(_mm512_add_epi32(bits, one), 30);
    *sine = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(a, down, top, A_XOR_B_AND_C));
    *cosine = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(b, left, top, A_XOR_B_AND_C));
}

OP lanes lanes_equal(lanes a, lanes b, lanes x, lanes y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), y, x);
}

OP float lanes_sum(lanes a)
{
    __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 c = _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_add_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_add_ss(c, _mm_movehdup_ps(c)));
}

OP float lanes_largest(lanes a)
{
    __m256 b = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 c = _mm_max_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1));
    c = _mm_max_ps(c, _mm_movehl_ps(c, c));
    return _mm_cvtss_f32(_mm_max_ss(c, _mm_movehdup_ps(c)));
}

// 16 uint32
typedef __m512i words;

OP words words_set(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}
OP words words_load(const uint32_t *p)
{
    return _mm512_loadu_si512(p);
}
OP words words_load_part(const uint32_t *p, int count)
{
    return _mm512_maskz_loadu_epi32(first_mask(count), p);
}
OP void words_store(uint32_t *p, words a)
{
    _mm512_storeu_si512(p, a);
}
OP void words_store_part(uint32_t *p, words a, int count)
{
    _mm512_mask_storeu_epi32(p, first_mask(count), a);
}
OP words words_xor(words a, words b)
{
    return _mm512_xor_si512(a, b);
}
OP words words_add(words a, words b)
{
    return _mm512_add_epi32(a, b);
}
OP words words_mark(words word, lanes u, uint32_t bit)
{
    return _mm512_mask_or_epi32(word, _mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_GE_OQ), word, words_set(bit));
}

// of each half byte by table, then added up
OP words words_count(words a)
{
    const __m512i table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i half = _mm512_set1_epi8(15);
    __m512i low = _mm512_shuffle_epi8(table, _mm512_and_si512(a, half));
    __m512i high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi32(a, 4), half));
    __m512i pairs = _mm512_maddubs_epi16(_mm512_add_epi8(low, high), _mm512_set1_epi8(1));
    return _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}

#define WIDE_ROWS  8
#define GEMM_ROWS  12
#define GEMM_LANES 2
#include "kernels/wide_bits.h"
#include "kernels/wide_gemm.h"
#include "kernels/wide_maps.h"
#include "kernels/wide_softmax.h"

// where the machine counts bits by itself
__attribute__((target("avx512vpopcntdq"))) static void
hamming(int32_t *distances, const uint32_t *bits, int bits_stride, const uint32_t *query, int word_count, int n)
{
    for (int j = 0; j < n; j += SAC_LANES)
    {
        __mmask16 mask = n - j >= SAC_LANES ? 0xffff : first_mask(n - j);
        words sum = words_set(0);
        for (int w = 0; w < word_count; w++)
        {
            words value = _mm512_maskz_loadu_epi32(mask, bits + (size_t)w * (size_t)bits_stride + j);
            sum = words_add(sum, _mm512_popcnt_epi32(words_xor(value, words_set(query[w]))));
        }
        _mm512_mask_storeu_epi32(distances + j, mask, sum);
    }
}

// 8 columns of a phase come from two registers by one permutation, of dwords where columns start at dwords
OP void split_by(int32_t *planes, const sac_project_layout *l, const uint8_t *line, int step, bool dwords)
{
    uint16_t first[32] = {0};
    for (int column = 0; column < 8; column++)
        for (int word = 0; word < 2; word++) first[2 * column + word] = (uint16_t)(column * step / 2 + word);
    const __m512i count = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i index = dwords ? _mm512_mullo_epi32(count, _mm512_set1_epi32(step / 4)) : _mm512_loadu_si512(first);
    const __m256i even = _mm256_set1_epi32(0x00ff00ff);
    for (int x = 0; x < l->span; x += 8)
    {
        const uint8_t *at = line + (size_t)x * (size_t)step;
        __m512i near = _mm512_loadu_si512(at), far = _mm512_loadu_si512(at + 64);
        for (int phase = 0; phase < l->phases; phase++)
        {
            __m512i both = dwords
                               ? _mm512_permutex2var_epi32(near, _mm512_add_epi32(index, _mm512_set1_epi32(phase)), far)
                               : _mm512_permutex2var_epi16(
                                     near, _mm512_add_epi16(index, _mm512_set1_epi16((int16_t)(2 * phase))), far);
            __m256i bytes = _mm512_castsi512_si256(both);
            int32_t *low = planes + (size_t)(2 * phase) * (size_t)l->pitch + x;
            _mm256_storeu_si256((__m256i *)low, _mm256_and_si256(bytes, even));
            _mm256_storeu_si256((__m256i *)(low + l->pitch), _mm256_and_si256(_mm256_srli_epi32(bytes, 8), even));
        }
    }
}

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
            int left = columns - 8 * v;
            __mmask8 mask = left >= 8 ? 0xff : left > 0 ? (__mmask8)((1u << left) - 1) : 0;
            _mm256_mask_storeu_epi32(out + (size_t)o * (size_t)out_stride + 8 * v, mask, sum[o][v]);
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
    k->gemm = wide_gemm;
    maps_add(k);
    softmax_add(k);
    if (__builtin_cpu_supports("avx512vpopcntdq")) k->hamming = hamming;
    k->project_bytes = project_bytes;
}
