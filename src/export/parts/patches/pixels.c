/* the pixels of a kept patch, 0..1: only those few are ever turned into floats */
static void read_patch(const uint8_t *image, int index)
{
    int r, i;
    const uint8_t *from = strip_at(image, index / COLUMNS) + index % COLUMNS * STRIDE * CHANNELS;
    for (r = 0; r < PATCH; r++, from += WIDTH * CHANNELS)
        for (i = 0; i < PATCH * CHANNELS; i++) state.pixels[r * PATCH * CHANNELS + i] = (float)from[i] / 255.0f;
}
