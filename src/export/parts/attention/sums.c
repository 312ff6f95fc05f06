/* sums over columns are taken in 16 parts, column j into part j % 16, which are added as a tree */
enum
{
    LANES = 16
};

static float sum_of(float lanes[LANES])
{
    int width, i;
    for (width = LANES / 2; width > 0; width /= 2)
        for (i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return lanes[0];
}

/* out = W x + bias */
static void dense(float *out, int outputs, float (*weight)(int row, int column), const float *bias, const float *x,
                  int inputs)
{
    int o, i;
    for (o = 0; o < outputs; o++)
    {
        float lanes[LANES] = {0};
        for (i = 0; i < inputs; i++) lanes[i % LANES] = fused(weight(o, i), x[i], lanes[i % LANES]);
        out[o] = sum_of(lanes) + bias[o];
    }
}
