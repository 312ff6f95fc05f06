#pragma once

// under the sanitizers the compiler would take minutes over what is inlined
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LANES static inline __attribute__((unused))
#endif

#include "base/lanes/level.h"

/// What pictures make of lanes (base/lanes/lanes.h): sixteen pixels at a time.

#ifdef SAC_LEVEL_SCALAR
#define INLINED static
#else
#define INLINED LANES // what is worth it where lanes are registers
#endif

/// x within 0..1; NaN gives 0.
LANES lanes lanes_clamp(lanes x)
{
    return lanes_min(lanes_max(x, lanes_set(0.0f)), lanes_set(1.0f));
}
LANES lanes lanes_minus(lanes x)
{
    return lanes_sub(lanes_set(0.0f), x);
}

/// a b + c, rounded twice.
LANES lanes lanes_mul_add(lanes a, lanes b, lanes c)
{
    return lanes_add(lanes_mul(a, b), c);
}

/// Three lanes: a point, a direction or a colour in sixteen pixels.
typedef struct lanes3
{
    lanes x, y, z;
} lanes3;

LANES lanes dot(lanes3 a, lanes3 b)
{
    return lanes_add(lanes_add(lanes_mul(a.x, b.x), lanes_mul(a.y, b.y)), lanes_mul(a.z, b.z));
}
LANES lanes3 along(lanes3 p, lanes t, lanes3 d)
{
    return (lanes3){lanes_add(p.x, lanes_mul(t, d.x)), lanes_add(p.y, lanes_mul(t, d.y)),
                    lanes_add(p.z, lanes_mul(t, d.z))};
}
LANES lanes3 scaled(lanes3 a, lanes s)
{
    return (lanes3){lanes_mul(a.x, s), lanes_mul(a.y, s), lanes_mul(a.z, s)};
}
LANES lanes3 sum3(lanes3 a, lanes3 b)
{
    return (lanes3){lanes_add(a.x, b.x), lanes_add(a.y, b.y), lanes_add(a.z, b.z)};
}
LANES lanes3 choose3(mask m, lanes3 yes, lanes3 no)
{
    return (lanes3){lanes_choose(m, yes.x, no.x), lanes_choose(m, yes.y, no.y), lanes_choose(m, yes.z, no.z)};
}
LANES lanes3 fill3(const float v[3])
{
    return (lanes3){lanes_set(v[0]), lanes_set(v[1]), lanes_set(v[2])};
}
