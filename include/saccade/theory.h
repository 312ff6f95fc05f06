#pragma once

#include "saccade/base.h"

/// How far random features lie from the softmax kernel: closed forms of Choromanski et al. 2021 (Unlocking Pixels,
/// first version) and Leal et al. 2023 (SARA-RT), in double precision.
///
/// An estimate of SM(x, y) = exp(x.y) is phi(x).phi(y) with M independent standard normal vectors (and R further ones
/// for the hybrid map). All are unbiased, so the mean squared error is the variance. If rows of W are orthogonal in
/// blocks, the errors are smaller than these. The equation numbers below are those of Choromanski et al. 2021.
///
///     trig     E_t = exp(|x + y|^2) (1 - exp(-|x - y|^2))^2 / (2 M SM^2)           equation 13
///     exp      E_e = exp(|x + y|^2) (1 - exp(-|x + y|^2)) SM^2 / M                 equation 14
///     hybrid   p^2 E_e + (1 - p)^2 E_t + p (1 - p) ((E_e + E_t) / R
///              - 2 (1 - 1/R) SM^2 (1 - cos(|x|^2 - |y|^2)) / M),  p = angle / pi   equation 10
///
/// `x` and `y` are [size], as the map sees them: scaled or normalised already. Errors that overflow are infinite. The
/// functions have no state; any thread may call them.

/// Compute the mean squared error of M trigonometric features (2 M numbers a token). M >= 1.
SAC_API double sac_theory_mse_trig(const double *x, const double *y, int size, int m);

/// Compute the mean squared error of M positive features. M >= 1.
SAC_API double sac_theory_mse_exp(const double *x, const double *y, int size, int m);

/// Compute the mean squared error of hybrid features (3 M (1 + R) numbers a token). M >= 1, R >= 1. Where x or y is
/// zero the angle counts as pi / 2, which follows from sgn(0) = +1.
SAC_API double sac_theory_mse_hybrid(const double *x, const double *y, int size, int m, int r);

/// Compute the angle between x and y in 0..pi, exact near both ends too; pi / 2 where one is zero.
SAC_API double sac_theory_angle(const double *x, const double *y, int size);

/// Compute the g of Leal et al. 2023 (SARA-RT), lemma 3.2: M positive features of two vectors of length `length` at
/// `angle` miss SM by more than g with a probability of at most 1 / t^2. With t = 1 it is the standard deviation.
SAC_API double sac_theory_deviation(double length, double angle, int m, double t);
