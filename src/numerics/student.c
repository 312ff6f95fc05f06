#include "numerics/student.h"

#include <math.h>

#include "base/error.h"

static const double pi = 3.14159265358979323846;

// Abramowitz and Stegun, equations 26.7.3 and 26.7.4, with t = sqrt(freedom) tan(angle). Every term is positive, so
// nothing cancels.
static double within_angle(double angle, int freedom)
{
    double cosine = cos(angle), square = cosine * cosine, sum = 0;
    bool odd = freedom % 2 != 0;
    double term = odd ? cosine : 1;
    for (int k = odd ? 3 : 2; k <= freedom; k += 2)
    {
        sum += term;
        term *= square * (k - 1) / k;
    }
    sum *= sin(angle);
    return odd ? 2 / pi * (angle + sum) : sum;
}

double sac_student_within(double t, int freedom)
{
    SAC_ASSERT(t >= 0 && freedom >= 1);
    return within_angle(atan2(t, sqrt(freedom)), freedom);
}

double sac_student_quantile(double probability, int freedom)
{
    SAC_ASSERT(probability > 0 && probability < 1 && freedom >= 1);
    double low = 0, high = pi / 2;
    // The probability grows with the angle, so the interval is halved until its ends are neighbours.
    for (double middle; (middle = 0.5 * (low + high)) > low && middle < high;)
        *(within_angle(middle, freedom) < probability ? &low : &high) = middle;
    return sqrt(freedom) * tan(high);
}
