#pragma once

/// Student's t distribution for a whole number of degrees of freedom.

/// Compute the probability that a variable of `freedom` degrees of freedom lies between -t and t, in closed form:
/// O(freedom).
/// @param t        >= 0
/// @param freedom  >= 1
double sac_student_within(double t, int freedom);

/// Find the t for which a variable lies between -t and t with that probability: 12.706 for 0.95 and one degree of
/// freedom. It is as exact as doubles allow; O(64 freedom).
/// @param probability  above 0 and below 1
double sac_student_quantile(double probability, int freedom);
