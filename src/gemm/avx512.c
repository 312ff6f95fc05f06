#include "base/lanes/avx512.h"

#define GEMM_ROWS  12
#define GEMM_LANES 2
#include "gemm/wide_gemm.h"

void sac_gemm_avx512(const sac_gemm *g, void *scratch)
{
    wide_gemm(g, scratch);
}
