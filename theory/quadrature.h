#pragma once

#include "saccade/base.h"

/// Expectations over standard normal numbers by quadrature. They check the closed forms without using any of the same
/// algebra.

typedef double theory_function(const void *user, double g);
typedef double theory_function_2(const void *user, double g, double h);

/// Compute E f(g), g standard normal.
double theory_expect(theory_function *f, const void *user);

/// Compute E f(g, h), both standard normal and independent.
double theory_expect_2(theory_function_2 *f, const void *user);
