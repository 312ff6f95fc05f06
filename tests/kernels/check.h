#pragma once

#include "kernels/kernels.h"

/// The kernel check: every kernel of every level against scalar.c, on random inputs of awkward sizes, in buffers that
/// end at a page that must not be touched. The bits must be the same. With --bench the same calls are timed.

/// One check: runs the kernel of both tables and compares. `now` is the level under test.
typedef void check_fn(const sac_kernels *ref, const sac_kernels *now);

/// Whether this kernel is to be checked at this level: not when the level has no own version of it.
#define check_kernel(name) check_begin(#name, (check_any *)ref->name, (check_any *)now->name)
typedef void check_any(void);
bool check_begin(const char *kernel, check_any *ref, check_any *now);

/// A buffer that ends where a guard page begins, as far as `alignment` allows; freed after the check.
void *check_buffer(size_t bytes, size_t alignment);
float *check_floats(int count);         ///< aligned to 4 bytes: the byte after the last traps
float *check_aligned_floats(int count); ///< aligned to 64 bytes

/// Free all buffers.
void check_release(void);

/// Random numbers from the run's seed.
float check_uniform(float low, float high);
int check_integer(int low, int high); ///< both ends included
void check_fill(float *out, int count, float low, float high);

/// The same bits, NaN as good as any other NaN; else a message with the first difference, and the run fails.
void check_same_floats(const float *ref, const float *now, int count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void check_same_integers(const int32_t *ref, const int32_t *now, int count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Time a call that uses the table `k`, once for scalar and once for the level: check_bench("label", k->exp(...)).
#define check_bench(label, call)                        \
    do                                                  \
    {                                                   \
        if (!check_benching()) break;                   \
        double bench_times[2];                          \
        for (int bench_i = 0; bench_i < 2; bench_i++)   \
        {                                               \
            const sac_kernels *k = bench_i ? now : ref; \
            check_timer bench_timer = {0};              \
            while (check_timing(&bench_timer)) call;    \
            bench_times[bench_i] = bench_timer.best;    \
        }                                               \
        check_report_bench(label, bench_times);         \
    } while (0)

typedef struct check_timer
{
    double start, best, total; ///< seconds a call
    int calls, batch, left, rounds;
} check_timer;

bool check_benching(void);
bool check_timing(check_timer *timer); ///< true while the caller is to call once more
void check_report_bench(const char *label, const double seconds[2]);

check_fn check_projection, check_softmax, check_maps, check_controller, check_products, check_elementary, check_gemm;
