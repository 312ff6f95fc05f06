#pragma once

#include "saccade/run.h"

/// What a run leaves for people and programs to read: metrics.csv, events.jsonl, TensorBoard events. Rows after the
/// last checkpoint are cut on resume, so every generation stands there once.

typedef struct sac_journal sac_journal;

/// Open the run folder's journal.
/// @param      generation  events beyond it are cut
/// @param      row         rows beyond it are cut: `generation`, or the one before where the evaluation of
///                         `generation`, and with it its row, are still to come
/// @param      anew        no event and no row stays
/// @param[out] seconds     of the last row that stays, 0 when there is none
SAC_CHECKED sac_status sac_journal_open(sac_journal **out, const char *run_dir, uint64_t generation, uint64_t row,
                                        bool anew, double *seconds);

/// Flush and close. NULL is ignored. The result tells whether everything was written.
sac_status sac_journal_close(sac_journal *journal);

/// One generation.
SAC_CHECKED sac_status sac_journal_write(sac_journal *journal, const sac_progress *progress);

/// One event in words, with the generation it belongs to.
SAC_CHECKED sac_status sac_journal_event(sac_journal *journal, uint64_t generation, const char *event,
                                         const char *text);

/// Make everything so far survive a crash; call before a checkpoint.
SAC_CHECKED sac_status sac_journal_sync(sac_journal *journal);

/// Read one row of metrics.csv, without its newline; false for anything else, such as one that a crash cut short.
bool sac_journal_parse_row(const char *row, sac_progress *progress);
