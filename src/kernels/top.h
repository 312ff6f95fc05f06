#pragma once

#include <math.h>
#include <stdbool.h>

/// Tell whether value a ranks before value b when a comes later: NaN ranks below everything.
static inline bool sac_top_beats(float a, float b)
{
    return a > b || (isnan(b) && !isnan(a));
}

/// Offer the next index to a list of at most k kept ones; returns the new length. Ties stay in order of arrival.
static inline int sac_top_offer(int *top, int kept, int k, const float *values, int index)
{
    int place = kept;
    while (place > 0 && sac_top_beats(values[index], values[top[place - 1]])) place--;
    if (place == k) return kept;
    if (kept < k) kept++;
    for (int m = kept - 1; m > place; m--) top[m] = top[m - 1];
    top[place] = index;
    return kept;
}
