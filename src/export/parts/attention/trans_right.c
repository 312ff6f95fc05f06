/* P (Q' (K'^T V)) */
static void read_right(float *left, int row, int rows, float *right, int patch)
{
    float phi[FEATURES];
    int r, v;
    read_features(phi, state.tokens, patch, 0);
    for (r = 0; r < rows; r++) left[r] = trans_projection(row + r, patch);
    for (v = 0; v < V; v++) right[v] = mixed(state.product + v * FEATURES, phi);
}

static void multiply(float *out)
{
    int i;
    /* the gains of the queries are multiplied into the V rows, and not for each patch */
    gather(state.product, 1, V, value_of, gain_of_keys);
    for (i = 0; i < V * FEATURES; i++)
        state.product[i] = (float)((double)state.product[i] * gain_of_queries[i % FEATURES]);
    add_products(out, BLOCK, read_right);
}
