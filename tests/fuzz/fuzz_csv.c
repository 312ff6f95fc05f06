#include <math.h>

#include "base/memory.h"
#include "files/csv.h"

#include "fuzz.h"

// the first byte is the number of columns
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || data[0] == 0) return 0;
    double *values;
    size_t rows;
    int columns = data[0];
    sac_status status = sac_csv_read(&values, &rows, (const char *)data + 1, size - 1, columns, 1000, "input");
    fuzz_check_result(status, values);
    fuzz_require(rows <= 1000);
    for (size_t i = 0; i < rows * (size_t)columns; i++) fuzz_require(isfinite(values[i]));
    sac_free(values);
    return 0;
}
