#include "learn/learn.h"

#include "base/error.h"
#include "base/level.h"
#include "base/series.h"

#define X(name, parameters)                                                                                            \
    void sac_learn_##name##_scalar parameters, sac_learn_##name##_neon parameters, sac_learn_##name##_avx2 parameters, \
        sac_learn_##name##_avx512 parameters;
SAC_LEARN_LIST(X)
#undef X

sac_learn sac_learn_create(void *scratch)
{
    SAC_ASSERT((uintptr_t)scratch % 64 == 0);
    return (sac_learn){.kernels = sac_kernels_create(sac_get_cpu_level()),
                       .gemm = SAC_AT_LEVEL(sac_gemm),
                       .scratch = scratch,
#define X(name, parameters) .name = SAC_AT_LEVEL(sac_learn_##name),
                       SAC_LEARN_LIST(X)
#undef X
    };
}

double sac_schedule(uint64_t step, uint64_t warm, uint64_t steps, double last)
{
    if (step < warm) return (double)(step + 1) / (double)warm;
    if (step >= steps) return last;
    double sine, cosine, part = (double)(step - warm) / (double)(steps - warm);
    sac_series_sin_cos(3.14159265358979323846 * part, &sine, &cosine);
    return last + (1 - last) * 0.5 * (1 + cosine);
}
