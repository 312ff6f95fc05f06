/* the largest of each square of `side` pixels, each channel for itself; out may be in, which is read ahead of it */
static void pool(float *out, const float *in, int side, int in_columns, int rows, int columns, int depth)
{
    int y, x, o, i;
    for (y = 0; y < rows; y++)
        for (x = 0; x < columns; x++)
            for (o = 0; o < depth; o++)
            {
                const float *corner = in + (y * in_columns + x) * side * depth + o;
                float most = *corner;
                for (i = 1; i < side * side; i++)
                {
                    float number = corner[(i / side * in_columns + i % side) * depth];
                    most = number > most ? number : most;
                }
                *out++ = most;
            }
}
