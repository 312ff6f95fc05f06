#pragma once

#include "gradient/gradient.h"

/// Examples flipped from left to right: a world whose left and right are alike gives two examples for one.

/// Check a def's factors or choices for a policy (sac_fit_def).
SAC_CHECKED sac_status sac_flip_check(const sac_gradient *gradient, const int *flip);

/// Write the rows of a picture that the policy looks at from right to left, each in its place; what lies between them
/// is left as it is.
void sac_flip_picture(const sac_gradient *gradient, uint8_t *out, const uint8_t *picture);
