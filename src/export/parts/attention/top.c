/* the K most important patches, ties to the lower index */
static void choose(void)
{
    int n, place, m, kept = 0;
    for (n = 0; n < TOKENS; n++)
    {
        float value = state.row[n];
        for (place = kept; place > 0; place--)
        {
            float other = state.row[state.top[place - 1]];
            /* NaN is last: any number goes before it */
            if (!(value > other || (other != other && value == value))) break;
        }
        if (place == TOP) continue;
        if (kept < TOP) kept++;
        for (m = kept - 1; m > place; m--) state.top[m] = state.top[m - 1];
        state.top[place] = (uint16_t)n;
    }
}
