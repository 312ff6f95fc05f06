/* the square root of a positive double, rounded to nearest: digit by digit in whole numbers */
static double long_root(double x)
{
    union
    {
        double number;
        uint64_t bits;
    } both;
    uint64_t mantissa, rest = 0, result = 0;
    int exponent, i;
    both.number = x;
    /* an even exponent halves exactly; the root of the mantissa follows, two bits of it for each digit */
    exponent = (int)(both.bits >> 52);
    if (!(x > 0) || exponent == 2047) return x;
    mantissa = (both.bits & 0xfffffffffffffu) | 0x10000000000000u;
    exponent -= 1023;
    if (exponent & 1) mantissa <<= 1, exponent--;
    for (i = 53; i >= 0; i--)
    {
        rest = rest << 2 | (i >= 27 ? mantissa >> (2 * (i - 27)) & 3 : 0);
        result <<= 1;
        if (rest > result << 1)
        {
            rest -= (result << 1) + 1;
            result++;
        }
    }
    both.bits = ((uint64_t)(exponent / 2 + 1022) << 52) + (result >> 1) + (result & 1);
    return both.number;
}

/* each token to mean 0 and variance 1, then times gain plus bias */
static void norm_layers(void)
{
    int r, i;
    for (r = 0; r < L; r++)
    {
        float *x = state.told + r * V;
        double mean = 0, variance = 0, length;
        for (i = 0; i < V; i++) mean += (double)x[i];
        /* in double, so that the variance of nearly equal numbers has digits left */
        mean /= V;
        for (i = 0; i < V; i++)
        {
            double square = ((double)x[i] - mean) * ((double)x[i] - mean);
            variance += square;
        }
        length = long_root(variance / V + (double)NORM_EPSILON);
        for (i = 0; i < V; i++)
        {
            double scaled = ((double)x[i] - mean) / length * (double)norm_gain[i];
            x[i] = (float)(scaled + (double)norm_bias[i]);
        }
    }
}
