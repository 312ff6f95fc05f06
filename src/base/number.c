// The locales of a thread are POSIX, not C.
#define _POSIX_C_SOURCE 200809L

#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *sac_enter_c_locale(void)
{
    // There is one object for the life of the process. The C library has it ready, so nothing is allocated.
    static _Atomic(locale_t) c_locale;
    if (!c_locale) c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(c_locale);
}

void sac_leave_c_locale(void *previous)
{
    uselocale(previous);
}

// strtod also accepts leading blanks, words and hexadecimal numbers, which are refused here.
static bool is_decimal(const char *text)
{
    return *text && text[strspn(text, "+-.0123456789eE")] == 0;
}

bool sac_parse_real(const char *text, double *value)
{
    if (!is_decimal(text)) return false;
    void *locale = sac_enter_c_locale();
    char *end;
    *value = strtod(text, &end);
    sac_leave_c_locale(locale);
    return end != text && !*end && isfinite(*value);
}

bool sac_parse_float(const char *text, float *value)
{
    if (!is_decimal(text)) return false;
    void *locale = sac_enter_c_locale();
    char *end;
    *value = strtof(text, &end);
    sac_leave_c_locale(locale);
    return end != text && !*end && isfinite(*value);
}

void sac_format_real(char *text, size_t size, double value)
{
    void *locale = sac_enter_c_locale();
    for (int digits = 6; digits <= 17; digits++)
    {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    sac_leave_c_locale(locale);
}

enum
{
    MAX_DECIMALS = 12
};

// How many digits after the point show the first `digits` digits of a number.
static int decimals_of(double number, int digits)
{
    int decimals = digits - 1 - (int)floor(log10(number));
    return decimals < 1 ? 1 : decimals > MAX_DECIMALS ? MAX_DECIMALS : decimals;
}

int sac_decimals(double mean, double spread)
{
    double size = fabs(mean);
    if (!isfinite(size) || !isfinite(spread)) return 1;
    // Equal returns may seem to differ by the rounding of their sum; that is not a spread.
    if (spread > 1e-12 * size) return decimals_of(spread, 2);
    return size > 0 ? decimals_of(size, 3) : 1;
}

// A number that is larger than any return, or so small that only zeros would be shown, is written with an exponent.
static bool is_plain(int decimals, double value)
{
    bool vanishes = decimals == MAX_DECIMALS && value != 0 && fabs(value) < 1e-10;
    return fabs(value) < 1e15 && !vanishes;
}

static int write_value(char text[SAC_VALUE_SIZE], int decimals, double value)
{
    return is_plain(decimals, value) ? snprintf(text, SAC_VALUE_SIZE, "%.*f", decimals, value)
                                     : snprintf(text, SAC_VALUE_SIZE, "%.4g", value);
}

void sac_format_value(char text[SAC_VALUE_SIZE], double value)
{
    int decimals = sac_decimals(value, 0), length = write_value(text, decimals, value);
    if (is_plain(decimals, value))
        for (; decimals > 1 && text[length - 1] == '0'; decimals--) text[--length] = 0;
}

void sac_format_spread(char text[2 * SAC_VALUE_SIZE], double mean, const char *between, double spread)
{
    int decimals = sac_decimals(mean, spread);
    char first[SAC_VALUE_SIZE], second[SAC_VALUE_SIZE];
    write_value(first, decimals, mean);
    write_value(second, decimals, spread);
    snprintf(text, (size_t)2 * SAC_VALUE_SIZE, "%.28s%.6s%.28s", first, between, second);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sac_sort_numbers(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, by_value);
}
