/* linear attention: importance[j] = (1/N) phi(k_j).z, z = sum_i phi(q_i) */
static void attend(void)
{
    float phi[FEATURES];
    int i, f;
    /* first pass: z, the sum over all queries */
    for (f = 0; f < FEATURES * LANES; f++) state.lanes[f / LANES][f % LANES] = 0;
    for (i = 0; i < TOKENS; i++)
    {
        read_features(phi, state.tokens, i, 0);
        for (f = 0; f < FEATURES; f++) state.lanes[f][i % LANES] += phi[f];
    }
    /* the gains of both sides and 1/N are multiplied here, once, and not for each key */
    for (f = 0; f < FEATURES; f++) state.sums[f] = (float)((double)sum_of(state.lanes[f]) * feature_gain[f]);
    /* second pass: every key against it, so that no matrix of TOKENS x TOKENS is needed */
    for (i = 0; i < TOKENS; i++)
    {
        read_features(phi, state.tokens + D, i, 1);
        state.row[i] = score(phi);
    }
}
