/* row and column of the patch's centre; both in one unit, so that a length counts the same in both directions */
static float *tell_positions(float *out, int index)
{
    *out++ = (float)(PATCH / 2 + index / COLUMNS * STRIDE) / POSITION_UNIT;
    *out++ = (float)(PATCH / 2 + index % COLUMNS * STRIDE) / POSITION_UNIT;
    return out;
}
