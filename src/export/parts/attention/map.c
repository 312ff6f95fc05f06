/* u, from which the map is computed: row `feature` of a matrix times token i. Queries and keys may have matrices of
   their own. */
static float projected(float x[][TOKENS], int i, int feature, int side)
{
    float u = MAP_WEIGHT(side, feature, 0) * x[0][i];
    int d;
    for (d = 1; d < D; d++) u = fused(MAP_WEIGHT(side, feature, d), x[d][i], u);
    return u;
}
