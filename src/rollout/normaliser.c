#include "rollout/normaliser.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/kind.h"

sac_status sac_normaliser_create(sac_normaliser *normaliser, const sac_policy *policy)
{
    *normaliser = (sac_normaliser){.size = sac_policy_normaliser_size(policy)};
    normaliser->numbers = SAC_NEW_ARRAY(double, sac_normaliser_count(normaliser));
    normaliser->next = SAC_NEW_ARRAY(double, sac_normaliser_count(normaliser));
    return normaliser->numbers && normaliser->next ? SAC_OK : sac_fail_memory("a normaliser");
}

void sac_normaliser_clear(sac_normaliser *normaliser)
{
    sac_free(normaliser->numbers);
    sac_free(normaliser->next);
}

size_t sac_normaliser_count(const sac_normaliser *normaliser)
{
    return normaliser->size > 0 ? 1 + 2 * (size_t)normaliser->size : 0;
}

void sac_normaliser_begin(sac_normaliser *normaliser)
{
    if (normaliser->size > 0)
        memcpy(normaliser->next, normaliser->numbers, sac_normaliser_count(normaliser) * sizeof *normaliser->next);
}

// means and sums of squares of both parts together (Chan, Golub and LeVeque 1983)
void sac_normaliser_add(sac_normaliser *normaliser, int steps, const double *seen)
{
    double *count = normaliser->next, *means = count + 1, *squares = means + normaliser->size;
    double both = *count + steps;
    for (int i = 0; i < 2 * normaliser->size; i++)
        if (!isfinite(seen[i])) return; // a candidate that sees no numbers is no measure
    for (int i = 0; steps > 0 && i < normaliser->size; i++)
    {
        double mean = seen[i] / steps, apart = mean - means[i];
        squares[i] += fmax(0, seen[normaliser->size + i] - steps * mean * mean) + apart * apart * *count * steps / both;
        means[i] += apart * steps / both;
    }
    *count = both;
}

void sac_normaliser_commit(sac_normaliser *normaliser)
{
    if (normaliser->size > 0)
        memcpy(normaliser->numbers, normaliser->next, sac_normaliser_count(normaliser) * sizeof *normaliser->next);
}

void sac_normaliser_write(const sac_normaliser *normaliser, const sac_policy *policy, float *parameters)
{
    const double *means = normaliser->numbers + 1, *squares = means + normaliser->size;
    if (normaliser->size == 0 || normaliser->numbers[0] < 2) return;
    for (int i = 0; i < normaliser->size; i++)
        sac_policy_set_normaliser(policy, parameters, i, means[i], sqrt(squares[i] / (normaliser->numbers[0] - 1)));
}
