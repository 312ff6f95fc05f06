#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// This header declares what every other module shares: status codes, the last error, the log, memory hooks and the CPU
/// level.
///
/// A function that can fail returns a sac_status. On failure sac_last_error() holds one sentence that says what went
/// wrong, where, and what was expected. The library never prints, exits or aborts.

#define SAC_VERSION_MAJOR 0
#define SAC_VERSION_MINOR 2
#define SAC_VERSION_PATCH 0

#ifdef __cplusplus
#define SAC_EXTERN extern "C"
#else
#define SAC_EXTERN extern
#endif

#if defined(__GNUC__) || defined(__clang__)
#define SAC_API                 SAC_EXTERN __attribute__((visibility("default")))
#define SAC_CHECKED             __attribute__((warn_unused_result))
#define SAC_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SAC_API SAC_EXTERN
#define SAC_CHECKED
#define SAC_PRINTF(text, first)
#endif

/// Every status: name, value, text.
#define SAC_STATUS_LIST(X)                                                    \
    X(OK, 0, "ok")                                                            \
    X(ERROR_ARGUMENT, 1, "invalid argument")                                  \
    X(ERROR_MEMORY, 2, "out of memory")                                       \
    X(ERROR_FILE, 3, "file cannot be read or written")                        \
    X(ERROR_FORMAT, 4, "malformed data")                                      \
    X(ERROR_UNAVAILABLE, 5, "not available in this build or on this machine") \
    X(ERROR_ENVIRONMENT, 6, "an environment failed")                          \
    X(ERROR_INTERRUPTED, 7, "interrupted")                                    \
    X(ERROR_DIVERGED, 8, "training has diverged: its numbers are not finite")

typedef enum sac_status
{
#define X(name, value, text) SAC_##name = value,
    SAC_STATUS_LIST(X)
#undef X
} sac_status;

/// The text of a status, such as "out of memory". Never NULL.
SAC_API const char *sac_status_text(sac_status status);

/// The calling thread's last error as one sentence; "" when there was none. Valid until the thread's next failure.
SAC_API const char *sac_last_error(void);

/// Fail with an error message: store the calling thread's last error, formatted as printf does, and return `status`.
/// Your own environments and policies say with it what went wrong, where, and what was expected:
///
///     return sac_fail(SAC_ERROR_ARGUMENT, "fall: size is %d, expected 8 to 256", size);
///
/// A message longer than 1,023 bytes is cut, and characters that would break the line become '?'. This never allocates.
/// @param status  not SAC_OK
SAC_API sac_status sac_fail(sac_status status, const char *format, ...) SAC_PRINTF(2, 3);

/// The version as "major.minor.patch".
SAC_API const char *sac_version(void);

/// Instruction sets that kernels are built for, from least to most. A level includes those below it on its machine.
typedef enum sac_cpu_level
{
    SAC_CPU_SCALAR, ///< plain C: the definition
    SAC_CPU_NEON,   ///< ARM
    SAC_CPU_AVX2,   ///< x86: AVX2 and FMA
    SAC_CPU_AVX512, ///< x86: AVX-512 F, BW, DQ, VL and VNNI
} sac_cpu_level;

/// The level in use: the best that the machine has, limited by the environment variable SACCADE_CPU
/// (scalar, neon, avx2, avx512) or by sac_set_cpu_level. Results do not depend on it where a function says so.
SAC_API sac_cpu_level sac_get_cpu_level(void);

/// Limit the level; a level that the machine lacks is lowered to the best it has. For tests and benchmarks: call it
/// before anything else is created, not while other threads run.
SAC_API void sac_set_cpu_level(sac_cpu_level level);

/// "scalar", "neon", "avx2" or "avx512".
SAC_API const char *sac_cpu_level_name(sac_cpu_level level);

typedef enum sac_log_level
{
    SAC_LOG_INFO,
    SAC_LOG_WARNING,
} sac_log_level;

/// Receives one line without a newline. May be called from any thread, one call at a time.
typedef void sac_log_fn(void *user, sac_log_level level, const char *line);

/// Set the function that gets log lines; NULL (the default) drops them.
SAC_API void sac_set_log(sac_log_fn *log, void *user);

/// Memory hooks. `allocate` returns memory aligned to `alignment` (a power of two) or NULL; `release` accepts NULL.
typedef struct sac_allocator
{
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory);
    void *user;
} sac_allocator;

/// Replace the allocator (NULL restores the default). Call it while the library holds no memory.
SAC_API void sac_set_allocator(const sac_allocator *allocator);
