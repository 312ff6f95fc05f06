#include <arm_neon.h>

#include "kernels/kernels.h"
#include "kernels/project.h"

/// NEON: four registers are 16 floats.

typedef struct lanes
{
    float32x4_t v[4];
} lanes;

// lanes that the registers hold beside constants
enum
{
    LANES_HELD = 4
};

#define OP static inline __attribute__((always_inline))

// an expression of i, for each of the four registers
#define EACH(expression)                               \
    lanes out;                                         \
    for (int i = 0; i < 4; i++) out.v[i] = expression; \
    return out

OP lanes lanes_load(const float *p)
{
    EACH(vld1q_f32(p + 4 * i));
}

OP lanes lanes_load_part(const float *p, int count)
{
    if (count == SAC_LANES) return lanes_load(p);
    float part[SAC_LANES] = {0};
    for (int i = 0; i < count; i++) part[i] = p[i];
    return lanes_load(part);
}

OP lanes lanes_load_integers(const int32_t *p)
{
    EACH(vcvtq_f32_s32(vld1q_s32(p + 4 * i)));
}

OP void lanes_store(float *p, lanes a)
{
    for (int i = 0; i < 4; i++) vst1q_f32(p + 4 * i, a.v[i]);
}

OP void lanes_store_part(float *p, lanes a, int count)
{
    if (count == SAC_LANES)
    {
        lanes_store(p, a);
        return;
    }
    float part[SAC_LANES];
    lanes_store(part, a);
    for (int i = 0; i < count; i++) p[i] = part[i];
}

// the comparison decides, as on the other levels: vmaxq would give NaN
OP float32x4_t larger(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
OP float32x4_t smaller(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

OP lanes lanes_set(float x)
{
    EACH(vdupq_n_f32(x));
}
OP lanes lanes_add(lanes a, lanes b)
{
    EACH(vaddq_f32(a.v[i], b.v[i]));
}
OP lanes lanes_sub(lanes a, lanes b)
{
    EACH(vsubq_f32(a.v[i], b.v[i]));
}
OP lanes lanes_mul(lanes a, lanes b)
{
    EACH(vmulq_f32(a.v[i], b.v[i]));
}
OP lanes lanes_div(lanes a, lanes b)
{
    EACH(vdivq_f32(a.v[i], b.v[i]));
}
OP lanes lanes_fma(lanes a, lanes b, lanes c)
{
    EACH(vfmaq_f32(c.v[i], a.v[i], b.v[i]));
}
OP lanes lanes_max(lanes a, lanes b)
{
    EACH(larger(a.v[i], b.v[i]));
}
OP lanes lanes_min(lanes a, lanes b)
{
    EACH(smaller(a.v[i], b.v[i]));
}
OP lanes lanes_sqrt(lanes a)
{
    EACH(vsqrtq_f32(a.v[i]));
}
OP lanes lanes_round(lanes a)
{
    EACH(vrndnq_f32(a.v[i]));
}
OP lanes lanes_negate(lanes a)
{
    EACH(vnegq_f32(a.v[i]));
}
OP lanes lanes_abs(lanes a)
{
    EACH(vabsq_f32(a.v[i]));
}

OP float32x4_t power_of_two(float32x4_t n)
{
    int32x4_t bits = vreinterpretq_s32_f32(vaddq_f32(n, vdupq_n_f32(12582912.0f)));
    return vreinterpretq_f32_s32(vaddq_s32(vshlq_n_s32(bits, 23), vdupq_n_s32(0x3f800000)));
}

OP lanes lanes_power(lanes p, lanes n)
{
    EACH(vmulq_f32(p.v[i], power_of_two(n.v[i])));
}

OP float32x4_t raise_power(float32x4_t p, float32x4_t n)
{
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(p), vshlq_n_s32(vreinterpretq_s32_f32(n), 23)));
}

OP lanes lanes_raise(lanes p, lanes n)
{
    EACH(raise_power(p.v[i], n.v[i]));
}

OP lanes lanes_copy_sign(lanes magnitude, lanes sign)
{
    EACH(vbslq_f32(vdupq_n_u32(0x80000000u), sign.v[i], magnitude.v[i]));
}

OP lanes lanes_less(lanes a, lanes b, lanes x, lanes y)
{
    EACH(vbslq_f32(vcltq_f32(a.v[i], b.v[i]), x.v[i], y.v[i]));
}

OP void lanes_quarter(lanes n, lanes s, lanes c, lanes *sine, lanes *cosine)
{
    const uint32x4_t one = vdupq_n_u32(1), two = vdupq_n_u32(2);
    for (int i = 0; i < 4; i++)
    {
        uint32x4_t bits = vreinterpretq_u32_f32(n.v[i]), odd = vtstq_u32(bits, one);
        uint32x4_t a = vreinterpretq_u32_f32(vbslq_f32(odd, c.v[i], s.v[i]));
        uint32x4_t b = vreinterpretq_u32_f32(vbslq_f32(odd, s.v[i], c.v[i]));
        uint32x4_t down = vshlq_n_u32(vandq_u32(bits, two), 30);
        uint32x4_t left = vshlq_n_u32(vandq_u32(vaddq_u32(bits, one), two), 30);
        sine->v[i] = vreinterpretq_f32_u32(veorq_u32(a, down));
        cosine->v[i] = vreinterpretq_f32_u32(veorq_u32(b, left));
    }
}

