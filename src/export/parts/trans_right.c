/* P (Q' (K'^T V)) */
static void multiply(float *out)
{
    int first, r;
    gather();
    apply(state.product, gain_of_queries, V);
    for (first = 0; first < TOKENS; first += BLOCK)
    {
        int count = block_at(first);
        read_block(0, first, count);
        for (r = 0; r < V; r++)
            mix(state.mixed + r * BLOCK, state.product + r * FEATURES, state.block, BLOCK, FEATURES, count);
        for (r = 0; r < L; r++) contract(out + r * V, projection_line(r, first, count), state.mixed, BLOCK, V, count);
    }
    (void)summarise;
}
