#include "files/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

json_t *sac_json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

sac_status sac_json_print(FILE *file, json_t *value)
{
    if (!value) return sac_fail_memory("JSON");
    errno = 0;
    int failed = json_dumpf(value, file, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    json_decref(value);
    if (failed || fputc('\n', file) == EOF || fflush(file) != 0)
        return sac_fail(SAC_ERROR_FILE, "the output cannot be written%s%s", errno ? ": " : "",
                        errno ? strerror(errno) : "");
    return SAC_OK;
}
