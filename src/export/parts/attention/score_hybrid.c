/* each plane's part, then their sum by the sides of the last token */
static float score(const float *phi)
{
    /* the sums of what was multiplied by sides lie behind those of waves and powers */
    const float *alpha = state.sums + 3 * WAVES, *beta = alpha + 2 * WAVES * PLANES;
    float parts[1 + PLANES] = {0}, sum;
    int m, l;
    for (m = 0; m < WAVES; m++)
    {
        float sine = phi[2 * m], cosine = phi[2 * m + 1], power = phi[2 * WAVES + m];
        parts[0] = fused(state.sums[2 * m], sine, parts[0]);
        parts[0] = fused(state.sums[2 * m + 1], cosine, parts[0]);
        parts[0] = fused(state.sums[2 * WAVES + m], power, parts[0]);
        for (l = 0; l < PLANES; l++)
        {
            float part = fused(alpha[2 * (m * PLANES + l)], sine, parts[1 + l]);
            part = fused(alpha[2 * (m * PLANES + l) + 1], cosine, part);
            parts[1 + l] = fused(beta[m * PLANES + l], power, part);
        }
    }
    sum = parts[0];
    for (l = 0; l < PLANES; l++) sum = fused(state.sides[l], parts[1 + l], sum);
    return sum;
}
