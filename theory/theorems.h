#pragma once

#include "saccade/base.h"

/// What `saccade theory` checks: the statements of the papers that saccade is built on, each measured with saccade's
/// own code. One file a paper or a theorem of it; one row of theorems.c a theorem.
///
/// A verdict is computed: every statement carries its criterion (in what it predicts) and whether the measurement met
/// it. Seeds are fixed, so a machine repeats its figures.

/// Whose words a statement is.
typedef enum theory_kind
{
    THEORY_PRINTED, ///< the paper's: the verdict of the theorem hangs on these
    THEORY_MENDED,  ///< what holds instead of a printed statement that fails
    THEORY_FURTHER, ///< found beside it
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

/// Add a statement. It is said, then predicted, then measured.
theory_row *theory_claim(theory_report *report, theory_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void theory_predict(theory_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Append to what was measured; then say whether it met the prediction.
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

/// Whether what saccade itself says (the mended and the further statements) holds.
bool theory_is_sound(const theory_report *report);
