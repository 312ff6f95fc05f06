/* [outputs][pixels] -> [pixels][outputs], what is negative becomes zero */
static void interleave(float *out)
{
    int n, o;
    for (n = 0; n < TOKENS; n++)
        for (o = 0; o < OUTPUTS; o++) *out++ = state.tokens[o][n] > 0 ? state.tokens[o][n] : 0;
}

/* a layer of convolutions without padding, what is negative becomes zero; images are [rows, columns, depth] */
static void convolve(float *out, const float *in, float (*weight)(int row, int column), const float *bias, int in_width,
                     int depth, int rows, int columns, int outputs)
{
    int y, x, o, r, i;
    for (y = 0; y < rows; y++)
        for (x = 0; x < columns; x++)
            for (o = 0; o < outputs; o++)
            {
                float sum = 0;
                for (r = 0; r < KERNEL; r++)
                    for (i = 0; i < KERNEL * depth; i++)
                        sum = fused(weight(o, r * KERNEL * depth + i),
                                    in[((y * CONV_STRIDE + r) * in_width + x * CONV_STRIDE) * depth + i], sum);
                sum += bias[o];
                *out++ = sum > 0 ? sum : 0;
            }
}
