#include "rollout/filter.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/kind.h"

sac_status sac_filter_create(sac_filter *filter, const sac_policy *policy)
{
    *filter = (sac_filter){.size = sac_policy_filter_size(policy)};
    filter->numbers = SAC_NEW_ARRAY(double, sac_filter_count(filter));
    filter->next = SAC_NEW_ARRAY(double, sac_filter_count(filter));
    return filter->numbers && filter->next ? SAC_OK : sac_fail_memory("a filter");
}

void sac_filter_clear(sac_filter *filter)
{
    sac_free(filter->numbers);
    sac_free(filter->next);
}

size_t sac_filter_count(const sac_filter *filter)
{
    return filter->size > 0 ? 1 + 2 * (size_t)filter->size : 0;
}

void sac_filter_begin(sac_filter *filter)
{
    if (filter->size > 0) memcpy(filter->next, filter->numbers, sac_filter_count(filter) * sizeof *filter->next);
}

// means and sums of squares of both parts together (Chan, Golub and LeVeque 1983)
void sac_filter_add(sac_filter *filter, int steps, const double *seen)
{
    double *count = filter->next, *means = count + 1, *squares = means + filter->size;
    double both = *count + steps;
    for (int i = 0; i < 2 * filter->size; i++)
        if (!isfinite(seen[i])) return; // a candidate that sees no numbers is no measure
    for (int i = 0; steps > 0 && i < filter->size; i++)
    {
        double mean = seen[i] / steps, apart = mean - means[i];
        squares[i] += fmax(0, seen[filter->size + i] - steps * mean * mean) + apart * apart * *count * steps / both;
        means[i] += apart * steps / both;
    }
    *count = both;
}

void sac_filter_commit(sac_filter *filter)
{
    if (filter->size > 0) memcpy(filter->numbers, filter->next, sac_filter_count(filter) * sizeof *filter->next);
}

void sac_filter_write(const sac_filter *filter, const sac_policy *policy, float *parameters)
{
    const double *means = filter->numbers + 1, *squares = means + filter->size;
    if (filter->size == 0 || filter->numbers[0] < 2) return;
    for (int i = 0; i < filter->size; i++)
        sac_policy_set_filter(policy, parameters, i, means[i], sqrt(squares[i] / (filter->numbers[0] - 1)));
}
