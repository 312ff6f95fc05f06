#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "saccade/overlay.h"

static int rising(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Count the values, sorted in rising order, that are smaller than x.
static int count_below(const float *sorted, int count, float x)
{
    int low = 0, high = count;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double sac_heat_levels(float *levels, float *sorted, const float *importance, int count)
{
    for (int i = 0; i < count; i++) sorted[i] = isnan(importance[i]) ? -INFINITY : importance[i];
    qsort(sorted, (size_t)count, sizeof *sorted, rising);
    int least = 1, most = count_below(sorted, count, sorted[count - 1]);
    while (least < count && sorted[least] == sorted[0]) least++;
    for (int i = 0; i < count; i++)
    {
        // All patches of the least value count as one.
        int below = isnan(importance[i]) ? 0 : count_below(sorted, count, importance[i]);
        levels[i] = below > 0 ? (float)(below - least + 1) / (float)(most - least + 1) : 0;
    }

    int best = (count + 19) / 20;
    double all = 0, theirs = 0;
    for (int i = 0; i < count; i++)
    {
        all += (double)sorted[i];
        if (i >= count - best) theirs += (double)sorted[i];
    }
    return all > 0 && isfinite(all) ? theirs / all : NAN;
}
