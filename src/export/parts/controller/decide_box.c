static void decide(float *action)
{
    int i;
    for (i = 0; i < ACTIONS; i++)
    {
        float low = action_low[i], high = action_high[i], x = activated(state.output[i]);
        if (x != x) x = 0;
        if (STRETCHED)
        {
            x = x * (high - low) / 2;
            x += (high + low) / 2;
        }
        action[i] = x < low ? low : x > high ? high : x;
    }
}
