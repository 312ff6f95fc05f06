/* where each patch is, as the projection sees it */
static void add_positions(void)
{
    int o, n;
    for (o = 0; o < OUTPUTS; o++)
        for (n = 0; n < TOKENS; n++) state.tokens[o][n] += position_code[o][n];
}
