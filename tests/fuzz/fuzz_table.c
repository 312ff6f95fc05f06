#include <string.h>

#include "base/memory.h"
#include "show/plots/table.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = sac_alloc(size + 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    sac_table table;
    if (sac_table_parse(&table, text, "input") == SAC_OK)
    {
        fuzz_require(table.columns >= 1 && table.rows >= 0);
        for (int row = -1; row < table.rows; row++) // the names of columns come first
            for (int column = 0; column < table.columns; column++)
            {
                const char *cell = sac_table_cell(&table, row, column);
                fuzz_require(cell >= text && cell <= text + size && strlen(cell) <= size);
                (void)sac_table_number(&table, row, column);
            }
        const char *name = sac_table_cell(&table, -1, 0);
        fuzz_require(sac_table_find(&table, name) >= 0 && sac_table_find(&table, "\n") == -1);
    }
    sac_table_clear(&table);
    return 0;
}
