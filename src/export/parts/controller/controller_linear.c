/* the controller: one linear layer, without memory */
static void think(void)
{
    dense(state.output, ACTIONS, output_weight, output_bias, state.told, TOLD);
}
