#include <math.h>

#include "attention/heads/heads.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"

/// Softmax along one axis.

// Find the key nearest to where a query looks.
static int nearest(double center, int size)
{
    if (!(center > 0)) return 0;
    return center >= size - 1 ? size - 1 : (int)floor(center + 0.5);
}

// Compute the logit of key j minus that of the nearest key, whose distance is `best`.
// The logit is -precision / 2 times a square; the difference of two squares is taken as a product, which does not
// cancel far away.
static double excess(double precision, double center, double best, int j)
{
    double distance = fabs(j - center);
    if (distance == best) return 0;
    return precision / 2 * (best - distance) * (best + distance);
}

static bool matters(double precision, double center, double best, int j)
{
    return excess(precision, center, best, j) > -SAC_NEGLIGIBLE;
}

// Weights fall on both sides of the nearest key, so the keys that matter are one run, found by walking outwards.
static size_t find_windows(sac_band *band, double precision, double target)
{
    size_t total = 0;
    for (int i = 0; i < band->size; i++)
    {
        double center = i - target;
        int first = nearest(center, band->size), last = first;
        double best = fabs(first - center);
        while (first > 0 && matters(precision, center, best, first - 1)) first--;
        while (last < band->size - 1 && matters(precision, center, best, last + 1)) last++;
        band->first[i] = first;
        band->count[i] = last - first + 1;
        band->start[i] = total;
        total += (size_t)band->count[i];
    }
    return total;
}

// Softmax with the largest logit taken away, in doubles and rounded once. libm has no say: its exp differs between
// systems.
static void fill_weights(sac_band *band, double precision, double target)
{
    for (int i = 0; i < band->size; i++)
    {
        double center = i - target, best = fabs(nearest(center, band->size) - center), sum = 0;
        float *weights = band->weights + band->start[i];
        for (int t = 0; t < band->count[i]; t++)
            sum += sac_series_exp(excess(precision, center, best, band->first[i] + t));
        for (int t = 0; t < band->count[i]; t++)
            weights[t] = (float)(sac_series_exp(excess(precision, center, best, band->first[i] + t)) / sum);
    }
}

sac_status sac_band_create(sac_band *out, int size, double precision, double target)
{
    size_t count = (size_t)size;
    *out = (sac_band){.size = size,
                      .first = SAC_NEW_ARRAY(int, count),
                      .count = SAC_NEW_ARRAY(int, count),
                      .start = SAC_NEW_ARRAY(size_t, count)};
    if (out->first && out->count && out->start)
    {
        out->weights = SAC_NEW_ARRAY(float, find_windows(out, precision, target));
        if (out->weights)
        {
            fill_weights(out, precision, target);
            return SAC_OK;
        }
    }
    return sac_fail_memory("Gaussian heads");
}

void sac_band_destroy(sac_band *band)
{
    sac_free(band->first);
    sac_free(band->count);
    sac_free(band->start);
    sac_free(band->weights);
}
