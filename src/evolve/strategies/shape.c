#include "evolve/strategies/shape.h"

#include <math.h>

static bool are_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

void sac_shape_ranks(const sac_search *search, const int *order, double *shaped)
{
    int count = search->population;
    for (int first = 0, end; first < count; first = end)
    {
        double fitness = search->fitness[order[first]];
        for (end = first + 1; end < count && are_equal(search->fitness[order[end]], fitness);) end++;
        // Candidates in places first..end-1 are equally fit and share the mean of (count - 1 - place) / (count - 1) -
        // 1/2.
        double rank = 0.5 - 0.5 * (first + end - 1) / (count - 1);
        for (int place = first; place < end; place++) shaped[order[place]] = rank;
    }
}

void sac_shape_values(const sac_search *search, double *shaped)
{
    double best = -INFINITY, worst = INFINITY;
    for (int i = 0; i < search->population; i++)
    {
        if (!isfinite(search->fitness[i])) continue;
        best = fmax(best, search->fitness[i]);
        worst = fmin(worst, search->fitness[i]);
    }
    if (best < worst) best = worst = 0;
    for (int i = 0; i < search->population; i++)
    {
        double fitness = search->fitness[i];
        shaped[i] = isfinite(fitness) ? fitness : fitness > 0 ? best : worst;
    }
}
