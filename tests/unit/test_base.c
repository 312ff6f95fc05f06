#include <locale.h>
#include <pthread.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "base/workspace.h"

#include "failing_memory.h"

TEST(every_status_has_a_text_of_its_own)
{
    for (int a = SAC_OK; a <= SAC_ERROR_DIVERGED; a++)
    {
        assert_string_not_equal(sac_status_text((sac_status)a), "unknown status");
        for (int b = SAC_OK; b < a; b++)
            assert_string_not_equal(sac_status_text((sac_status)a), sac_status_text((sac_status)b));
    }
    assert_string_equal(sac_status_text((sac_status)99), "unknown status");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SAC_VERSION_MAJOR, SAC_VERSION_MINOR, SAC_VERSION_PATCH);
    assert_string_equal(sac_version(), version);
}

TEST(the_last_error)
{
    assert_int_equal(sac_fail(SAC_ERROR_FILE, "%s is %d", "a", 7), SAC_ERROR_FILE);
    const char *last = sac_last_error(); // may be an argument of the next
    assert_string_equal(last, "a is 7");
    assert_int_equal(sac_fail(SAC_ERROR_FORMAT, "again: %s", last), SAC_ERROR_FORMAT);
    assert_string_equal(sac_last_error(), "again: a is 7");
    assert_int_equal(sac_fail_in(SAC_ERROR_FORMAT, "file %d", 3), SAC_ERROR_FORMAT);
    assert_string_equal(sac_last_error(), "file 3: again: a is 7");
    sac_fail(SAC_ERROR_FORMAT, "two\nlines \x1b[31m \x7f\t\xc3\xa9");
    assert_string_equal(sac_last_error(), "two?lines ?[31m ??\xc3\xa9");

    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    sac_fail(SAC_ERROR_FORMAT, "%s", text);
    assert_int_equal(strlen(sac_last_error()), 1023);
    sac_fail_in(SAC_ERROR_FORMAT, "%s", text);
    assert_int_equal(strlen(sac_last_error()), 500 + 2 + 500);
}

static void *fail_elsewhere(void *user)
{
    sac_fail(SAC_ERROR_FILE, "elsewhere");
    return strcmp(sac_last_error(), "elsewhere") == 0 ? user : NULL;
}

TEST(each_thread_has_its_own_last_error)
{
    pthread_t thread;
    void *result;
    int token;
    sac_fail(SAC_ERROR_FILE, "here");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &token), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &token);
    assert_string_equal(sac_last_error(), "here");
}

static sac_status fail_below(sac_status status, int *steps)
{
    SAC_TRY(status);
    ++*steps;
    return SAC_OK;
}

TEST(try_returns_what_failed)
{
    int steps = 0;
    assert_int_equal(fail_below(SAC_ERROR_UNAVAILABLE, &steps), SAC_ERROR_UNAVAILABLE);
    assert_int_equal(steps, 0);
    assert_int_equal(fail_below(SAC_OK, &steps), SAC_OK);
    assert_int_equal(steps, 1);
}

static void keep_line(void *user, sac_log_level level, const char *line)
{
    snprintf(user, 64, "%d %.40s", (int)level, line);
}

TEST(log_lines_go_to_the_callback)
{
    char line[64] = "";
    sac_log(SAC_LOG_WARNING, "nobody listens");
    sac_set_log(keep_line, line);
    sac_log(SAC_LOG_WARNING, "%d is much", 7);
    assert_string_equal(line, "1 7 is much");
    sac_set_log(NULL, NULL);
    sac_log(SAC_LOG_INFO, "nobody listens");
    assert_string_equal(line, "1 7 is much");
}

TEST(memory_is_zeroed_and_aligned)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int again = 0; again < 2; again++)
        {
            uint8_t *memory = sac_alloc(sizes[i]);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 64, 0);
            for (size_t j = 0; j < sizes[i]; j++) assert_int_equal(memory[j], 0);
            memset(memory, 0xff, sizes[i]);
            sac_free(memory);
        }
    sac_free(NULL);
}

TEST(sizes_that_do_not_fit)
{
    assert_null(SAC_NEW_MATRIX(double, SIZE_MAX / 2, 3));
    assert_null(SAC_NEW_MATRIX(double, SIZE_MAX / 4, 1));
    double *matrix = SAC_NEW_MATRIX(double, 3, 5);
    for (int i = 0; i < 15; i++) assert_true(matrix[i] == 0);
    sac_free(matrix);
    assert_null(sac_alloc(SIZE_MAX));
    assert_null(sac_alloc(SIZE_MAX - 63));
    assert_null(sac_alloc_array(SIZE_MAX / 2, 3));
    assert_null(sac_alloc_array(SIZE_MAX / 8 + 2, 8));
    assert_int_equal(sac_fail_memory("a thing"), SAC_ERROR_MEMORY);
    assert_string_equal(sac_last_error(), "out of memory for a thing");
}

