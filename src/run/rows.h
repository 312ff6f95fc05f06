#pragma once

#include "saccade/base.h"

/// A table of a run folder beside metrics.csv, whose rows begin with their generation. Rows after the last checkpoint
/// are cut on resume, so every generation stands there once.
typedef struct sac_rows sac_rows;

/// @param name        of the file in the run folder
/// @param header      its first line, without a newline
/// @param generation  rows beyond it are cut
/// @param anew        cut all, as at the beginning of a run
SAC_CHECKED sac_status sac_rows_open(sac_rows **out, const char *run_dir, const char *name, const char *header,
                                     uint64_t generation, bool anew);

/// The last row that was kept when the table was opened, without a newline; "" where there is none.
const char *sac_rows_last(const sac_rows *rows);

/// Flush and close. NULL is ignored. The result tells whether everything was written.
sac_status sac_rows_close(sac_rows *rows);

/// Add a row, and show it to those who watch the file grow.
SAC_CHECKED sac_status sac_rows_add(sac_rows *rows, uint64_t generation, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Add a row that is shown with later ones, by sac_rows_show.
SAC_CHECKED sac_status sac_rows_add_quietly(sac_rows *rows, uint64_t generation, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
SAC_CHECKED sac_status sac_rows_show(sac_rows *rows);
