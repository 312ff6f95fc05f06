#include <string.h>

#include "kernels/scalar.h"

// declarations and the scalar table come from one list, so that no kernel can be forgotten
#define X(name, parameters) void sac_##name##_scalar parameters;
SAC_KERNEL_LIST(X)
#undef X

sac_kernels sac_kernels_create(sac_cpu_level level)
{
#define X(name, parameters) .name = sac_##name##_scalar,
    // scalar first: the definition of every kernel
    sac_kernels k = {SAC_KERNEL_LIST(X)};
#undef X
// each level overwrites what it does better; what it leaves out stays as the level below has it
#if defined(__aarch64__)
    if (level >= SAC_CPU_NEON) sac_kernels_add_neon(&k);
#elif defined(__x86_64__)
    if (level >= SAC_CPU_AVX2) sac_kernels_add_avx2(&k);
    if (level >= SAC_CPU_AVX512) sac_kernels_add_avx512(&k);
#endif
    (void)level;
    return k;
}

// This is not in scalar.c, which is compiled to be small, because it runs at every level.
void sac_sum_lanes(float *sums, const float *lanes, int count)
{
    for (int m = 0; m < count; m++)
    {
        float part[SAC_LANES];
        memcpy(part, lanes + (size_t)m * SAC_LANES, sizeof part);
        sums[m] = sum_lanes(part);
    }
}
