static void attend(void)
{
    int r;
    for (r = 0; r < L * V; r++) state.features[r] = 0;
    multiply(state.features);
    for (r = 0; r < L && RESIDUAL; r++)
        contract(state.features + r * V, projection_line(r, 0, TOKENS), state.tokens[2 * D], TOKENS, V, TOKENS);
}
