#pragma once

#include "classify/evaluate.h"

/// How `saccade fit` and `saccade classify` show what a net gives over test pictures.

/// The share of right answers, and a table: pictures by their class (rows) and what they were taken for (columns).
void cli_print_score(const sac_classify_score *score);

/// The same as one JSON object.
SAC_CHECKED sac_status cli_print_score_json(const sac_classify_score *score);
