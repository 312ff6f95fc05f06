#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "saccade/base.h"

static const char *const names[] = {"scalar", "neon", "avx2", "avx512"};

static _Atomic int level_in_use = -1;

static sac_cpu_level best_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni"))
        return SAC_CPU_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SAC_CPU_AVX2;
    return SAC_CPU_SCALAR;
#elif defined(__aarch64__)
    return SAC_CPU_NEON;
#else
    return SAC_CPU_SCALAR;
#endif
}

static sac_cpu_level limited(sac_cpu_level wanted)
{
    sac_cpu_level best = best_level();
    if (wanted >= best) return best;
    // NEON is not a step below the x86 levels
    return wanted == SAC_CPU_NEON ? SAC_CPU_SCALAR : wanted;
}

void sac_set_cpu_level(sac_cpu_level level)
{
    atomic_store(&level_in_use, (int)limited(level));
}

sac_cpu_level sac_get_cpu_level(void)
{
    int level = atomic_load(&level_in_use);
    if (level >= 0) return (sac_cpu_level)level;

    sac_cpu_level wanted = best_level();
    const char *name = getenv("SACCADE_CPU");
    for (int i = 0; name && i <= SAC_CPU_AVX512; i++)
        if (strcmp(name, names[i]) == 0) wanted = (sac_cpu_level)i;
    sac_set_cpu_level(wanted);
    return limited(wanted);
}

const char *sac_cpu_level_name(sac_cpu_level level)
{
    return names[level];
}
