/* outputs are cut to -1..1 */
static float activated(float x)
{
    return x < -1 ? -1 : x > 1 ? 1 : x;
}