TEST(parts_of_a_workspace_follow_each_other_and_are_measured_as_they_are_cut)
{
    static const size_t counts[] = {1, 0, 17, 64, 3}, sizes[] = {4, 8, 4, 1, 8};
    _Alignas(64) static unsigned char memory[1024];
    sac_workspace measured = {0}, cut = {.memory = memory};
    unsigned char *end = memory;
    for (int i = 0; i < 5; i++)
    {
        assert_null(sac_take(&measured, counts[i], sizes[i]));
        unsigned char *part = sac_take(&cut, counts[i], sizes[i]);
        assert_true(part >= end && (size_t)(part - memory) % 64 == 0);
        end = part + counts[i] * sizes[i];
        assert_true(end <= memory + cut.used);
        assert_int_equal(measured.used, cut.used);
    }
}

TEST(the_allocator_is_used_for_everything)
{
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    failing.until_failure = 2;
    failing.held = 0;
    char *copy = sac_copy_text("word");
    void *memory = sac_alloc(10);
    assert_int_equal(failing.held, 2);
    assert_null(sac_alloc(10));
    assert_string_equal(copy, "word");
    failing.until_failure = 0;
    assert_null(sac_copy_text("word"));
    sac_free(copy);
    sac_free(memory);
    assert_int_equal(failing.held, 0);
    sac_set_allocator(NULL);
}

TEST(the_nearest_word)
{
    static const char *const names[] = {"patch", "stride", "attention", "features", "car-racing", "next", NULL};
    static const char *const cases[][2] = {
        {"pach", "patch"},
        {"ptach", "patch"},
        {"patches", "patch"},
        {"strid", "stride"},
        {"atention", "attention"},
        {"feature", "features"},
        {"car", "car-racing"},
        {"carracing", "car-racing"},
        {"car_racing", "car-racing"},
        {"zebra", NULL},
        {"", NULL},
        {"x", NULL},
        {"nxet", "next"},
        {"left", NULL},
        {"attention", "attention"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        const char *nearest = sac_nearest_of(cases[i][0], names);
        if (cases[i][1] && (!nearest || strcmp(nearest, cases[i][1]) != 0)) fail_msg("%s: %s", cases[i][0], nearest);
        if (!cases[i][1] && nearest) fail_msg("%s: %s", cases[i][0], nearest);
    }
    assert_string_equal(sac_did_you_mean("a"), ", did you mean 'a'?");
    assert_string_equal(sac_did_you_mean(NULL), "");
    char long_word[500];
    memset(long_word, 'p', sizeof long_word);
    long_word[sizeof long_word - 1] = 0;
    assert_non_null(sac_did_you_mean(long_word));
    const char *long_names[] = {long_word, NULL};
    assert_ptr_equal(sac_nearest_of(long_word, long_names), long_word);
}

// a program in a locale that writes a comma reads and writes points all the same
TEST(numbers_have_a_decimal_point)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
    {
        if (!setlocale(LC_ALL, locales[i])) continue;
        double value;
        float small;
        char text[32];
        assert_true(sac_parse_real("-1.5e3", &value) && value == -1500);
        assert_true(sac_parse_float("0.1", &small) && small == 0.1f);
        sac_format_real(text, sizeof text, 0.1);
        assert_string_equal(text, "0.1");
        sac_format_real(text, sizeof text, 1.0 / 3);
        assert_string_equal(text, "0.3333333333333333");
    }
    setlocale(LC_ALL, "C");
    static const char *const wrong[] = {"",      " 1", "1 ", "1,5", "nan",   "inf", "0x1",
                                        "1e999", "e",  "-",  "1e",  "1.2.3", "--1"};
    double value;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(sac_parse_real(wrong[i], &value));
}

TEST(cpu_levels)
{
    sac_cpu_level best = sac_get_cpu_level();
    for (int level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
    {
        sac_set_cpu_level((sac_cpu_level)level);
        assert_true(sac_get_cpu_level() <= (sac_cpu_level)level);
    }
    sac_set_cpu_level(SAC_CPU_SCALAR);
    assert_int_equal(sac_get_cpu_level(), SAC_CPU_SCALAR);
    assert_string_equal(sac_cpu_level_name(SAC_CPU_SCALAR), "scalar");
    sac_set_cpu_level(best);
}

TESTS(every_status_has_a_text_of_its_own, the_last_error, each_thread_has_its_own_last_error, try_returns_what_failed,
      log_lines_go_to_the_callback, memory_is_zeroed_and_aligned, sizes_that_do_not_fit,
      parts_of_a_workspace_follow_each_other_and_are_measured_as_they_are_cut, the_allocator_is_used_for_everything,
      the_nearest_word, numbers_have_a_decimal_point, cpu_levels)
