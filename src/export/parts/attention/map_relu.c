/* ReLU features: a kernel of their own and no estimate of softmax (Choromanski et al. 2021, "Rethinking Attention with
   Performers", generalised attention) */
static void read_features(float *phi, float x[][TOKENS], int i, int side)
{
    int f;
    for (f = 0; f < FEATURES; f++) phi[f] = sac_max(0.0f, projected(x, i, f, side));
}
