#if defined(__FAST_MATH__)
#error "fast math changes what is computed: compile without -ffast-math"
#endif
/* 0 computes float as float. So does 16, which says that _Float16 has arithmetic of its own (AVX512-FP16). */
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "float must be computed as float: on a 387 compile with -msse2 -mfpmath=sse"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

/* a float and its bits */
typedef union bits_of_float
{
    float number;
    uint32_t bits;
} bits_of_float;

static float with_bits(uint32_t bits)
{
    bits_of_float x;
    x.bits = bits;
    return x.number;
}

static uint32_t bits_of(float number)
{
    bits_of_float x;
    x.number = number;
    return x.bits;
}

/* a b + c, rounded once. Where the processor has no such instruction: the product is exact in double, their sum is
   rounded to odd, so that rounding it again to float is as if it had never been rounded (Boldo and Melquiond 2008). */
static float fused(float a, float b, float c)
{
#if defined(__FP_FAST_FMAF)
    return __builtin_fmaf(a, b, c);
#else
    union
    {
        double number;
        uint64_t bits;
    } sum;
    double product = (double)a * (double)b, back, error;
    sum.number = product + (double)c;
    back = sum.number - product;
    error = (product - (sum.number - back)) + ((double)c - back);
    if ((error > 0 || error < 0) && sum.bits % 2 == 0) sum.bits += (error > 0) == (sum.number > 0) ? 1u : ~(uint64_t)0;
    return (float)sum.number;
#endif
}

/* These stand for functions of math.h, as nothing outside this file is linked. */
static float size_of(float x)
{
    return with_bits(bits_of(x) & 0x7fffffffu);
}

static float with_sign_of(float size, float sign)
{
    return with_bits((bits_of(size) & 0x7fffffffu) | (bits_of(sign) & 0x80000000u));
}

#define fmaf      fused
#define fabsf     size_of
#define copysignf with_sign_of
