/* an output's weights as 16-bit numbers, made of its 8-bit ones */
static const int16_t *projection_row(int output)
{
    static int16_t row[PATCH * PATCH * CHANNELS];
    int i;
    for (i = 0; i < PATCH * PATCH * CHANNELS; i++)
    {
        /* 8 bits to float to 16 bits, with the very roundings of the library */
        float weight = (float)projection_steps[output][i] * projection_step[output];
        double scaled = (double)weight * projection_inverse[output];
        scaled = scaled < 0 ? scaled - 0.5 : scaled + 0.5;
        row[i] = (int16_t)scaled;
    }
    return row;
}
