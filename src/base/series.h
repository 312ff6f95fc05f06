#pragma once

/// Logarithm, exponential, sine and cosine by series, because libm's last bit differs between systems.

/// Compute ln(x) for a positive, normal x.
double sac_series_log(double x);

/// Compute e^x; 0 or infinity where that is out of range.
double sac_series_exp(double x);

/// Compute sin(x) and cos(x) for |x| < 2^20.
void sac_series_sin_cos(double x, double *sine, double *cosine);
