#include <math.h>

#include "attention/form.h"
#include "base/error.h"
#include "saccade/rank.h"

/// Softmax sampling: tokens are drawn from softmax(r), one after the other.

void sac_rank_probabilities(const sac_attention *attention, float *probabilities, const float *scores, int count)
{
    float largest = -INFINITY;
    for (int i = 0; i < count; i++) largest = scores[i] > largest ? scores[i] : largest;
    // Where the largest score is infinite, all count as equal, because inf - inf is not a number.
    for (int i = 0; i < count; i++) probabilities[i] = scores[i] == largest ? 0 : scores[i] - largest;
    attention->kernels.exp(probabilities, probabilities, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
    {
        if (isnan(probabilities[i])) probabilities[i] = 0;
        sum += (double)probabilities[i];
    }
    for (int i = 0; sum > 0 && i < count; i++) probabilities[i] = (float)((double)probabilities[i] / sum);
}

// Find the token at which the running sum passes the share `uniform` of the probability that is left.
static int draw(const float *probabilities, int count, double uniform)
{
    double left = 0;
    for (int i = 0; i < count; i++)
        if (probabilities[i] > 0) left += (double)probabilities[i];
    left *= uniform;
    int last = -1;
    for (int i = 0; i < count; i++)
    {
        if (!(probabilities[i] > 0)) continue;
        last = i; // rounding may leave a rest after the last token
        left -= (double)probabilities[i];
        if (left < 0) break;
    }
    if (last >= 0) return last;
    for (int i = 0; i < count; i++)
        if (!(probabilities[i] < 0)) return i;
    SAC_ASSERT(false); // there are fewer tokens than draws
    return 0;
}

void sac_rank_draw(int *chosen, int kept, float *probabilities, int count, const double *uniform)
{
    SAC_ASSERT(kept <= count);
    for (int k = 0; k < kept; k++)
    {
        chosen[k] = draw(probabilities, count, uniform[k]);
        probabilities[chosen[k]] = -1;
    }
}
