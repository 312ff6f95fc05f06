#include "files/json.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

json_t *sac_json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

sac_status sac_json_print(FILE *file, json_t *value)
{
    if (!value) return sac_fail_memory("JSON");
    int failed = json_dumpf(value, file, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    json_decref(value);
    if (failed || fputc('\n', file) == EOF || fflush(file) != 0)
        return sac_fail(SAC_ERROR_FILE, "JSON cannot be written");
    return SAC_OK;
}
