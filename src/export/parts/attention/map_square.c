/* squares of the projections, as in SARA-RT (Leal et al. 2023) */
static void read_features(float *phi, float x[][TOKENS], int i, int side)
{
    int f;
    for (f = 0; f < FEATURES; f++)
    {
        float u = projected(x, i, f, side);
        phi[f] = u * u;
    }
}
