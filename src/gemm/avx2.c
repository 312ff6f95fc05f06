#include "base/lanes/avx2.h"

#define GEMM_ROWS  6
#define GEMM_LANES 1
#include "gemm/wide_gemm.h"

void sac_gemm_avx2(const sac_gemm *g, void *scratch)
{
    wide_gemm(g, scratch);
}
