#pragma once

#include "evolve/vector.h"

/// The inner loops of vector.h, compiled once for each CPU level, with the same bits on all.

typedef double sac_vector_dot_loop(const double *a, const double *b, size_t n);
typedef void sac_vector_mix_loop(double *restrict y, double keep, double factor, const double *restrict x, size_t n);
typedef void sac_vector_sample_loop(float *restrict x, const double *restrict mean, double sigma,
                                    const double *restrict deviation, const double *restrict z, size_t n);
typedef void sac_vector_moments_loop(double *restrict first, double *restrict second, double weight_first,
                                     double weight_second, const double *restrict y, size_t n);

typedef void sac_vector_scaled_moments_loop(double *restrict first, double *restrict second,
                                            const double *restrict deviation, const sac_weighted_row *rows, int count,
                                            size_t n);

sac_vector_dot_loop sac_vector_dot_scalar, sac_vector_dot_neon, sac_vector_dot_avx2, sac_vector_dot_avx512;
sac_vector_mix_loop sac_vector_mix_scalar, sac_vector_mix_neon, sac_vector_mix_avx2, sac_vector_mix_avx512;
sac_vector_sample_loop sac_vector_sample_scalar, sac_vector_sample_neon, sac_vector_sample_avx2,
    sac_vector_sample_avx512;
sac_vector_moments_loop sac_vector_moments_scalar, sac_vector_moments_neon, sac_vector_moments_avx2,
    sac_vector_moments_avx512;
sac_vector_scaled_moments_loop sac_vector_scaled_moments_scalar, sac_vector_scaled_moments_neon,
    sac_vector_scaled_moments_avx2, sac_vector_scaled_moments_avx512;
