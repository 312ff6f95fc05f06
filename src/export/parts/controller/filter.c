/* what the controller is told, by its mean and deviation in training */
static void filter(void)
{
    int i;
    for (i = 0; i < TOLD; i++) state.features[i] = (state.features[i] - filter_mean[i]) * filter_whitening[i];
}
