/* the pixel rows that a row of patches lies on */
static const uint8_t *strip_at(const uint8_t *image, int row)
{
    return image + (CROP_TOP + row * STRIDE) * WIDTH * CHANNELS;
}
