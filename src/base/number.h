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

/// Put the calling thread into the C locale and back, around printf and its kind.
void *sac_enter_c_locale(void);
void sac_leave_c_locale(void *previous);
