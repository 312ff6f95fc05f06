#include "check.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"

enum
{
    MAX_BUFFERS = 64,
    MAX_NAME = 32
};

static check_fn *const checks[] = {check_projection, check_softmax,    check_maps, check_controller,
                                   check_products,   check_elementary, check_gemm};

// every kernel there is, so that none stays unchecked
static struct
{
    const char *name;
    bool checked;
} kernels[] = {
#define X(name, parameters) {#name, false},
    SAC_KERNEL_LIST(X)
#undef X
};

enum
{
    KERNEL_COUNT = sizeof kernels / sizeof *kernels,
    CHECK_COUNT = sizeof checks / sizeof *checks
};

static struct
{
    void *memory[MAX_BUFFERS];
    size_t size[MAX_BUFFERS];
    int buffer_count;
    sac_stream random;
    const char *level, *kernel;
    bool bench, unguarded;
    int failures, comparisons;
    uint32_t digest; // of all reference values
} run;

static sigjmp_buf crash_point;

static void on_crash(int signal_number)
{
    siglongjmp(crash_point, signal_number);
}

bool check_begin(const char *kernel, check_any *ref, check_any *now)
{
    run.kernel = kernel;
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (strcmp(kernels[i].name, kernel) == 0) kernels[i].checked = true;
    // scalar against itself is run once, for its own bounds
    return ref != now || strcmp(run.level, "scalar") == 0;
}

void *check_buffer(size_t bytes, size_t alignment)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = (bytes + page - 1) / page * page;
    if (body == 0) body = page;
    unsigned char *memory = mmap(NULL, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || run.buffer_count == MAX_BUFFERS ||
        (!run.unguarded && mprotect(memory + body, page, PROT_NONE) != 0))
    {
        fputs("check: out of buffers\n", stderr);
        exit(1);
    }
    run.memory[run.buffer_count] = memory;
    run.size[run.buffer_count++] = body + page;
    memset(memory, 0xa5, body); // a value that shows when it is read
    return memory + (body - bytes) / alignment * alignment;
}

float *check_floats(int count)
{
    return check_buffer((size_t)count * sizeof(float), sizeof(float));
}

float *check_aligned_floats(int count)
{
    return check_buffer((size_t)count * sizeof(float), 64);
}

void check_release(void)
{
    for (int i = 0; i < run.buffer_count; i++) munmap(run.memory[i], run.size[i]);
    run.buffer_count = 0;
}

float check_uniform(float low, float high)
{
    return (float)sac_stream_uniform(&run.random, low, high);
}

int check_integer(int low, int high)
{
    return (int)(low + (int64_t)sac_stream_below(&run.random, (uint32_t)((int64_t)high - low + 1)));
}

void check_fill(float *out, int count, float low, float high)
{
    for (int i = 0; i < count; i++) out[i] = check_uniform(low, high);
}

static void fail(int index, const char *values, const char *format, va_list arguments)
{
    printf("FAIL %s %s: element %d: %s (", run.level, run.kernel, index, values);
    vprintf(format, arguments);
    puts(")");
    run.failures++;
}

// the reference values of one seed have one digest on every machine
static void digest(uint32_t bits)
{
    run.digest = (run.digest ^ bits) * 0x01000193u;
}

void check_same_floats(const float *ref, const float *now, int count, const char *format, ...)
{
    run.comparisons++;
    for (int i = 0; i < count; i++)
    {
        uint32_t bits;
        memcpy(&bits, ref + i, sizeof bits);
        digest(isnan(ref[i]) ? 0 : bits);
        if (memcmp(ref + i, now + i, sizeof *ref) == 0 || (isnan(ref[i]) && isnan(now[i]))) continue;
        char values[128];
        snprintf(values, sizeof values, "%a, expected %a", (double)now[i], (double)ref[i]);
        va_list arguments;
        va_start(arguments, format);
        fail(i, values, format, arguments);
        va_end(arguments);
        return;
    }
}

void check_same_integers(const int32_t *ref, const int32_t *now, int count, const char *format, ...)
{
    run.comparisons++;
    for (int i = 0; i < count; i++)
    {
        digest((uint32_t)ref[i]);
        if (ref[i] == now[i]) continue;
        char values[128];
        snprintf(values, sizeof values, "%d, expected %d", now[i], ref[i]);
        va_list arguments;
        va_start(arguments, format);
        fail(i, values, format, arguments);
        va_end(arguments);
        return;
    }
}

