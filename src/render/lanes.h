#pragma once

#include <stddef.h>
#include <stdint.h>

/// Sixteen numbers side by side: `lanes` of floats, `ints`, `mask` of yes and no. Each CPU level has them in a header
/// of its own; plain.h defines what every operation means, and all levels give the same bits.
///
/// least and most give the second operand when either is NaN; below and at_most are then false. truncated and rounded
/// (to the nearest, ties to even) want |x| < 2^31. Tables of lookup have 16 entries. multiply_pairs: the sum of the
/// products of the low and of the high 16 bits, signed. gather_blocks: the four numbers of block [index], 16 bytes
/// each.

// under the sanitizers the compiler would take minutes over what is inlined
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LANES static inline __attribute__((unused))
#else
#define LANES static inline __attribute__((always_inline, unused))
#endif

#if defined(SAC_LEVEL_AVX512) || defined(SAC_LEVEL_AVX2)
#define INLINED LANES // what is worth it where lanes are registers
#else
#define INLINED static
#endif

#if defined(SAC_LEVEL_AVX512)
#include "render/avx512.h"
#elif defined(SAC_LEVEL_AVX2)
#include "render/avx2.h"
#else
#include "render/plain.h"
#endif

LANES int any(mask m)
{
    return bits(m) != 0;
}

/// x within 0..1; NaN gives 0.
LANES lanes unit(lanes x)
{
    return least(most(x, fill(0.0f)), fill(1.0f));
}
LANES lanes negative(lanes x)
{
    return sub(fill(0.0f), x);
}

/// a b + c, rounded twice.
LANES lanes mul_add(lanes a, lanes b, lanes c)
{
    return add(mul(a, b), c);
}

/// Three lanes: a point, a direction or a colour in sixteen pixels.
typedef struct lanes3
{
    lanes x, y, z;
} lanes3;

LANES lanes dot(lanes3 a, lanes3 b)
{
    return add(add(mul(a.x, b.x), mul(a.y, b.y)), mul(a.z, b.z));
}
LANES lanes3 along(lanes3 p, lanes t, lanes3 d)
{
    return (lanes3){add(p.x, mul(t, d.x)), add(p.y, mul(t, d.y)), add(p.z, mul(t, d.z))};
}
LANES lanes3 scaled(lanes3 a, lanes s)
{
    return (lanes3){mul(a.x, s), mul(a.y, s), mul(a.z, s)};
}
LANES lanes3 sum3(lanes3 a, lanes3 b)
{
    return (lanes3){add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)};
}
LANES lanes3 choose3(mask m, lanes3 yes, lanes3 no)
{
    return (lanes3){choose(m, yes.x, no.x), choose(m, yes.y, no.y), choose(m, yes.z, no.z)};
}
LANES lanes3 fill3(const float v[3])
{
    return (lanes3){fill(v[0]), fill(v[1]), fill(v[2])};
}
