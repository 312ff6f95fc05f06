#pragma once

// cmocka wants these first
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "saccade/base.h"

/// A test program: TEST(name) { ... } for each, then TESTS(name, name, ...) at the end.

#define TEST(name) static void name(void **cmocka_state __attribute__((unused)))

#define SAC_TEST_ROW(name) {#name, name, NULL, NULL, NULL},
#define SAC_TEST_1(m, a)   m(a)
#define SAC_TEST_EACH(m, ...)                                                                                      \
    SAC_TEST_PICK(__VA_ARGS__, SAC_TEST_16, SAC_TEST_15, SAC_TEST_14, SAC_TEST_13, SAC_TEST_12, SAC_TEST_11,       \
                  SAC_TEST_10, SAC_TEST_9, SAC_TEST_8, SAC_TEST_7, SAC_TEST_6, SAC_TEST_5, SAC_TEST_4, SAC_TEST_3, \
                  SAC_TEST_2, SAC_TEST_1)                                                                          \
    (m, __VA_ARGS__)
#define SAC_TEST_PICK(a, b, c, d, e, f, g, h, i, j, k, l, n, o, p, q, name, ...) name

#define SAC_TEST_2(m, a, ...)  m(a) SAC_TEST_1(m, __VA_ARGS__)
#define SAC_TEST_3(m, a, ...)  m(a) SAC_TEST_2(m, __VA_ARGS__)
#define SAC_TEST_4(m, a, ...)  m(a) SAC_TEST_3(m, __VA_ARGS__)
#define SAC_TEST_5(m, a, ...)  m(a) SAC_TEST_4(m, __VA_ARGS__)
#define SAC_TEST_6(m, a, ...)  m(a) SAC_TEST_5(m, __VA_ARGS__)
#define SAC_TEST_7(m, a, ...)  m(a) SAC_TEST_6(m, __VA_ARGS__)
#define SAC_TEST_8(m, a, ...)  m(a) SAC_TEST_7(m, __VA_ARGS__)
#define SAC_TEST_9(m, a, ...)  m(a) SAC_TEST_8(m, __VA_ARGS__)
#define SAC_TEST_10(m, a, ...) m(a) SAC_TEST_9(m, __VA_ARGS__)
#define SAC_TEST_11(m, a, ...) m(a) SAC_TEST_10(m, __VA_ARGS__)
#define SAC_TEST_12(m, a, ...) m(a) SAC_TEST_11(m, __VA_ARGS__)
#define SAC_TEST_13(m, a, ...) m(a) SAC_TEST_12(m, __VA_ARGS__)
#define SAC_TEST_14(m, a, ...) m(a) SAC_TEST_13(m, __VA_ARGS__)
#define SAC_TEST_15(m, a, ...) m(a) SAC_TEST_14(m, __VA_ARGS__)
#define SAC_TEST_16(m, a, ...) m(a) SAC_TEST_15(m, __VA_ARGS__)

/// The program's main: up to 16 tests a call.
#define TESTS(...)                                                                    \
    int main(void)                                                                    \
    {                                                                                 \
        const struct CMUnitTest tests[] = {SAC_TEST_EACH(SAC_TEST_ROW, __VA_ARGS__)}; \
        return cmocka_run_group_tests(tests, NULL, NULL);                             \
    }

/// Skip a test that lacks something outside the project. A peer is what saccade is compared with and nothing else:
/// "a peer: ...". A skip for what is neither that nor in "../shared/...", or without saying what, fails under CI.
#define skip_without(what)                         \
    do                                             \
    {                                              \
        print_message("skip: needs %s\n", (what)); \
        skip();                                    \
    } while (0)

/// A call that must succeed, with its sentence shown when it does not.
#define assert_ok(call)                                                                                               \
    do                                                                                                                \
    {                                                                                                                 \
        sac_status assert_status = (call);                                                                            \
        if (assert_status != SAC_OK) fail_msg("%s: %s: %s", #call, sac_status_text(assert_status), sac_last_error()); \
    } while (0)

/// A call that must fail with this status and a sentence that holds these words.
#define assert_fails(call, status, words)                                                                      \
    do                                                                                                         \
    {                                                                                                          \
        assert_int_equal((call), (status));                                                                    \
        if (!strstr(sac_last_error(), (words))) fail_msg("'%s' does not say '%s'", sac_last_error(), (words)); \
    } while (0)

/// |a - b| <= tolerance, NaN fails.
#define assert_near(a, b, tolerance)                                                      \
    do                                                                                    \
    {                                                                                     \
        double near_a = (a), near_b = (b), near_t = (tolerance);                          \
        if (!(fabs(near_a - near_b) <= near_t))                                           \
            fail_msg("%s = %.17g, expected %.17g within %g", #a, near_a, near_b, near_t); \
    } while (0)

/// Uniform numbers in -1..1 from a seed.
static inline void fill_uniform(float *out, size_t count, uint64_t seed)
{
    sac_stream stream = sac_stream_create(seed, 0, 0);
    for (size_t i = 0; i < count; i++) out[i] = (float)sac_stream_uniform(&stream, -1.0, 1.0);
}
