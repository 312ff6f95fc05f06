#pragma once

#include "saccade/base.h"

/// Failing with an error message (sac_fail, which is public), and passing failures on.

/// Put "prefix: " before the thread's last error and return `status`. Callers add in this way where a failure happened.
sac_status sac_fail_in(sac_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// How often the calling thread has failed with a message; for sac_outcome.
uint64_t sac_failure_count(void);

/// Turn a status that someone else's function has given into one that callers know: a status of the list, with a
/// message of its own and not an older one.
/// @param failures  sac_failure_count() before the call
/// @param who       such as an environment's name
/// @param what      the function, such as "step"
SAC_CHECKED sac_status sac_outcome(sac_status status, uint64_t failures, const char *who, const char *what);

/// Return from the calling function when `expression` fails.
#define SAC_TRY(expression)                                  \
    do                                                       \
    {                                                        \
        sac_status sac_try_status = (expression);            \
        if (sac_try_status != SAC_OK) return sac_try_status; \
    } while (0)

/// A caller's bug, which debug and sanitizer builds check for.
#ifdef NDEBUG
#define SAC_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define SAC_ASSERT(condition) assert(condition)
#endif

/// Send one line to the log callback.
void sac_log(sac_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
