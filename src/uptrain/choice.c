#include "uptrain/choice.h"

#include <math.h>

#include "base/memory.h"
#include "base/series.h"

static const double temperature = 0.5; // in standard deviations

sac_status sac_choice_create(sac_choice *choice, int count, int kept)
{
    const size_t n = kept ? (size_t)count : 0;
    *choice = (sac_choice){.count = count, .kept = kept};
    if (!kept) return SAC_OK;
    choice->scores = SAC_NEW_ARRAY(float, n);
    choice->shares = SAC_NEW_ARRAY(float, n);
    choice->targets = SAC_NEW_ARRAY(float, n);
    choice->wanted = SAC_NEW_ARRAY(float, n);
    choice->top = SAC_NEW_ARRAY(int, (size_t)kept);
    if (choice->scores && choice->shares && choice->targets && choice->wanted && choice->top) return SAC_OK;
    return sac_fail_memory("choices among patches"); // what there is is released by destroy
}

void sac_choice_destroy(sac_choice *choice)
{
    sac_free(choice->scores);
    sac_free(choice->shares);
    sac_free(choice->targets);
    sac_free(choice->wanted);
    sac_free(choice->top);
}

// Shifts scores to mean 0, in units of the deviation times the temperature.
// @return that unit; 0: all are alike, up to the rounding of a sum of so many numbers, which a score is
static double standardise(float *out, const float *scores, int count)
{
    double mean = 0, square = 0;
    for (int n = 0; n < count; n++) mean += (double)scores[n] / count;
    for (int n = 0; n < count; n++) square += ((double)scores[n] - mean) * ((double)scores[n] - mean) / count;
    const double rounding = count * 0x1p-24 * fabs(mean);
    const double unit = square > rounding * rounding ? sqrt(square) * temperature : 0;
    for (int n = 0; n < count; n++) out[n] = unit > 0 ? (float)(((double)scores[n] - mean) / unit) : 0;
    return unit;
}

// Shares [N] of all choices together, each choice counting 1 / K, of scores z, which become z less their largest.
// @return the mean logarithm of what the choices' exponentials add up to
static double choose(const sac_choice *c, const sac_kernels *kernels, float *shares, float *z)
{
    double left[SAC_MAX_TOP], best[SAC_MAX_TOP], rest = 0, sum = 0, logarithm = 0;
    float largest = -INFINITY;
    for (int n = 0; n < c->count; n++) largest = z[n] > largest ? z[n] : largest;
    for (int n = 0; n < c->count; n++) z[n] -= largest;
    kernels->exp(shares, z, c->count);
    for (int k = 0; k < c->kept; k++) best[k] = (double)shares[c->top[k]], shares[c->top[k]] = 0;
    for (int n = 0; n < c->count; n++) rest += (double)shares[n];
    // the k-th choice is among those that are not kept and the k-th best and the worse ones
    if (rest < 1e-30) rest = 1e-30; // where all are kept, the last choice has but one
    for (int k = c->kept - 1; k >= 0; k--) left[k] = rest += best[k];
    for (int k = 0; k < c->kept; k++)
    {
        sum += 1 / left[k] / c->kept;
        logarithm += sac_series_log(left[k]) / c->kept;
        best[k] *= sum;
    }
    for (int n = 0; n < c->count; n++) shares[n] = (float)((double)shares[n] * sum);
    for (int k = 0; k < c->kept; k++) shares[c->top[k]] = (float)best[k];
    return logarithm;
}

double sac_choice_loss(sac_choice *c, const sac_kernels *kernels, float *dscores, const float *scores,
                       const float *targets, double share)
{
    const double unit = standardise(c->scores, scores, c->count);
    for (int n = 0; n < c->count; n++) dscores[n] = 0;
    if (!(standardise(c->targets, targets, c->count) > 0)) return 0; // no patch is better than another
    kernels->top(c->top, c->kept, targets, c->count);
    double loss = -choose(c, kernels, c->wanted, c->targets), along = 0, mean = 0;
    loss += choose(c, kernels, c->shares, c->scores);
    for (int n = 0; n < c->count; n++)
    {
        loss += (double)c->wanted[n] * ((double)c->targets[n] - (double)c->scores[n]);
        along += ((double)c->shares[n] - (double)c->wanted[n]) * (double)c->scores[n] / c->count;
        mean += (double)c->scores[n] / c->count;
    }
    // The gradient with respect to scores of (score - mean) / unit, where unit = temperature deviation. The differences
    // of the shares add up to nothing.
    along *= temperature * temperature;
    for (int n = 0; unit > 0 && n < c->count; n++)
    {
        const double d = (double)c->shares[n] - (double)c->wanted[n];
        dscores[n] = (float)(share * (d - ((double)c->scores[n] - mean) * along) / unit);
    }
    return share * loss;
}
