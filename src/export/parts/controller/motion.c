/* The controller is also told how much each of its inputs has changed since the step before. */
static void move(void)
{
    int i;
    for (i = 0; i < TOLD / 2; i++)
    {
        state.told[TOLD / 2 + i] = state.started ? state.told[i] - state.before[i] : 0;
        state.before[i] = state.told[i];
    }
    state.started = 1;
}
