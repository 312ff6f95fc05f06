#pragma once

#include "saccade/base.h"

/// What `saccade theory` checks: the statements of the papers that saccade is built on, each measured with saccade's
/// own code. There is one file for each paper or theorem of it, and one row of theorems.c for each theorem.
///
/// A verdict is computed: every statement carries its criterion (in its prediction) and whether the measurement met it.
/// Seeds are fixed, so a machine repeats its figures.

/// Who makes a statement.
typedef enum theory_kind
{
    THEORY_PRINTED, ///< the paper makes it: the verdict of the theorem depends on these
    THEORY_MENDED,  ///< it holds in place of a printed statement that fails
    THEORY_FURTHER, ///< an additional statement, found beside it
} theory_kind;

/// One statement.
typedef struct theory_row
{
    theory_kind kind;
    bool holds; ///< the measurement met the prediction
    char claim[192], predicted[192], measured[320];
} theory_row;

enum
{
    THEORY_MAX_ROWS = 12
};

/// The statements of a theorem, in order. Starts as {0}.
typedef struct theory_report
{
    theory_row rows[THEORY_MAX_ROWS];
    int count;
} theory_report;

/// Add a statement. It is claimed first, then predicted, then measured.
theory_row *theory_claim(theory_report *report, theory_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void theory_predict(theory_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Append to the measurement; then judge whether it met the prediction.
void theory_measure(theory_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
void theory_judge(theory_row *row, bool holds);

/// One theorem.
typedef struct theory_theorem
{
    const char *name;   ///< on the command line; what stands before its first dash names the paper
    const char *source; ///< where it is printed, such as "IAP v2, Theorem 4.3"
    const char *title;
    sac_status (*check)(theory_report *report);
} theory_theorem;

/// Every theorem in order; a NULL name at the end.
extern const theory_theorem theory_theorems[];

/// "HOLDS" when every printed statement does; otherwise "FAILS as printed; mended: HOLDS" when there are mended ones
/// and all of them hold; otherwise "FAILS".
const char *theory_verdict(const theory_report *report);

/// Whether the statements of saccade itself (the mended and the further ones) hold.
bool theory_is_sound(const theory_report *report);
