/* the square root, rounded to nearest: digit by digit in whole numbers */
static float root(float x)
{
    uint32_t bits = bits_of(x), mantissa = bits & 0x7fffffu, result = 0, digit;
    int exponent = (int)(bits >> 23);
    uint64_t rest, square;
    if (!(x > 0) || exponent == 255) return x;
    if (exponent == 0)
        for (exponent = 1; mantissa < 0x800000u; exponent--) mantissa <<= 1;
    else
        mantissa |= 0x800000u;
    exponent -= 127;
    if (exponent & 1) mantissa <<= 1, exponent--;
    rest = (uint64_t)mantissa << 25; /* root in 25 bits: one below the last place */
    for (digit = 1u << 24; digit; digit >>= 1)
    {
        square = (uint64_t)(result | digit) * (result | digit);
        if (square <= rest) result |= digit;
    }
    /* the bit below the last place decides: a root is never halfway between two floats */
    result = (result >> 1) + (result & 1);
    return with_bits(((uint32_t)(exponent / 2 + 126) << 23) + result);
}

/* queries and keys divided by their lengths */
static void normalise(void)
{
    int side, n, d;
    for (side = 0; side < 2; side++)
        for (n = 0; n < TOKENS; n++)
        {
            float norm = 0;
            for (d = 0; d < D; d++) norm = fused(state.tokens[side * D + d][n], state.tokens[side * D + d][n], norm);
            /* a token of zeros stays one */
            norm = norm == 0 ? 1 : root(norm);
            for (d = 0; d < D; d++) state.tokens[side * D + d][n] /= norm;
        }
}
