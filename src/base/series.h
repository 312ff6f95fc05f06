#pragma once

/// Logarithm, exponential, sine, cosine and arc tangent by series, because libm's last bit differs between systems.

/// Compute ln(x) for a positive, normal x.
double sac_series_log(double x);

/// Compute e^x; 0 or infinity where that is out of range.
double sac_series_exp(double x);

/// Compute sin(x) and cos(x) for |x| < 2^20.
void sac_series_sin_cos(double x, double *sine, double *cosine);

/// Compute the angle from the x axis to (x, y), -pi..pi; 0 for the point 0, NaN where a number is not finite.
double sac_series_atan2(double y, double x);
