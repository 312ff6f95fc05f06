#pragma once

#include <jansson.h>
#include <stdio.h>

#include "saccade/base.h"

/// Functions that Jansson lacks, for results that programs read.

/// A number; null when it is NaN or infinite, which JSON cannot express.
json_t *sac_json_number(double number);

/// Print a value on one line, numbers to 17 digits, and release it.
/// @return SAC_ERROR_FILE, or SAC_ERROR_MEMORY when `value` is NULL
SAC_CHECKED sac_status sac_json_print(FILE *file, json_t *value);
