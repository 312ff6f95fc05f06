#include "base/error.h"
#include "evolve/method.h"

// Every method and the search itself list their arrays by these functions.

void sac_search_add_array(sac_search_array *arrays, int capacity, int *count, const char *name, double *data,
                          size_t length)
{
    if (*count < capacity) arrays[*count] = (sac_search_array){name, data, length};
    (*count)++;
}

sac_status sac_search_check_positive(const sac_search *search, const char *array, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(x[i] > 0))
            return sac_fail(SAC_ERROR_FORMAT, "%s: the state's %s[%zu] is %g, expected a positive number",
                            search->method->name, array, i, x[i]);
    return SAC_OK;
}
