#pragma once

/// Student's t distribution for a whole number of degrees of freedom.

/// The probability that a variable of `freedom` degrees of freedom lies between -t and t, in closed form: O(freedom).
/// @param t        >= 0
/// @param freedom  >= 1
double sac_student_within(double t, int freedom);

/// The t between whose negative and itself a variable lies with that probability: 12.706 for 0.95 and one degree of
/// freedom. As exact as doubles allow; O(64 freedom).
/// @param probability  above 0 and below 1
double sac_student_quantile(double probability, int freedom);
