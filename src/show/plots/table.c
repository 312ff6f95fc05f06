#include "show/plots/table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "files/atomic.h"

enum
{
    FILE_LIMIT = 1 << 26,
    MOST_COLUMNS = 1 << 14
};

static size_t count_of(const char *text, char letter)
{
    size_t count = 0;
    for (; *text; text++) count += *text == letter;
    return count;
}

// Cut a line into cells. @return how many there are
static int cut(char *line, const char **cells, int limit)
{
    int count = 0;
    for (char *at = line; count < limit; at++)
    {
        cells[count++] = at;
        at += strcspn(at, ",\r");
        bool more = *at == ',';
        *at = 0;
        if (!more) return count;
    }
    return limit + 1;
}

// A last line without its end counts too.
static sac_status cut_all(sac_table *t)
{
    char *line = t->text;
    for (int number = 1; *line; number++)
    {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        line[length] = 0;
        if (cut(line, t->cells + (size_t)(number - 1) * (size_t)t->columns, t->columns) != t->columns)
            return sac_fail(SAC_ERROR_FORMAT, "%.200s: line %d has other columns than the first, which has %d", t->path,
                            number, t->columns);
        t->rows = number - 1;
        line = next;
    }
    return SAC_OK;
}

sac_status sac_table_parse(sac_table *t, char *text, const char *path)
{
    *t = (sac_table){.text = text, .path = path};
    if (!*text) return sac_fail(SAC_ERROR_FORMAT, "%.200s: empty, expected a line that names columns", path);
    size_t first = strcspn(text, "\n"), columns = 1;
    for (size_t i = 0; i < first; i++) columns += text[i] == ',';
    if (columns > MOST_COLUMNS)
        return sac_fail(SAC_ERROR_FORMAT, "%.200s: more than %d columns", path, (int)MOST_COLUMNS);
    t->columns = (int)columns;
    // Every cell ends with a comma or with its line.
    t->cells = sac_alloc_array(count_of(text, ',') + count_of(text, '\n') + 1, sizeof *t->cells);
    if (!t->cells) return sac_fail_memory("a table");
    return cut_all(t);
}

sac_status sac_table_read(sac_table *t, const char *path)
{
    uint8_t *bytes;
    size_t size;
    *t = (sac_table){0};
    SAC_TRY(sac_read_file(&bytes, &size, path, FILE_LIMIT));
    return sac_table_parse(t, (char *)bytes, path);
}

void sac_table_clear(sac_table *t)
{
    sac_free(t->text);
    sac_free((void *)t->cells);
    *t = (sac_table){0};
}

int sac_table_find(const sac_table *t, const char *name)
{
    int column = t->columns - 1;
    while (column >= 0 && strcmp(t->cells[column], name) != 0) column--;
    return column;
}

sac_status sac_table_columns(const sac_table *t, const char *const *names, int *columns, int count,
                             const char *expected)
{
    for (int i = 0; i < count; i++)
        if ((columns[i] = sac_table_find(t, names[i])) < 0)
            return sac_fail(SAC_ERROR_FORMAT, "%.200s: line 1 names no column '%s'; expected %s", t->path, names[i],
                            expected);
    return SAC_OK;
}

const char *sac_table_cell(const sac_table *t, int row, int column)
{
    return t->cells[(size_t)(row + 1) * (size_t)t->columns + (size_t)column];
}

double sac_table_number(const sac_table *t, int row, int column)
{
    double value;
    return sac_parse_real(sac_table_cell(t, row, column), &value) ? value : NAN;
}
