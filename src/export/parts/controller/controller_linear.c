static void think(void)
{
    dense(state.output, ACTIONS, output_weight, output_bias, state.features, TOLD);
}
