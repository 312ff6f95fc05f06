/* a small stack of convolutions over the patch, tanh after each; images are [side, side, channels] */
static void convolve(float *out, const float *in, float (*weight)(int row, int column), const float *bias, int in_side,
                     int depth, int side, int channels)
{
    int y, x, o, c, i, j;
    for (y = 0; y < side; y++)
        for (x = 0; x < side; x++)
            for (o = 0; o < channels; o++)
            {
                float sum = bias[o];
                int w = 0;
                for (c = 0; c < depth; c++)
                    for (i = 0; i < KERNEL; i++)
                        for (j = 0; j < KERNEL; j++)
                        {
                            /* the product is rounded before it is added, as the library does here */
                            float product = weight(o, w++) *
                                            in[((y * CONV_STRIDE + i) * in_side + x * CONV_STRIDE + j) * depth + c];
                            sum += product;
                        }
                *out++ = sum;
            }
}

/* tanh after a layer */
static void curve(float *x, int count)
{
    int i;
    for (i = 0; i < count; i++) x[i] = sac_tanh(x[i]);
}
