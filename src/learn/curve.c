#include "learn/layer.h"

/// Functions of one number, element by element.

// the normal distribution Phi(x) = erfc(-x / sqrt 2) / 2 and its density; Abramowitz and Stegun 7.1.26, off by 7.5e-8
static inline float normal_tail(float x, float *density)
{
    float z = fabsf(x), power = sac_exp(-0.5f * (x * x));
    float t = 1.0f / fmaf(0.3275911f * 0.70710678f, z, 1.0f);
    float p = fmaf(1.061405429f, t, -1.453152027f);
    p = fmaf(p, t, 1.421413741f);
    p = fmaf(p, t, -0.284496736f);
    p = fmaf(p, t, 0.254829592f);
    float tail = 0.5f * (p * t) * power;
    *density = 0.39894228f * power;
    return x < 0.0f ? tail : 1.0f - tail;
}

void LAYER(curve_forward)(const sac_learn *l, float *out, const float *x, sac_curve curve, size_t count)
{
    (void)l;
    switch (curve)
    {
    case SAC_CURVE_RELU:
        for (size_t i = 0; i < count; i++) out[i] = sac_max(x[i], 0.0f);
        break;
    case SAC_CURVE_TANH:
        for (size_t i = 0; i < count; i++) out[i] = sac_tanh(x[i]);
        break;
    case SAC_CURVE_SIGMOID:
        for (size_t i = 0; i < count; i++) out[i] = sac_sigmoid(x[i]);
        break;
    case SAC_CURVE_GELU:
        for (size_t i = 0; i < count; i++)
        {
            float density;
            out[i] = x[i] * normal_tail(x[i], &density);
        }
        break;
    }
}

void LAYER(curve_backward)(const sac_learn *l, float *dx, const float *dout, const float *known, sac_curve curve,
                           size_t count)
{
    (void)l;
    switch (curve)
    {
    case SAC_CURVE_RELU: // y = max(x, 0)
        for (size_t i = 0; i < count; i++) dx[i] = known[i] > 0.0f ? dout[i] : 0.0f;
        break;
    case SAC_CURVE_TANH: // y = tanh x, y' = 1 - y^2
        for (size_t i = 0; i < count; i++) dx[i] = dout[i] * fmaf(-known[i], known[i], 1.0f);
        break;
    case SAC_CURVE_SIGMOID: // y = 1 / (1 + e^-x), y' = y (1 - y)
        for (size_t i = 0; i < count; i++) dx[i] = dout[i] * (known[i] * (1.0f - known[i]));
        break;
    case SAC_CURVE_GELU: // y = x Phi(x), y' = Phi(x) + x phi(x)
        for (size_t i = 0; i < count; i++)
        {
            float density, below = normal_tail(known[i], &density);
            dx[i] = dout[i] * fmaf(known[i], density, below);
        }
        break;
    }
}
