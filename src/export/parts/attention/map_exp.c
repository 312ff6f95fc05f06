static void read_features(float *phi, float x[][TOKENS], int i, int side)
{
    float norm = square_norm(x, i);
    int f;
    for (f = 0; f < FEATURES; f++) phi[f] = sac_exp2(fused(MAP_SQUARE, norm, projected(x, i, f, side)));
}
