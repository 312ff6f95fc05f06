#pragma once

#include "saccade/base.h"

/// Expectations over standard normal numbers by quadrature: the witness of the closed forms, with none of their
/// algebra.

typedef double theory_function(const void *user, double g);
typedef double theory_function_2(const void *user, double g, double h);

/// E f(g), g standard normal.
double theory_expect(theory_function *f, const void *user);

/// E f(g, h), both standard normal and independent.
double theory_expect_2(theory_function_2 *f, const void *user);
