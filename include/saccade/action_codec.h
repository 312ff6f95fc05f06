#pragma once

#include "saccade/base.h"

/// Actions as tokens and as text, the two ways in which RT-2 and SARA-RT let a transformer speak actions.
///
/// Bins (Brohan et al. 2023; Leal et al. 2024, Sec. IV-B.2): each dimension's range low..high has B values with equal
/// distances, low + b (high - low) / (B - 1), and a number becomes the index b of one of them, which is its token. RT's
/// released code takes the value at or below a number (SAC_BIN_BELOW). Decoded actions then lie half a distance too low
/// on average, and a decoded number may become the bin below when it is encoded again, because it was rounded.
/// SAC_BIN_NEAREST takes the nearest value: it is at most half a distance away, and every bin keeps its index.
///
/// Strings (the "vector representation" of SARA-RT): numbers with four digits after the point, a space between two.
///
/// Nothing here allocates; all functions may be called from any thread.

enum
{
    SAC_ACTION_BINS = 256,      ///< bins of RT-2
    SAC_ACTION_DIGITS = 4,      ///< digits after the point in strings
    SAC_MAX_ACTION_BINS = 65536 ///< B at most
};

/// Which bin a number takes that lies between the values of two.
typedef enum sac_bin_rounding
{
    SAC_BIN_BELOW,   ///< that of the lower value, as RT's released code
    SAC_BIN_NEAREST, ///< that of the nearer value, of the higher one where both are equally near
} sac_bin_rounding;

/// The bin of a number. What is out of range is cut to it; NaN becomes the bin of the middle.
/// @param bins  B, 2..SAC_MAX_ACTION_BINS; low < high, both finite, as their difference; all this is asserted
/// @return 0..B-1
SAC_API int sac_action_bin(double number, double low, double high, int bins, sac_bin_rounding rounding);

/// The value of a bin, low + bin (high - low) / (B - 1): exactly low for 0 and high for B - 1.
/// @param bin  0..B-1, asserted
SAC_API double sac_action_value(int bin, double low, double high, int bins);

/// Write an action as a string, such as "0.4654 -0.0703 1.0000". Each number is rounded to the nearest of four
/// decimals, ties of its exact value to even digits, as Python and C's printf do it.
/// @param[out] text    [size], ended by a zero byte; "" on failure
/// @param      action  [count] numbers, count >= 1
/// @return SAC_ERROR_ARGUMENT where a number is not finite or the text does not fit
SAC_API SAC_CHECKED sac_status sac_action_format(char *text, size_t size, const double *action, int count);

/// Read such a string. It must hold `count` decimal numbers with up to four digits after the point and at most 15
/// before it, a single space between two, and nothing else but a line feed at the end.
/// @param[out] action  [count], unchanged on failure
/// @param      where   names the text's source in the error
/// @return SAC_ERROR_FORMAT; sac_last_error says which number is wrong and what was expected
SAC_API SAC_CHECKED sac_status sac_action_parse(double *action, int count, const char *text, const char *where);
