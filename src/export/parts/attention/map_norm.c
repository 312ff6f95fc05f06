/* |x|^2 of token i */
static float square_norm(float x[][TOKENS], int i)
{
    float norm = x[0][i] * x[0][i];
    int d;
    for (d = 1; d < D; d++) norm = fused(x[d][i], x[d][i], norm);
    return norm;
}
