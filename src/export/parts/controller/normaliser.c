/* what the controller is told, by its mean and deviation in training */
static void normalise_told(void)
{
    int i;
    for (i = 0; i < TOLD; i++) state.told[i] = (state.told[i] - normaliser_mean[i]) * normaliser_inverse[i];
}
