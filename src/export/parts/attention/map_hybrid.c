/* hybrid random features (Choromanski et al. 2021, "Unlocking Pixels for Reinforcement Learning via Implicit
   Attention", first version, equation 9) */
/* waves and powers, and both times the sides of PLANES planes that the token lies on */
static void read_features(float *phi, float x[][TOKENS], int i, int side)
{
    float *power = phi + 2 * WAVES, *alpha = power + WAVES, *beta = alpha + 2 * WAVES * PLANES;
    float norm = square_norm(x, i), length = sac_exp2(-(MAP_SQUARE * norm));
    int m, l, d;
    /* 1 or -1: the side of each plane */
    for (l = 0; l < PLANES; l++)
    {
        float u = map_planes[l * D] * x[0][i];
        for (d = 1; d < D; d++) u = fused(map_planes[l * D + d], x[d][i], u);
        state.sides[l] = u < 0 ? -1.0f : 1.0f;
    }
    /* phi is [waves | powers | sides times waves | sides times powers] */
    for (m = 0; m < WAVES; m++)
    {
        float u = projected(x, i, m, side), sine, cosine;
        sac_sin_cos(u * MAP_TURN, &sine, &cosine);
        phi[2 * m] = sine * length;
        phi[2 * m + 1] = cosine * length;
        power[m] = sac_exp2(fused(MAP_SQUARE, norm, u));
        for (l = 0; l < PLANES; l++)
        {
            *alpha++ = state.sides[l] * phi[2 * m];
            *alpha++ = state.sides[l] * phi[2 * m + 1];
            *beta++ = state.sides[l] * power[m];
        }
    }
}
