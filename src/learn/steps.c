#include "learn/layer.h"

/// Steps of optimisers, element by element.

// The heavy ball with decay in the gradient, as PyTorch has it: v = m v + (g + d x), x -= rate v.
void LAYER(sgd_step)(const sac_learn *l, float *restrict x, float *restrict velocity, const float *restrict gradient,
                     size_t count, const sac_step *step)
{
    (void)l;
    const float rate = step->rate, momentum = step->momentum, decay = step->decay;
    for (size_t i = 0; i < count; i++)
    {
        velocity[i] = fmaf(momentum, velocity[i], fmaf(decay, x[i], gradient[i]));
        x[i] = fmaf(-rate, velocity[i], x[i]);
    }
}

// base to a whole power, without libm
static double whole_power(double base, uint64_t power)
{
    double result = 1;
    for (; power; power >>= 1, base *= base)
        if (power & 1) result *= base;
    return result;
}

void LAYER(adam_step)(const sac_learn *l, float *restrict x, float *restrict first, float *restrict second,
                      const float *restrict gradient, size_t count, const sac_step *step)
{
    (void)l;
    const float beta1 = step->beta1, beta2 = step->beta2, epsilon = step->epsilon;
    // AdamW (Loshchilov and Hutter 2019): decay shrinks x itself and does not pass through the moments
    const float decay = step->decoupled ? 0.0f : step->decay,
                keep = step->decoupled ? 1.0f - step->rate * step->decay : 1.0f;
    // bias correction of Adam (Kingma and Ba 2015, section 3): moments that began at zero are divided by 1 - beta^t
    const float rate = (float)((double)step->rate / (1 - whole_power((double)beta1, step->number)));
    const float correction = (float)(1 / sqrt(1 - whole_power((double)beta2, step->number)));
    for (size_t i = 0; i < count; i++)
    {
        float g = fmaf(decay, x[i], gradient[i]);
        first[i] = fmaf(beta1, first[i], (1.0f - beta1) * g);
        second[i] = fmaf(beta2, second[i], (1.0f - beta2) * (g * g));
        x[i] = fmaf(-rate, first[i] / fmaf(sqrtf(second[i]), correction, epsilon), keep * x[i]);
    }
}

// x' + share (x - x'), the exponential moving average
void LAYER(average_step)(const sac_learn *l, float *restrict average, const float *restrict x, float share,
                         size_t count)
{
    (void)l;
    for (size_t i = 0; i < count; i++) average[i] = fmaf(share, x[i] - average[i], average[i]);
}

// The direction stays and the length is cut (Pascanu, Mikolov and Bengio 2013). Squares are summed in doubles, as a
// long gradient's would lose bits in floats.
void LAYER(clip)(const sac_learn *l, double *norm, float *gradient, double largest, size_t count)
{
    (void)l;
    double lanes[SAC_LANES] = {0};
    size_t at = 0;
    for (; at + SAC_LANES <= count; at += SAC_LANES)
        for (int i = 0; i < SAC_LANES; i++) lanes[i] += (double)gradient[at + i] * (double)gradient[at + i];
    for (int i = 0; at + i < count; i++) lanes[i] += (double)gradient[at + i] * (double)gradient[at + i];
    for (int width = SAC_LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++) lanes[i] += lanes[i + width];
    *norm = sqrt(lanes[0]);
    if (!(*norm > largest)) return;
    const float factor = (float)(largest / *norm);
    for (size_t i = 0; i < count; i++) gradient[i] *= factor;
}

void LAYER(add)(const sac_learn *l, float *restrict out, const float *restrict x, size_t count)
{
    (void)l;
    for (size_t i = 0; i < count; i++) out[i] += x[i];
}
