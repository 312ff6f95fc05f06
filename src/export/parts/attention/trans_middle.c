/* (P Q') (K'^T V) */
static void multiply(float *out)
{
    int r, v, f;
    /* both sums have FEATURES columns, and neither depends on the number of patches */
    gather(state.summary, 0, L, trans_projection, gain_of_queries);
    gather(state.product, 1, V, value_of, gain_of_keys);
    for (r = 0; r < L; r++)
        for (v = 0; v < V; v++)
        {
            float lanes[LANES] = {0};
            for (f = 0; f < FEATURES; f++)
                lanes[f % LANES] =
                    fused(state.summary[r * FEATURES + f], state.product[v * FEATURES + f], lanes[f % LANES]);
            out[r * V + v] += sum_of(lanes);
        }
    (void)mixed;
}
