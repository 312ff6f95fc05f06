#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

static double seconds_on(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double sac_clock(void)
{
    return seconds_on(CLOCK_MONOTONIC);
}

double sac_clock_of_day(void)
{
    return seconds_on(CLOCK_REALTIME);
}

double sac_clock_of_processor(void)
{
    return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}
