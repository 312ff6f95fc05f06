/* the inputs of the controller less their mean in training, divided by their deviation there */
static void normalise_told(void)
{
    int i;
    for (i = 0; i < TOLD; i++) state.told[i] = (state.told[i] - normaliser_mean[i]) * normaliser_inverse[i];
}
