/* ((P Q') K'^T) V */
static void read_left(float *left, int row, int rows, float *right, int patch)
{
    float phi[FEATURES];
    int r, v;
    read_features(phi, state.tokens + D, patch, 1);
    for (r = 0; r < rows; r++) left[r] = mixed(state.summary + (row + r) * FEATURES, phi);
    for (v = 0; v < V; v++) right[v] = value_of(v, patch);
}

static void multiply(float *out)
{
    int i;
    /* the gains of the keys are multiplied into the L rows, and not for each patch */
    gather(state.summary, 0, L, trans_projection, gain_of_queries);
    for (i = 0; i < L * FEATURES; i++)
        state.summary[i] = (float)((double)state.summary[i] * gain_of_keys[i % FEATURES]);
    add_products(out, BLOCK, read_left);
}
