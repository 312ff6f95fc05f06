/// What the exported agent's self-test looks at, drawn by the exporter and by the agent alike: plain C99, since this
/// file is copied into the agent.

static uint32_t scene_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* a coloured field with rectangles on it; every third scene is noisy */
static void draw_scene(uint8_t *image, int height, int width, int channels, int number)
{
    uint32_t seed = 0x9e3779b9u * (uint32_t)(number + 1);
    int shape, y, x, c, i;
    for (shape = 0; shape < 24; shape++)
    {
        uint32_t colour = scene_random(&seed);
        int top = shape ? (int)(scene_random(&seed) % (uint32_t)height) : 0;
        int left = shape ? (int)(scene_random(&seed) % (uint32_t)width) : 0;
        int bottom = shape ? top + 1 + (int)(scene_random(&seed) % 24) : height;
        int right = shape ? left + 1 + (int)(scene_random(&seed) % 24) : width;
        for (y = top; y < bottom && y < height; y++)
            for (x = left; x < right && x < width; x++)
                for (c = 0; c < channels; c++) /* a colour has four bytes, which more channels share */
                    image[(y * width + x) * channels + c] = (uint8_t)(colour >> (8 * (c % 4)));
    }
    for (i = 0; number % 3 == 2 && i < height * width * channels; i++)
        image[i] = (uint8_t)(image[i] ^ (scene_random(&seed) & 31));
}