bool check_benching(void)
{
    return run.bench && run.failures == 0;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// batches of about 50 us, the best of at most 200 batches or 50 ms
bool check_timing(check_timer *timer)
{
    if (timer->left > 0)
    {
        timer->left--;
        return true;
    }
    double now = seconds_now();
    if (timer->batch > 0)
    {
        double elapsed = now - timer->start, each = elapsed / timer->batch;
        timer->total += elapsed;
        if (timer->rounds == 0 || each < timer->best) timer->best = each;
        timer->rounds++;
        if (elapsed < 50e-6) timer->batch *= 2;
        if (timer->rounds > 200 || timer->total > 50e-3) return false;
    }
    else
        timer->batch = 1;
    timer->left = timer->batch - 1;
    timer->start = seconds_now();
    return true;
}

void check_report_bench(const char *label, const double seconds[2])
{
    printf("%-8s %-32s %10.3f us  %8.3f us scalar  %7.2f x\n", run.level, label, seconds[1] * 1e6, seconds[0] * 1e6,
           seconds[0] / seconds[1]);
    fflush(stdout);
}

static void check_level(sac_cpu_level level, uint64_t seed)
{
    sac_kernels ref = sac_kernels_create(SAC_CPU_SCALAR), now = sac_kernels_create(level);
    run.level = sac_cpu_level_name(level);
    for (int i = 0; i < CHECK_COUNT; i++)
    {
        run.random = sac_stream_create(seed, 0, (uint64_t)i);
        int signal_number = sigsetjmp(crash_point, 1);
        if (signal_number == 0)
            checks[i](&ref, &now);
        else
        {
            printf("FAIL %s %s: signal %d (%s)\n", run.level, run.kernel, signal_number, strsignal(signal_number));
            run.failures++;
        }
        check_release();
    }
}

static void usage(void)
{
    puts("check_kernels [--bench] [--seed=N] [--level=NAME] [--digest=HEX] [--no-guards] [--best]\n"
         "compares every kernel of every CPU level with scalar; --bench times them;\n"
         "--digest fails when the reference values are not those of that seed on other machines;\n"
         "--no-guards lets what follows a buffer be read, as emulators do for masked loads;\n"
         "--best prints the level of this machine and does nothing else");
}

int main(int argc, char **argv)
{
    uint64_t seed = (uint64_t)time(NULL);
    const char *only = NULL, *wanted = NULL;
    for (int i = 1; i < argc; i++)
    {
        if (strcmp(argv[i], "--bench") == 0)
            run.bench = true;
        else if (strcmp(argv[i], "--best") == 0)
        {
            puts(sac_cpu_level_name(sac_get_cpu_level()));
            return 0;
        }
        else if (strcmp(argv[i], "--no-guards") == 0)
            run.unguarded = true;
        else if (strncmp(argv[i], "--seed=", 7) == 0)
            seed = strtoull(argv[i] + 7, NULL, 10);
        else if (strncmp(argv[i], "--level=", 8) == 0)
            only = argv[i] + 8;
        else if (strncmp(argv[i], "--digest=", 9) == 0)
            wanted = argv[i] + 9;
        else
        {
            usage();
            return 2;
        }
    }
    printf("seed %llu\n", (unsigned long long)seed);
    signal(SIGSEGV, on_crash);
    signal(SIGBUS, on_crash);
    signal(SIGILL, on_crash);
    signal(SIGFPE, on_crash);

    for (int level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
    {
        if (only && strcmp(only, sac_cpu_level_name((sac_cpu_level)level)) != 0) continue;
        sac_set_cpu_level((sac_cpu_level)level);
        if ((int)sac_get_cpu_level() != level) continue; // this machine lacks it
        int before = run.failures;
        run.comparisons = 0;
        run.digest = 0x811c9dc5u;
        check_level((sac_cpu_level)level, seed);
        char text[16];
        snprintf(text, sizeof text, "%08x", run.digest);
        if (wanted && strcmp(wanted, text) != 0)
        {
            printf("FAIL %s: digest %s, expected %s\n", run.level, text, wanted);
            run.failures++;
        }
        printf("%-8s %s, %d comparisons, digest %s\n", run.level, run.failures == before ? "ok" : "FAILED",
               run.comparisons, text);
    }
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (!kernels[i].checked)
        {
            printf("FAIL %s: no check\n", kernels[i].name);
            run.failures++;
        }
    return run.failures > 0;
}
