/* the controller: one hidden layer, without memory */
static void think(void)
{
    int i;
    dense(state.hidden, HIDDEN, hidden_weight, hidden_bias, state.told, TOLD);
    for (i = 0; i < HIDDEN; i++) state.hidden[i] = sac_tanh(state.hidden[i]);
    dense(state.output, ACTIONS, output_weight, output_bias, state.hidden, HIDDEN);
}
