#include "saccade/action_codec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

enum
{
    MAX_WHOLE_DIGITS = 15, // of a number in a string: every one of them counts in a double
    SHOWN = 40             // characters of a text that an error shows
};

int sac_action_bin(double number, double low, double high, int bins, sac_bin_rounding rounding)
{
    SAC_ASSERT(bins >= 2 && bins <= SAC_MAX_ACTION_BINS && low < high && isfinite(high - low));
    if (isnan(number)) return (bins - 1) / 2;
    if (number <= low) return 0;
    if (number >= high) return bins - 1;
    const double place = (number - low) / (high - low) * (bins - 1);
    const int bin = (int)floor(rounding == SAC_BIN_NEAREST ? place + 0.5 : place);
    return bin < bins ? bin : bins - 1;
}

double sac_action_value(int bin, double low, double high, int bins)
{
    SAC_ASSERT(bins >= 2 && bins <= SAC_MAX_ACTION_BINS && bin >= 0 && bin < bins);
    return bin == bins - 1 ? high : low + (double)bin / (bins - 1) * (high - low);
}

sac_status sac_action_format(char *text, size_t size, const double *action, int count)
{
    SAC_ASSERT(size >= 1 && count >= 1);
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < count; i++)
    {
        if (!isfinite(action[i]))
        {
            text[0] = 0;
            return sac_fail(SAC_ERROR_ARGUMENT, "action: number %d is not finite", i);
        }
        void *locale = sac_enter_c_locale();
        const int length = snprintf(text + at, size - at, "%s%.*f", i > 0 ? " " : "", SAC_ACTION_DIGITS, action[i]);
        sac_leave_c_locale(locale);
        if (length < 0 || (size_t)length >= size - at)
        {
            text[0] = 0;
            return sac_fail(SAC_ERROR_ARGUMENT, "action: a text of %zu bytes has no room for %d numbers", size, count);
        }
        at += (size_t)length;
    }
    return SAC_OK;
}

// The characters of a decimal number at the beginning of a text; 0: there is none that may stand there.
static size_t number_length(const char *text)
{
    const char *digits = text + (*text == '-');
    const size_t whole = strspn(digits, "0123456789");
    if (whole < 1 || whole > MAX_WHOLE_DIGITS) return 0;
    const char *end = digits + whole;
    if (*end == '.')
    {
        const size_t decimals = strspn(end + 1, "0123456789");
        if (decimals < 1 || decimals > SAC_ACTION_DIGITS) return 0;
        end += 1 + decimals;
    }
    return (size_t)(end - text);
}

static bool read_number(double *number, const char *text, size_t length)
{
    char copy[MAX_WHOLE_DIGITS + SAC_ACTION_DIGITS + 3]; // a sign, a point and the end
    SAC_ASSERT(length < sizeof copy);
    memcpy(copy, text, length);
    copy[length] = 0;
    return sac_parse_real(copy, number);
}

// Reads all numbers, to `action` where it is not NULL.
static sac_status read_all(double *action, int count, const char *text, const char *where)
{
    for (int i = 0; i < count; i++)
    {
        const char *expected = i + 1 < count ? " " : "\n";
        const size_t length = number_length(text);
        double number;
        if (length == 0 || !read_number(&number, text, length))
            return sac_fail(SAC_ERROR_FORMAT,
                            "%.80s: number %d of %d is '%.*s', expected a decimal number with up to %d digits after "
                            "the point",
                            where, i + 1, count, (int)strnlen(text, SHOWN), text, SAC_ACTION_DIGITS);
        text += length;
        const bool ended = i + 1 == count && !*text;
        if (!ended && (*text != *expected || (i + 1 == count && text[1])))
            return sac_fail(SAC_ERROR_FORMAT, "%.80s: '%.*s' follows number %d, expected %s", where,
                            (int)strnlen(text, SHOWN), text, i + 1,
                            i + 1 < count ? "a space and the next number" : "the end of the action");
        if (action) action[i] = number;
        text += !ended;
    }
    return SAC_OK;
}

sac_status sac_action_parse(double *action, int count, const char *text, const char *where)
{
    SAC_ASSERT(count >= 1);
    SAC_TRY(read_all(NULL, count, text, where));
    return read_all(action, count, text, where);
}
