/* outputs become an action within its bounds; one that is not a number is taken as 0, so that the world never sees it
 */
static void decide(float *action)
{
    int i;
    for (i = 0; i < ACTIONS; i++)
    {
        float low = action_low[i], high = action_high[i], x = activated(state.output[i]);
        if (x != x) x = 0;
        if (STRETCHED)
        {
            /* -1..1 is stretched to the bounds, in the order of the library */
            x = x * (high - low) / 2;
            x += (high + low) / 2;
        }
        action[i] = x < low ? low : x > high ? high : x;
    }
}
