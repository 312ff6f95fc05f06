#pragma once

#include "saccade/base.h"

/// CSV files of numbers, such as recorded actions: no header, one row a line, the same columns in each.

/// Read rows of finite numbers, separated by commas. Blanks around numbers, CR LF and a missing last newline are fine.
/// @param[out] values   [rows, columns], released by sac_free; NULL on failure
/// @param      columns  expected in each row, >= 1
/// @param      limit    more rows are an error
/// @param      where    names the source in errors
/// @return SAC_ERROR_FORMAT (with line and column) or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_csv_read(double **values, size_t *rows, const char *bytes, size_t size, int columns,
                                    size_t limit, const char *where);

/// The same from a file.
SAC_CHECKED sac_status sac_csv_load(double **values, size_t *rows, const char *path, int columns, size_t limit);
