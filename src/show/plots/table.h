#pragma once

#include "saccade/base.h"

/// A CSV file whose first line names its columns, small enough to be held as text.

typedef struct sac_table
{
    char *text;         ///< owned
    const char **cells; ///< [rows, columns], owned; the names of columns come first
    int rows, columns;  ///< rows without the first line
    const char *path;
} sac_table;

/// @param path  must outlive the table
/// @return SAC_ERROR_FILE, or SAC_ERROR_FORMAT when a row has other columns than the first line, or there is none
SAC_CHECKED sac_status sac_table_read(sac_table *table, const char *path);

/// The same from a text.
/// @param text  belongs to the table from here on, also after a failure; from sac_alloc
SAC_CHECKED sac_status sac_table_parse(sac_table *table, char *text, const char *path);

/// Release a table, also after a failure. Zeros are fine.
void sac_table_clear(sac_table *table);

/// Find column `name`; -1: there is none.
int sac_table_find(const sac_table *table, const char *name);

/// Find columns `names` and set `columns`, [count] each.
/// @param expected  what the table should be, for the error message
/// @return SAC_ERROR_FORMAT when one is missing
SAC_CHECKED sac_status sac_table_columns(const sac_table *table, const char *const *names, int *columns, int count,
                                         const char *expected);

const char *sac_table_cell(const sac_table *table, int row, int column);

/// Give a cell as a number; NaN where it is empty or is no number.
double sac_table_number(const sac_table *table, int row, int column);
