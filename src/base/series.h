#pragma once

/// Logarithm and exponential by series: libm's last bit differs between systems, these do not.

/// ln(x) for a positive, normal x.
double sac_series_log(double x);

/// e^x; 0 or infinity where that is out of range.
double sac_series_exp(double x);

/// sin(x) and cos(x) for |x| < 2^20.
void sac_series_sin_cos(double x, double *sine, double *cosine);
