static void read_features(float *phi, float x[][TOKENS], int i, int side)
{
    int f;
    for (f = 0; f < FEATURES; f++)
    {
        float u = projected(x, i, f, side);
        phi[f] = u * u;
    }
}
