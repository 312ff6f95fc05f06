#pragma once

#include "saccade/base.h"

/// Failing with a sentence, and passing failures on.

/// Store the thread's last error and return `status`.
sac_status sac_fail(sac_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Put "prefix: " before the thread's last error and return `status`: where a failure happened, added on the way up.
sac_status sac_fail_in(sac_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Return from the calling function when `expression` fails.
#define SAC_TRY(expression)                                  \
    do                                                       \
    {                                                        \
        sac_status sac_try_status = (expression);            \
        if (sac_try_status != SAC_OK) return sac_try_status; \
    } while (0)

/// A caller's bug: checked in debug and sanitizer builds.
#ifdef NDEBUG
#define SAC_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define SAC_ASSERT(condition) assert(condition)
#endif

/// Send one line to the log callback.
void sac_log(sac_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
