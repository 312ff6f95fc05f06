/* the choice whose output is largest, ties to the lower index; 0 where none is a number */
static void decide(float *action)
{
    int i, best = 0;
    for (i = 0; i < ACTIONS; i++) state.output[i] = activated(state.output[i]);
    for (i = 1; i < ACTIONS; i++)
        if (state.output[i] > state.output[best] || state.output[best] != state.output[best]) best = i;
    action[0] = state.output[best] != state.output[best] ? 0 : (float)best;
}