OP lanes lanes_equal(lanes a, lanes b, lanes x, lanes y)
{
    EACH(vbslq_f32(vceqq_f32(a.v[i], b.v[i]), x.v[i], y.v[i]));
}

OP lanes lanes_first(lanes a, int count)
{
    float part[SAC_LANES];
    lanes_store(part, a);
    for (int i = count; i < SAC_LANES; i++) part[i] = 0;
    return lanes_load(part);
}

OP uint32_t lanes_greater(lanes a, lanes b)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    uint32_t mask = 0;
    for (int i = 0; i < 4; i++) mask |= vaddvq_u32(vandq_u32(vcgtq_f32(a.v[i], b.v[i]), vld1q_u32(bits))) << (4 * i);
    return mask;
}

OP float lanes_sum(lanes a)
{
    float32x4_t b = vaddq_f32(vaddq_f32(a.v[0], a.v[2]), vaddq_f32(a.v[1], a.v[3]));
    float32x2_t c = vadd_f32(vget_low_f32(b), vget_high_f32(b));
    return vget_lane_f32(c, 0) + vget_lane_f32(c, 1);
}

OP float lanes_largest(lanes a)
{
    float32x4_t b = larger(larger(a.v[0], a.v[2]), larger(a.v[1], a.v[3]));
    float32x2_t c = vget_low_f32(b), d = vget_high_f32(b);
    c = vbsl_f32(vcgt_f32(c, d), c, d);
    float x = vget_lane_f32(c, 0), y = vget_lane_f32(c, 1);
    return x > y ? x : y;
}

// 16 uint32
typedef struct words
{
    uint32x4_t v[4];
} words;

#define EACH_WORD(expression)                          \
    words out;                                         \
    for (int i = 0; i < 4; i++) out.v[i] = expression; \
    return out

OP words words_set(uint32_t x)
{
    EACH_WORD(vdupq_n_u32(x));
}
OP words words_load(const uint32_t *p)
{
    EACH_WORD(vld1q_u32(p + 4 * i));
}
OP words words_load_part(const uint32_t *p, int count)
{
    uint32_t part[SAC_LANES] = {0};
    for (int i = 0; i < count; i++) part[i] = p[i];
    return words_load(part);
}
OP void words_store(uint32_t *p, words a)
{
    for (int i = 0; i < 4; i++) vst1q_u32(p + 4 * i, a.v[i]);
}
OP void words_store_part(uint32_t *p, words a, int count)
{
    uint32_t part[SAC_LANES];
    words_store(part, a);
    for (int i = 0; i < count; i++) p[i] = part[i];
}
OP words words_xor(words a, words b)
{
    EACH_WORD(veorq_u32(a.v[i], b.v[i]));
}
OP words words_add(words a, words b)
{
    EACH_WORD(vaddq_u32(a.v[i], b.v[i]));
}
OP words words_count(words a)
{
    EACH_WORD(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u32(a.v[i])))));
}
OP words words_mark(words word, lanes u, uint32_t bit)
{
    EACH_WORD(vorrq_u32(word.v[i], vandq_u32(vcgezq_f32(u.v[i]), vdupq_n_u32(bit))));
}

#define WIDE_ROWS  4
#define GEMM_ROWS  6
#define GEMM_LANES 1
#include "kernels/wide_bits.h"
#include "kernels/wide_gemm.h"
#include "kernels/wide_maps.h"
#include "kernels/wide_softmax.h"

// four of the eight outputs, from `packed` on
OP void half_tile(int32_t *out, int out_stride, int outputs, int columns, const int32_t *packed,
                  const sac_project_layout *l, const sac_patches *p, void *scratch, int y, int first)
{
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
                // weights of outputs 0..3: the lower byte's in even lanes, the upper byte's in odd ones
                int16x8_t w = vreinterpretq_s16_s32(vld1q_s32(packed));
                for (int v = 0; v < 6; v++)
                {
                    int32x4_t pairs = vld1q_s32(plane + 4 * v);
                    int16x4_t low = vmovn_s32(pairs), high = vshrn_n_s32(pairs, 16);
                    sum[0][v] = vmlal_laneq_s16(vmlal_laneq_s16(sum[0][v], low, w, 0), high, w, 1);
                    sum[1][v] = vmlal_laneq_s16(vmlal_laneq_s16(sum[1][v], low, w, 2), high, w, 3);
                    sum[2][v] = vmlal_laneq_s16(vmlal_laneq_s16(sum[2][v], low, w, 4), high, w, 5);
                    sum[3][v] = vmlal_laneq_s16(vmlal_laneq_s16(sum[3][v], low, w, 6), high, w, 7);
                }
            }
            if (++phase == l->phases) phase = 0, slot++;
        }
    }
    for (int o = 0; o < 4 && o < outputs; o++)
    {
        int32_t part[SAC_TILE_COLUMNS];
        for (int v = 0; v < 6; v++) vst1q_s32(part + 4 * v, sum[o][v]);
        for (int x = 0; x < columns; x++) out[(size_t)o * (size_t)out_stride + (size_t)x] = part[x];
    }
}

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
    k->gemm = wide_gemm;
    maps_add(k);
    softmax_add(k);
    k->project_bytes = project_bytes;
}
