#include "learn/layer.h"

/// A soft choice of K among N by scores: choice k is a softmax over those that were not chosen before it,
///
///     weights[k][n] = exp(z[n] / temperature) / sum over n not in top[0..k-1], 0 for those in it
///
/// with z the scores less their mean, in units of their standard deviation, so that neither their unit nor their form
/// matters. As the temperature falls, row k becomes the one that was chosen k-th.

// mean and 1 / deviation of the scores; 0 where they are all one number, up to rounding
static void moments(const float *scores, int count, float *mean, float *inverse)
{
    const float share = 1.0f / (float)count;
    float squares;
    *mean = row_total(scores, count) * share;
    const float middle = *mean;
    ROW_SUM(squares, count, j, lane, fmaf(scores[j] - middle, scores[j] - middle, lane));
    squares *= share;
    *inverse = squares > 1e-12f * (middle * middle) ? 1.0f / sqrtf(squares) : 0.0f;
}

void LAYER(choose_forward)(const sac_learn *l, float *weights, const float *scores, const int *top, int kept, int count,
                           float temperature)
{
    (void)l;
    float mean, inverse;
    moments(scores, count, &mean, &inverse);
    const float factor = inverse / temperature;
    for (int k = 0; k < kept; k++, weights += count)
    {
        // the largest of those that are left
        const float largest = scores[top[k]];
        for (int n = 0; n < count; n++) weights[n] = sac_exp((scores[n] - largest) * factor);
        for (int j = 0; j < k; j++) weights[top[j]] = 0.0f;
        const float share = 1.0f / row_total(weights, count);
        for (int n = 0; n < count; n++) weights[n] *= share;
    }
}

void LAYER(choose_backward)(const sac_learn *l, float *dscores, const float *dweights, const float *weights,
                            const float *scores, int kept, int count, float temperature)
{
    (void)l;
    float mean, inverse, total, along;
    moments(scores, count, &mean, &inverse);
    memset(dscores, 0, (size_t)count * sizeof *dscores);
    // gradient with respect to z / temperature, summed over the softmax of each row
    for (int k = 0; k < kept; k++, weights += count, dweights += count)
    {
        const float middle = row_dot(weights, dweights, count);
        for (int n = 0; n < count; n++) dscores[n] = fmaf(weights[n], dweights[n] - middle, dscores[n]);
    }
    // gradient with respect to scores of (score - mean) / deviation / temperature
    const float share = 1.0f / (float)count, factor = inverse / temperature;
    total = row_total(dscores, count) * share;
    ROW_SUM(along, count, j, lane, fmaf(dscores[j], (scores[j] - mean) * inverse, lane));
    along *= share;
    for (int n = 0; n < count; n++) dscores[n] = factor * (dscores[n] - total - (scores[n] - mean) * inverse * along);
}
