#pragma once

#include <math.h>

#include "base/lanes/lanes.h"

#ifdef LANES_OF_DOUBLES
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif
#endif

/// Lanes as the compiler's own vectors, for code that wants another number of lanes than sixteen. The includer may
/// define LANES_COUNT, a power of two, which is otherwise what a register of the level that it is compiled for holds,
/// and LANES_OF_DOUBLES where its numbers are doubles and its words have 64 bits. Each word means what it means in
/// lanes.h. Arithmetic, comparisons and the logic of masks and words are C's operators, which act lane by lane; a
/// number beside them stands for a vector of it. Words wrap around, and >> shifts zeros in.

#ifndef LANES_COUNT
#if defined(__AVX512F__)
#define LANES_REGISTER 64
#elif defined(__AVX2__)
#define LANES_REGISTER 32
#else
#define LANES_REGISTER 16
#endif
#ifdef LANES_OF_DOUBLES
#define LANES_COUNT (LANES_REGISTER / 8)
#else
#define LANES_COUNT (LANES_REGISTER / 4)
#endif
#endif

#ifdef LANES_OF_DOUBLES
typedef double lanes __attribute__((vector_size(8 * LANES_COUNT)));
typedef uint64_t words __attribute__((vector_size(8 * LANES_COUNT)));
typedef int64_t mask __attribute__((vector_size(8 * LANES_COUNT))); // -1 or 0
typedef double lanes_number;
#else
typedef float lanes __attribute__((vector_size(4 * LANES_COUNT)));
typedef uint32_t words __attribute__((vector_size(4 * LANES_COUNT)));
typedef int32_t mask __attribute__((vector_size(4 * LANES_COUNT))); // -1 or 0
typedef float lanes_number;
#endif

LANES lanes lanes_cast(words x)
{
    return (lanes)x;
}
LANES words words_cast(lanes x)
{
    return (words)x;
}
LANES lanes lanes_set(lanes_number x)
{
    return x - (lanes){0}; // keeps the sign of zero, which a sum would lose
}
LANES lanes lanes_choose(mask m, lanes yes, lanes no)
{
    return (lanes)(((mask)yes & m) | ((mask)no & ~m));
}
LANES lanes lanes_min(lanes x, lanes y)
{
    return lanes_choose(x < y, x, y);
}
LANES lanes lanes_max(lanes x, lanes y)
{
    return lanes_choose(x > y, x, y);
}
LANES int mask_any(mask m)
{
    __typeof__(m[0]) bits = 0;
    for (int i = 0; i < LANES_COUNT; i++) bits |= m[i];
    return bits != 0;
}

#ifdef LANES_OF_DOUBLES
LANES words words_set(uint64_t x)
{
    return (words){0} + x;
}

/// The products of the lower halves of words, 64 bits each. As x * y the compiler would multiply 64 bits by 64.
LANES words words_multiply_halves(words x, uint32_t y)
{
#if defined(__AVX512F__)
    return (words)_mm512_mul_epu32((__m512i)x, _mm512_set1_epi64(y));
#elif defined(__AVX2__)
    return (words)_mm256_mul_epu32((__m256i)x, _mm256_set1_epi64x(y));
#elif defined(__SSE2__)
    return (words)_mm_mul_epu32((__m128i)x, _mm_set1_epi64x(y));
#elif defined(__ARM_NEON)
    return (words)vmull_n_u32(vmovn_u64((uint64x2_t)x), y);
#else
    return (x & 0xFFFFFFFF) * y;
#endif
}
#else
LANES lanes lanes_sqrt(lanes x)
{
    for (int i = 0; i < LANES_COUNT; i++) x[i] = sqrtf(x[i]);
    return x;
}
LANES words words_truncate(lanes x)
{
    return (words) __builtin_convertvector(x, mask);
}
#endif
