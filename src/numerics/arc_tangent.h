#pragma once

/// Compute the angle from the x axis to (x, y), -pi..pi, by a series, because libm's last bit differs between systems;
/// 0 for the point 0, NaN where a number is not finite.
double sac_arc_tangent(double y, double x);
