#pragma once

#include "saccade/rollout.h"

/// Two policies on the same episodes: the mean of the differences of their returns, and its confidence interval.
typedef struct cli_paired
{
    sac_score first, second; ///< of each alone
    double mean;             ///< first minus second
    double low, high;        ///< 95 % confidence
    int count;
} cli_paired;

/// @param count  2 at least; episodes[i] of both have the same seed
cli_paired cli_paired_of(const sac_episode *first, const sac_episode *second, int count);

/// "+1.2, 95 % confidence -0.4 .. +2.8".
enum
{
    CLI_PAIRED_SIZE = 128
};

void cli_paired_format(char text[CLI_PAIRED_SIZE], const cli_paired *paired);
