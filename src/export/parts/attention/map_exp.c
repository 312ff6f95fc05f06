/* positive features of the softmax kernel: exp(w . x - |x|^2 / 2), whose products are exp(q . k) on average over normal
   w (Choromanski et al. 2021, "Rethinking Attention with Performers", lemma 1). The factors hold log2(e), so that
   powers of 2 stand for those of e. */
static void read_features(float *phi, float x[][TOKENS], int i, int side)
{
    float norm = square_norm(x, i);
    int f;
    for (f = 0; f < FEATURES; f++) phi[f] = sac_exp2(fused(MAP_SQUARE, norm, projected(x, i, f, side)));
}
