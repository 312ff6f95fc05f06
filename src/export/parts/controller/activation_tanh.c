static float activated(float x)
{
    return sac_tanh(x);
}
