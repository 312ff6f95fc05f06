/* the image resized as the library does, along its rows and then along its columns, in parts of 2^22 */
static uint8_t to_byte(int32_t sum)
{
    int32_t value = sum >> 22;
    return (uint8_t)(value > 255 ? 255 : value);
}

/* one row of the image, made narrower, times what it weighs in a row of the resized one */
static void add_row(const uint8_t *row, int32_t weight)
{
    int x, c, t;
    for (x = 0; x < WIDTH; x++)
        for (c = 0; c < CHANNELS; c++)
        {
            /* half of a part is added, so that cutting rounds to the nearest */
            int32_t sum = (int32_t)1 << 21;
            for (t = 0; t < column_count[x]; t++)
                sum += row[(column_first[x] + t) * CHANNELS + c] * column_weights[x * COLUMN_TAPS + t];
            state.wide[x * CHANNELS + c] += to_byte(sum) * weight;
        }
}

/* the pixel rows that a row of patches lies on; no more of the resized image is ever there */
static const uint8_t *strip_at(const uint8_t *image, int row)
{
    int y, x, t;
    for (y = 0; y < PATCH; y++)
    {
        int at = row * STRIDE + y;
        for (x = 0; x < WIDTH * CHANNELS; x++) state.wide[x] = (int32_t)1 << 21;
        for (t = 0; t < row_count[at]; t++)
            add_row(image + (CROP_TOP + row_first[at] + t) * INPUT_WIDTH * CHANNELS, row_weights[at * ROW_TAPS + t]);
        for (x = 0; x < WIDTH * CHANNELS; x++) state.strip[y * WIDTH * CHANNELS + x] = to_byte(state.wide[x]);
    }
    return state.strip;
}
