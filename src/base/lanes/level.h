#pragma once

/// The lanes (base/lanes/lanes.h) of the CPU level that the including source is compiled for, one of several builds.
#if defined(SAC_LEVEL_AVX512)
#include "base/lanes/avx512.h"
#elif defined(SAC_LEVEL_AVX2)
#include "base/lanes/avx2.h"
#elif defined(SAC_LEVEL_NEON)
#include "base/lanes/neon.h"
#else
#include "base/lanes/plain.h"
#endif
