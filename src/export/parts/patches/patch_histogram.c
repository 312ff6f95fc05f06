/* for each channel the share of pixels in each of BINS bins */
static float *tell_histogram(float *out, int index)
{
    int i;
    (void)index;
    for (i = 0; i < CHANNELS * BINS; i++) out[i] = 0;
    for (i = 0; i < PATCH * PATCH * CHANNELS; i++)
    {
        /* white lies in the last bin, and not in one beyond it */
        float place = state.pixels[i] * (float)BINS;
        int bin = !(place > 0) ? 0 : place >= (float)BINS ? BINS - 1 : (int)place;
        out[i % CHANNELS * BINS + bin] += 1;
    }
    for (i = 0; i < CHANNELS * BINS; i++) out[i] /= (float)(PATCH * PATCH);
    return out + CHANNELS * BINS;
}
