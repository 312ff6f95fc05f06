#include "files/csv.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "files/atomic.h"

enum
{
    FILE_LIMIT = 64 << 20,
    NUMBER_SIZE = 64
};

/// A place in the text.
typedef struct cursor
{
    const char *at, *end, *where;
    size_t line;
    int column;
} cursor;

static sac_status fail_at(const cursor *c, const char *what)
{
    return sac_fail(SAC_ERROR_FORMAT, "%.400s:%zu: column %d: %s", c->where, c->line, c->column, what);
}

static bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r';
}

static bool at_line_end(const cursor *c)
{
    return c->at == c->end || *c->at == '\n';
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && is_blank(*c->at)) c->at++;
}

// Read one decimal number up to a comma or the line's end.
static sac_status read_number(cursor *c, double *value)
{
    char text[NUMBER_SIZE];
    size_t length = 0;
    skip_blanks(c);
    while (!at_line_end(c) && *c->at != ',' && !is_blank(*c->at) && length + 1 < sizeof text) text[length++] = *c->at++;
    text[length] = 0;
    skip_blanks(c);
    if (length == 0) return fail_at(c, "empty, expected a number");
    bool whole = strlen(text) == length && (at_line_end(c) || *c->at == ',');
    if (whole && sac_parse_real(text, value)) return SAC_OK;
    return sac_fail(SAC_ERROR_FORMAT, "%.400s:%zu: column %d: '%s' is no finite number", c->where, c->line, c->column,
                    text);
}

static sac_status read_row(cursor *c, double *row, int columns)
{
    for (int i = 0; i < columns; i++)
    {
        c->column = i + 1;
        if (i > 0 && at_line_end(c))
            return sac_fail(SAC_ERROR_FORMAT, "%.400s:%zu: %d columns, expected %d", c->where, c->line, i, columns);
        if (i > 0) c->at++;
        SAC_TRY(read_number(c, &row[i]));
    }
    if (!at_line_end(c))
        return sac_fail(SAC_ERROR_FORMAT, "%.400s:%zu: more than %d columns", c->where, c->line, columns);
    if (c->at < c->end) c->at++;
    c->line++;
    return SAC_OK;
}

static size_t count_lines(const char *bytes, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
    return lines + (size > 0 && bytes[size - 1] != '\n');
}

// Say which row of a text that is too short for all has too few columns, or else that some are empty.
static sac_status fail_short(const char *bytes, size_t size, int columns, const char *where)
{
    size_t line = 1;
    int found = 1;
    for (size_t i = 0; i < size; i++)
    {
        found += bytes[i] == ',';
        if (bytes[i] != '\n' && i + 1 < size) continue;
        if (found < columns)
            return sac_fail(SAC_ERROR_FORMAT, "%.400s:%zu: %d column%s, expected %d", where, line, found,
                            found == 1 ? "" : "s", columns);
        line++, found = 1;
    }
    return sac_fail(SAC_ERROR_FORMAT, "%.400s: empty columns, expected %d numbers in each row", where, columns);
}

sac_status sac_csv_read(double **values, size_t *rows, const char *bytes, size_t size, int columns, size_t limit,
                        const char *where)
{
    SAC_ASSERT(columns >= 1);
    *values = NULL;
    *rows = 0;
    size_t count = count_lines(bytes, size);
    if (count > limit) return sac_fail(SAC_ERROR_FORMAT, "%.400s: %zu rows, expected at most %zu", where, count, limit);
    // A row has at least two bytes for each column, so the memory is limited by the size of the text, whatever
    // `columns` is.
    if (count > 0 && size / count + 1 < (size_t)columns * 2 - 1) return fail_short(bytes, size, columns, where);
    double *data = sac_alloc_array(count * (size_t)columns, sizeof *data);
    if (!data) return sac_fail_memory(where);
    cursor c = {.at = bytes, .end = bytes + size, .where = where, .line = 1};
    for (size_t i = 0; i < count; i++)
    {
        sac_status status = read_row(&c, data + i * (size_t)columns, columns);
        if (status == SAC_OK) continue;
        sac_free(data);
        return status;
    }
    *values = data;
    *rows = count;
    return SAC_OK;
}

sac_status sac_csv_load(double **values, size_t *rows, const char *path, int columns, size_t limit)
{
    *values = NULL;
    *rows = 0;
    uint8_t *bytes;
    size_t size;
    SAC_TRY(sac_read_file(&bytes, &size, path, FILE_LIMIT));
    sac_status status = sac_csv_read(values, rows, (const char *)bytes, size, columns, limit, path);
    sac_free(bytes);
    return status;
}
