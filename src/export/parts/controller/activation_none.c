/* outputs stay as they are, and the bounds of the action alone cut them */
static float activated(float x)
{
    return x;
}
