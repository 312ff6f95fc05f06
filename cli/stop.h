#pragma once

#include "board.h"
#include "saccade/train.h"

/// What commands that take their time share: the end by a signal, and by a failure.

/// SIGINT and SIGTERM ask the run to end with a checkpoint; a person's second SIGINT ends the program at once.
/// @return what becomes nonzero then
const volatile int *cli_catch_signals(void);

/// After so many seconds of wall clock what cli_catch_signals gave becomes nonzero, too.
void cli_end_after(int seconds);

/// What a run's end by cli_end_after is, which was asked for and so is no failure.
/// @param seconds  of cli_end_after; 0: it was not called
/// @param speaks   say on standard output where the run stands
/// @return SAC_OK in place of SAC_ERROR_INTERRUPTED, unless a signal has asked for the end; any other status as it is
SAC_CHECKED sac_status cli_end_by_time(sac_status status, int seconds, bool speaks);

/// Say how it ended, on rank 0, for what fails on any rank is known there; the exit code.
/// @param place  where the checkpoint is, for an interrupted run
int cli_end_training(sac_status status, const char *place, bool reports);

/// Warn when a rank is bound to fewer cores than it has threads: they would share them.
void cli_warn_of_binding(int threads);

/// Print the library's log on standard error, but not into a live board once that has started.
/// @param board  NULL: there is none
void cli_print_log(const cli_board *board);

enum
{
    CLI_DASH_PORT = 8800 ///< of the live page unless another is asked for
};

/// What --run says, or without it "runs/car-racing" for "tasks/car-racing.yaml".
/// @param room  for the second
const char *cli_run_dir(const cli_args *args, char room[CLI_PATH_SIZE]);
