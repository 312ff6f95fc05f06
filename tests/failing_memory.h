#pragma once

#include "test.h"

/// An allocator that fails once, at a chosen allocation, and counts what is not released.

static struct
{
    int until_failure; ///< allocations that still succeed
    bool failed;
    int held;
} failing;

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (failing.until_failure-- == 0)
    {
        failing.failed = true;
        return NULL;
    }
    failing.held++;
    return aligned_alloc(alignment, size);
}

static void failing_release(void *user, void *memory)
{
    (void)user;
    failing.held -= memory != NULL;
    free(memory);
}

/// Fail the first allocation of `call`, then the second, and so on until none fails. Each failure must be reported as
/// lack of memory, and nothing may be held afterwards. `release` runs after the call that succeeded.
#define assert_survives_lack_of_memory(call, release)                                 \
    do                                                                                \
    {                                                                                 \
        sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL}); \
        for (int failing_at = 0;; failing_at++)                                       \
        {                                                                             \
            failing.until_failure = failing_at;                                       \
            failing.failed = false;                                                   \
            failing.held = 0;                                                         \
            sac_status failing_status = (call);                                       \
            if (failing_status == SAC_OK)                                             \
            {                                                                         \
                assert_false(failing.failed);                                         \
                release;                                                              \
                assert_int_equal(failing.held, 0);                                    \
                break;                                                                \
            }                                                                         \
            assert_int_equal(failing_status, SAC_ERROR_MEMORY);                       \
            assert_true(failing.failed);                                              \
            assert_int_equal(failing.held, 0);                                        \
        }                                                                             \
        sac_set_allocator(NULL);                                                      \
    } while (0)
