/* random Fourier features (Rahimi and Recht 2007): sine and cosine of each projection, times exp(|x|^2 / 2), which
   turns the Gaussian kernel into that of softmax */
static void read_features(float *phi, float x[][TOKENS], int i, int side)
{
    float length = sac_exp2(-(MAP_SQUARE * square_norm(x, i)));
    int f;
    for (f = 0; f < FEATURES / 2; f++)
    {
        float sine, cosine;
        sac_sin_cos(projected(x, i, f, side) * MAP_TURN, &sine, &cosine);
        phi[2 * f] = sine * length;
        phi[2 * f + 1] = cosine * length;
    }
}
