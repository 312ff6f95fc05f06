static float *tell_positions(float *out, int index)
{
    *out++ = (float)(PATCH / 2 + index / COLUMNS * STRIDE) / POSITION_UNIT;
    *out++ = (float)(PATCH / 2 + index % COLUMNS * STRIDE) / POSITION_UNIT;
    return out;
}
