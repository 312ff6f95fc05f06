#pragma once

/// A layer for SAC_LANES episodes with the same parameters, side by side:
/// out [outputs, SAC_LANES] = weights [outputs, inputs] x + bias, x [inputs, SAC_LANES]. In each column the bits are
/// those of the kernel `dense`, at every CPU level. It is no kernel itself, because attention does without it and its
/// library is to stay small.
typedef void sac_dense_columns_fn(float *out, const float *weights, const float *bias, const float *x, int outputs,
                                  int inputs);

sac_dense_columns_fn sac_dense_columns_scalar, sac_dense_columns_neon, sac_dense_columns_avx2, sac_dense_columns_avx512;
