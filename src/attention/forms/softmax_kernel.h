#pragma once

#include <math.h>

/// The maps that estimate exp(scale q.k) see y = sqrt(scale) x. Their kernels compute powers of two, because these are
/// faster than powers of e, so W and |x|^2 include the factor log2 e.

static const double sac_log2_e = 1.4426950408889634;

/// u = log2(e) W y
static inline double sac_log2_matrix_factor(double scale)
{
    return sqrt(scale) * sac_log2_e;
}

/// The factor of |x|^2 in log2 of exp(-|y|^2 / 2).
static inline double sac_log2_square_factor(double scale)
{
    return -0.5 * scale * sac_log2_e;
}

/// From u to quarter turns of W y: 2 / pi / log2(e).
static const double sac_log2_turn = 0.4412712003053;
