/* a token's score is one sum, over the features in their order */
static float score(const float *phi)
{
    float sum = 0;
    int f;
    for (f = 0; f < FEATURES; f++) sum = fused(state.sums[f], phi[f], sum);
    return sum;
}
