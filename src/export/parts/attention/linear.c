/* linear attention: importance[j] = (1/N) phi(k_j).z, z = sum_i phi(q_i) */
static void attend(void)
{
    float phi[FEATURES];
    int i, f;
    for (f = 0; f < FEATURES * LANES; f++) state.lanes[f / LANES][f % LANES] = 0;
    for (i = 0; i < TOKENS; i++)
    {
        read_features(phi, state.tokens, i, 0);
        for (f = 0; f < FEATURES; f++) state.lanes[f][i % LANES] += phi[f];
    }
    for (f = 0; f < FEATURES; f++) state.sums[f] = (float)((double)sum_of(state.lanes[f]) * feature_gain[f]);
    for (i = 0; i < TOKENS; i++)
    {
        read_features(phi, state.tokens + D, i, 1);
        state.row[i] = score(phi);
    }
}
