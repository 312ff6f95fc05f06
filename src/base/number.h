#pragma once

#include "saccade/base.h"

/// Numbers as text, with a decimal point whatever the locale of the program.

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

/// Digits after the point with which a mean and its spread say something, whatever their scale: two digits of the
/// spread, or three of the mean where there is no spread; at least one, at most six.
int sac_decimals(double mean, double spread);

/// A return alone, "914.3" or "0.034", with as many digits as sac_decimals says, but no zeros at the end after the
/// first.
void sac_format_value(char text[SAC_VALUE_SIZE], double value);

/// A mean and its spread, "914.3 +- 20.1" or "0.512+-0.034".
/// @param between  such as " +- "
void sac_format_spread(char text[2 * SAC_VALUE_SIZE], double mean, const char *between, double spread);

/// Put the calling thread into the C locale and back, around printf and its kind.
void *sac_enter_c_locale(void);
void sac_leave_c_locale(void *previous);
