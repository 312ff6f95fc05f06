#pragma once

#include "attention/form.h"

/// What the functions of the exact form share.

/// Factor of q.k in the exponent of 2.
static inline float sac_softmax_factor(const sac_attention *a)
{
    return (float)(a->scale * 1.4426950408889634);
}

/// Tell whether no score can exceed SAC_NEAR, by |q.k| <= |q||k|. False where something is not a number.
bool sac_softmax_is_near(const sac_attention *a, const float *queries, int query_count, int query_stride,
                         const float *keys, int key_count, int key_stride);

/// One row of A.
void sac_softmax_row(const sac_attention *a, float *weights, int row, const float *queries, const float *keys, int n,
                     int stride, void *workspace);

/// Distinct columns of n that are held at most; where there are more, all are taken as they are.
int sac_softmax_capacity(const sac_attention *a, int n);

size_t sac_softmax_output_workspace_size(const sac_attention *a, int n, int value_size);
void sac_softmax_output(const sac_attention *a, float *out, int out_stride, const float *queries, int query_count,
                        int query_stride, const float *keys, int key_count, int key_stride, const float *values,
                        int values_stride, int value_size, void *workspace);
