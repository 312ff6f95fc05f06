/* (P Q') (K'^T V) */
static void multiply(float *out)
{
    int r;
    summarise();
    gather();
    for (r = 0; r < L; r++) contract(out + r * V, state.summary + r * FEATURES, state.product, FEATURES, V, FEATURES);
    (void)mix;
}
