#include "run/pace.h"

#include <math.h>

enum
{
    LEAST = 20 ///< generations in a measurement, once there have been so many
};

// A window is a whole number of evaluation periods, so that every window holds the same share of evaluations.
static uint64_t window(uint64_t every)
{
    return every > 0 ? (LEAST + every - 1) / every * every : LEAST;
}

void sac_pace_change(sac_pace *pace)
{
    pace->started = false;
}

double sac_pace_left(sac_pace *pace, uint64_t generation, uint64_t generations, uint64_t every, double seconds)
{
    if (!pace->started)
    {
        pace->started = true;
        pace->from = pace->next = generation;
        pace->from_seconds = pace->next_seconds = seconds;
    }
    if (generation > pace->from) pace->each = (seconds - pace->from_seconds) / (double)(generation - pace->from);
    // A measurement spans one to two windows.
    if (generation - pace->next >= window(every))
    {
        pace->from = pace->next;
        pace->from_seconds = pace->next_seconds;
        pace->next = generation;
        pace->next_seconds = seconds;
    }
    if (generation >= generations) return 0;
    return pace->each > 0 ? pace->each * (double)(generations - generation) : NAN;
}
