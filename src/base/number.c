// locales of a thread are POSIX
#define _POSIX_C_SOURCE 200809L

#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *sac_enter_c_locale(void)
{
    // one object for the life of the process; the C library has it ready, so nothing is allocated
    static _Atomic(locale_t) c_locale;
    if (!c_locale) c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(c_locale);
}

void sac_leave_c_locale(void *previous)
{
    uselocale(previous);
}

// strtod takes leading blanks, words and hexadecimal numbers, too
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
