/* what the controller is told besides: how that has changed since the step before */
static void move(void)
{
    int i;
    for (i = 0; i < TOLD / 2; i++)
    {
        state.features[TOLD / 2 + i] = state.started ? state.features[i] - state.before[i] : 0;
        state.before[i] = state.features[i];
    }
    state.started = 1;
}
