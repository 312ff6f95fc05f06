/* the image's patches times the weights: whole numbers, exact. state.tokens holds the queries, then the keys. */
static void look(const uint8_t *image)
{
    int o, y, x, r, i;
    for (y = 0; y < ROWS; y++)
    {
        const uint8_t *strip = strip_at(image, y);
        for (o = 0; o < OUTPUTS; o++)
        {
            const int16_t *weights = projection_row(o);
            float *out = state.tokens[o] + y * COLUMNS;
            for (x = 0; x < COLUMNS; x++)
            {
                const uint8_t *pixels = strip + x * STRIDE * CHANNELS;
                const int16_t *w = weights;
                /* the weights are so small that no sum of a patch can leave 32 bits */
                int32_t sum = 0;
                for (r = 0; r < PATCH; r++, pixels += WIDTH * CHANNELS)
                    for (i = 0; i < PATCH * CHANNELS; i++) sum += (int32_t)*w++ * pixels[i];
                /* two roundings, which a fused product would make one */
                *out = (float)sum * projection_scale[o];
                *out++ += projection_bias[o];
            }
        }
    }
}
