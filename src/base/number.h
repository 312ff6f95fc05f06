#pragma once

#include "saccade/base.h"

/// Numbers as text, with a decimal point whatever the program's locale is.

/// Read a decimal number such as -1.5e3, with nothing before or after it.
/// @return false when the text is something else (a hexadecimal number, "nan") or too large to be finite
bool sac_parse_real(const char *text, double *value);

/// The same, rounded once to float.
bool sac_parse_float(const char *text, float *value);

/// Write a finite number with as few digits as read back to the same bits.
void sac_format_real(char *text, size_t size, double value);

enum
{
    SAC_VALUE_SIZE = 32 ///< bytes of a value as text, terminator included
};

/// The digits after the point that are worth showing for a mean and its spread, whatever their scale: two digits of the
/// spread, or three of the mean where there is no spread; at least one and at most twelve.
int sac_decimals(double mean, double spread);

/// Write a return without a spread, such as "914.3" or "0.034", with as many digits as sac_decimals says, but without
/// zeros at the end after the first digit.
void sac_format_value(char text[SAC_VALUE_SIZE], double value);

/// Write a mean and its spread, such as "914.3 +- 20.1" or "0.512+-0.034".
/// @param between  such as " +- "
void sac_format_spread(char text[2 * SAC_VALUE_SIZE], double mean, const char *between, double spread);

/// Put the calling thread into the C locale, and back, around calls of printf and similar functions.
void *sac_enter_c_locale(void);
void sac_leave_c_locale(void *previous);

/// Sort numbers, the smallest first. None may be NaN.
void sac_sort_numbers(double *numbers, size_t count);
