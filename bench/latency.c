#include <stdlib.h>

#include "base/clock.h"
#include "base/number.h"
#include "curves/attention.h"

enum
{
    MOST = 20000,
    LEAST = 3
};

bench_latency bench_time(void (*call)(void *), void *self, double seconds)
{
    static double times[MOST]; // one thread benches
    bench_latency latency = {0};
    call(self);
    double begin = sac_clock(), now = begin;
    while (latency.runs < LEAST || (latency.runs < MOST && now - begin < seconds))
    {
        double start = sac_clock();
        call(self);
        now = sac_clock();
        times[latency.runs++] = (now - start) * 1e6;
    }
    sac_sort_numbers(times, (size_t)latency.runs);
    for (int i = 0; i < latency.runs; i++) latency.mean += times[i] / latency.runs;
    latency.best = times[0];
    latency.p50 = times[latency.runs / 2];
    latency.p99 = times[(int)(0.99 * latency.runs)];
    return latency;
}
