void agent_reset(void)
{
    int i;
    for (i = 0; i < HIDDEN; i++) state.hidden[i] = state.cell[i] = 0;
}
