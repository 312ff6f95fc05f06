static void read_residual(float *left, int row, int rows, float *right, int patch)
{
    int r, v;
    for (r = 0; r < rows; r++) left[r] = trans_projection(row + r, patch);
    for (v = 0; v < V; v++) right[v] = value_of(v, patch);
}

static void attend(void)
{
    int i;
    for (i = 0; i < L * V; i++) state.features[i] = 0;
    multiply(state.features);
    if (RESIDUAL) add_products(state.features, TOKENS, read_residual);
}
