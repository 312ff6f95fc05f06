/* the controller, as torch.nn.LSTMCell computes it (Hochreiter and Schmidhuber 1997, with forget gates) */
/* one step of an LSTM: gates in, forget, cell, out */
static void think(void)
{
    float next[HIDDEN];
    int unit, gate, i;
    for (unit = 0; unit < HIDDEN; unit++)
    {
        float gates[4], kept, gained;
        for (gate = 0; gate < 4; gate++)
        {
            int row = gate * HIDDEN + unit;
            float sum = lstm_bias[row];
            for (i = 0; i < TOLD; i++) sum = fused(lstm_weight_ih(row, i), state.told[i], sum);
            for (i = 0; i < HIDDEN; i++) sum = fused(lstm_weight_hh(row, i), state.hidden[i], sum);
            gates[gate] = sum;
        }
        kept = sac_sigmoid(gates[1]);
        gained = sac_sigmoid(gates[0]) * sac_tanh(gates[2]);
        state.cell[unit] = fused(kept, state.cell[unit], gained);
        next[unit] = sac_sigmoid(gates[3]) * sac_tanh(state.cell[unit]);
    }
    /* every unit has read the whole old memory before any of it changes */
    for (unit = 0; unit < HIDDEN; unit++) state.hidden[unit] = next[unit];
    dense(state.output, ACTIONS, output_weight, output_bias, state.hidden, HIDDEN);
}
