/* A patch also adds to the mixture directly, by P V (the residual of IAP-trans). */
static void read_residual(float *left, int row, int rows, float *right, int patch)
{
    int r, v;
    for (r = 0; r < rows; r++) left[r] = trans_projection(row + r, patch);
    for (v = 0; v < V; v++) right[v] = value_of(v, patch);
}

/* the tokens that the controller is told, [L, V] */
static void attend(void)
{
    int i;
    for (i = 0; i < L * V; i++) state.told[i] = 0;
    multiply(state.told);
    if (RESIDUAL) add_products(state.told, TOKENS, read_residual);
}
