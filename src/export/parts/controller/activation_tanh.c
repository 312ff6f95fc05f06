/* outputs are bent into -1..1 */
static float activated(float x)
{
    return sac_tanh(x);
}
