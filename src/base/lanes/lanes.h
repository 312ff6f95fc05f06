#pragma once

#include <stddef.h>
#include <stdint.h>

/// Sixteen numbers side by side, the one vocabulary of all code that is written for vectors: `lanes` of floats, `words`
/// of 32-bit integers, `mask` of yes and no. Each CPU level has the same words in a header of its own, avx512.h, avx2.h
/// and neon.h; plain.h says in plain C what each of them means. All levels give the same bits. vectors.h has the words
/// for another number of lanes, and for doubles.
///
/// A source includes the header of its level: a file that is named after a level by name, a file that is compiled once
/// a level by the macros of its build.
///
/// Memory. load and store need no alignment; load_part and store_part take the first `count` of 16, and the rest reads
///     as zero. lanes_first puts zeros from `count` on.
/// Arithmetic. lanes_min and lanes_max give the second operand when either is NaN. lanes_fma is a b + c with one
///     rounding. lanes_round goes to the nearest whole number, ties to even. lanes_sum and lanes_largest run over the
///     16 in halves: lane i and i + 8, then i + 4, i + 2, i + 1. lanes_smallest is infinity where no lane is asked.
/// Powers of two. lanes_power is p 2^n for a whole n in -126..127; lanes_raise the same for n + LANES_MAGIC, with no
///     care for overflow. lanes_quarter turns sine and cosine of the rest of an angle by the quarter turns in
///     n + LANES_MAGIC.
/// Comparisons are false for NaN. lanes_choose and words_choose give the second argument where the mask says yes.
///     mask_any tells whether it does so anywhere.
/// Conversions. words_truncate and words_round (to the nearest, ties to even) want |x| < 2^31. words_cast and
///     lanes_cast keep the bits.
/// Words. Numbers are signed, wrap around, and words_shift_right shifts zeros in. words_count counts the bits that are
///     set in each. words_mark is w | (u >= 0 ? bit : 0). words_multiply_pairs is the sum of the products of the low
///     and of the high 16 bits, signed. Tables that are looked up have 16 entries. words_gather takes the four numbers
///     of block [index], 16 bytes each. words_store_rgb writes four rows of four pixels, the low three bytes of each.

#ifndef LANES // where an includer does not say otherwise
#define LANES static inline __attribute__((always_inline, unused))
#endif

#define LANES_MAGIC 12582912.0f ///< 1.5 2^23: what is added to a small whole number shows it in the lowest bits
