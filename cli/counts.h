#pragma once

#include "files/json.h"
#include "saccade/rollout.h"

/// What a world counts over the episodes of an evaluation, such as falls; nothing where it has no columns that count.
typedef struct cli_counts
{
    sac_env *env; ///< whose columns these are; NULL: it counts nothing
    double *ends; ///< [episodes, columns] as of sac_evaluation_def; NULL: it counts nothing
    int episodes;
} cli_counts;

/// Find out what a world counts, and make room for it.
/// @param[out] counts  closed by cli_counts_close, also after a failure
SAC_CHECKED sac_status cli_counts_open(cli_counts *counts, const sac_env_def *env, int episodes);
void cli_counts_close(cli_counts *counts);

/// Print one line, such as "fell 1 of 100, unsolved 0 in all"; nothing where the world counts nothing.
void cli_counts_print(const cli_counts *counts);

/// The same as an object of numbers by name, new; empty where the world counts nothing.
json_t *cli_counts_json(const cli_counts *counts);
