#include <math.h>

#include "gemm/gemm.h"
#include "kernels/elementary.h"

/// The definition of the product of matrices.

static float activate(float x, sac_activation activation)
{
    switch (activation)
    {
    case SAC_ACTIVATION_RELU: return x > 0 ? x : 0;
    case SAC_ACTIVATION_TANH: return sac_tanh(x);
    case SAC_ACTIVATION_SIGMOID: return sac_sigmoid(x);
    default: return x;
    }
}

void sac_gemm_scalar(const sac_gemm *g, void *scratch)
{
    (void)scratch;
    for (int i = 0; i < g->rows; i++)
        for (int j = 0; j < g->columns; j++)
        {
            float *out = g->out + i * g->out_row + j, sum = g->add ? *out : g->bias ? g->bias[j] : 0;
            for (int k = 0; k < g->inner; k++)
                sum = fmaf(g->a[i * g->a_row + k * g->a_column], g->b[k * g->b_row + j * g->b_column], sum);
            *out = activate(sum, g->activation);
        }
}
