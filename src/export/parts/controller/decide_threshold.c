/* three choices from one output: 1 below -1/3, 2 above 1/3, and 0 between them */
static void decide(float *action)
{
    const float third = 1.0f / 3.0f;
    float x = activated(state.output[0]);
    action[0] = x < -third ? 1 : x > third ? 2 : 0;
}
