#pragma once

#include "saccade/base.h"

/// What dm_control's agents are told of a state instead of a picture: numbers, part by part.

enum
{
    CONTROL_MAX_NUMBERS = 96
};

typedef struct control_numbers
{
    int count;
    const char *part[CONTROL_MAX_NUMBERS]; ///< that a number is of, such as "position"
    int place[CONTROL_MAX_NUMBERS];        ///< in its part
    double value[CONTROL_MAX_NUMBERS];
} control_numbers;

/// Add to the part that is told, or begin it. `values` [count].
void sac_numbers_add(control_numbers *numbers, const char *part, const double *values, int count);

/// Add a single number.
void sac_numbers_add_one(control_numbers *numbers, const char *part, double value);
