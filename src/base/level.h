#pragma once

#include "saccade/base.h"

/// These macros choose among the builds of a function. A source that is compiled once for each CPU level (LEVELS in
/// src/CMakeLists.txt) defines `name_scalar` and, where the kind of machine has them, `name_neon`, or `name_avx2` and
/// `name_avx512`. The level in use chooses among them in this file alone. Only sac_kernels_create (kernels/kernels.h)
/// is told its level: it fills a table of functions from the lowest level upward, so that tests can ask for the table
/// of any level.
///
///     SAC_AT_LEVEL(sac_draw)(renderer, picture);
///     const car_raster *raster = SAC_AT_LEVEL(&sac_car_raster);
#if defined(__x86_64__)
#define SAC_AT_LEVEL(name)                                 \
    (sac_get_cpu_level() == SAC_CPU_AVX512 ? name##_avx512 \
     : sac_get_cpu_level() == SAC_CPU_AVX2 ? name##_avx2   \
                                           : name##_scalar)
#elif defined(__aarch64__)
#define SAC_AT_LEVEL(name) (sac_get_cpu_level() == SAC_CPU_NEON ? name##_neon : name##_scalar)
#else
#define SAC_AT_LEVEL(name) name##_scalar
#endif
