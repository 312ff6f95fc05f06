/* ((P Q') K'^T) V */
static void multiply(float *out)
{
    int first, r;
    summarise();
    apply(state.summary, gain_of_keys, L);
    for (first = 0; first < TOKENS; first += BLOCK)
    {
        int count = block_at(first);
        read_block(1, first, count);
        for (r = 0; r < L; r++)
        {
            mix(state.mixed, state.summary + r * FEATURES, state.block, BLOCK, FEATURES, count);
            contract(out + r * V, state.mixed, state.tokens[2 * D] + first, TOKENS, V, count);
        }
    }
    (void)gather;
}
