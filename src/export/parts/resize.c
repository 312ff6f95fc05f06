/* the image resized as the library does, along its rows and then along its columns, in parts of 2^22 */
static uint8_t to_byte(int32_t sum)
{
    int32_t value = sum >> 22;
    return (uint8_t)(value > 255 ? 255 : value);
}

static const uint8_t *resize(const uint8_t *image)
{
    int y, x, c, t;
    for (y = 0; y < INPUT_HEIGHT; y++)
        for (x = 0; x < WIDTH; x++)
            for (c = 0; c < CHANNELS; c++)
            {
                int32_t sum = (int32_t)1 << 21;
                for (t = 0; t < column_count[x]; t++)
                    sum += image[(y * INPUT_WIDTH + column_first[x] + t) * CHANNELS + c] *
                           column_weights[x * COLUMN_TAPS + t];
                state.narrow[(y * WIDTH + x) * CHANNELS + c] = to_byte(sum);
            }
    for (y = 0; y < HEIGHT; y++)
        for (x = 0; x < WIDTH * CHANNELS; x++)
        {
            int32_t sum = (int32_t)1 << 21;
            for (t = 0; t < row_count[y]; t++)
                sum += state.narrow[(row_first[y] + t) * WIDTH * CHANNELS + x] * row_weights[y * ROW_TAPS + t];
            state.resized[y * WIDTH * CHANNELS + x] = to_byte(sum);
        }
    return state.resized;
}
