#pragma once

#include <jansson.h>
#include <stdatomic.h>

#include "base/number.h"
#include "cli.h"
#include "saccade/train.h"

/// What `saccade train` shows: a board on a terminal, a plain line a generation elsewhere, JSON lines on demand.

typedef enum cli_board_mode
{
    CLI_BOARD_QUIET,
    CLI_BOARD_LINES,
    CLI_BOARD_LIVE,
    CLI_BOARD_JSON
} cli_board_mode;

enum
{
    CLI_BOARD_HISTORY = 512 ///< points of the little curve; neighbours are merged when it is full
};

typedef struct cli_board
{
    cli_board_mode mode;
    bool colour, unicode;
    const char *title;   ///< "tasks/toy.yaml"
    double last;         ///< when the board was drawn
    double opened;       ///< by sac_clock()
    atomic_bool started; ///< the log looks at it from other threads
    int lines;           ///< that the board takes on the screen now
    double history[CLI_BOARD_HISTORY];
    uint64_t bad_episodes;       ///< whose return is not a number
    int points, merged, pending; ///< each point is the mean of `merged` generations, of which `pending` are in
} cli_board;

/// The mode that fits standard output, and whether it may be coloured: a terminal, NO_COLOR, TERM, the locale.
void cli_board_open(cli_board *board, const char *title, bool json, bool quiet, bool alone);

/// One generation; a sac_train_def.progress with the board as user.
void cli_board_show(void *board, const sac_progress *progress);

/// Leave the terminal on a fresh line.
void cli_board_close(cli_board *board);

/// "mean +- deviation", or "-" where there is no score.
void board_format_score(char text[2 * SAC_VALUE_SIZE], const sac_score *score);
