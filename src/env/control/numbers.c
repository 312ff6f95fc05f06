#include "env/control/numbers.h"

#include <string.h>

#include "base/error.h"

void sac_numbers_add_one(control_numbers *n, const char *part, double value)
{
    SAC_ASSERT(n->count < CONTROL_MAX_NUMBERS);
    int i = n->count++;
    bool goes_on = i > 0 && strcmp(n->part[i - 1], part) == 0;
    n->part[i] = part;
    n->place[i] = goes_on ? n->place[i - 1] + 1 : 0;
    n->value[i] = value;
}

void sac_numbers_add(control_numbers *n, const char *part, const double *values, int count)
{
    for (int i = 0; i < count; i++) sac_numbers_add_one(n, part, values[i]);
}
