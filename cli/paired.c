#include "paired.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "numerics/student.h"

static double difference(const sac_episode *first, const sac_episode *second, int i)
{
    return first[i].episode_return - second[i].episode_return;
}

cli_paired cli_paired_of(const sac_episode *first, const sac_episode *second, int count)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) sum += difference(first, second, i);
    const double mean = sum / count;
    for (int i = 0; i < count; i++)
        squares += (difference(first, second, i) - mean) * (difference(first, second, i) - mean);
    const double half = sac_student_quantile(0.95, count - 1) * sqrt(squares / (count - 1)) / sqrt(count);
    return (cli_paired){.first = sac_score_of(first, count),
                        .second = sac_score_of(second, count),
                        .mean = mean,
                        .low = mean - half,
                        .high = mean + half,
                        .count = count};
}

void cli_paired_format(char text[CLI_PAIRED_SIZE], const cli_paired *p)
{
    int d = sac_decimals(p->mean, p->high - p->mean);
    snprintf(text, CLI_PAIRED_SIZE, "%+.*f, 95 %% confidence %+.*f .. %+.*f", d, p->mean, d, p->low, d, p->high);
}
