#pragma once

#include "saccade/base.h"

/// The metrics.csv of a run, column by column.

enum
{
    SAC_METRIC_GENERATION,
    SAC_METRIC_STEPS,
    SAC_METRIC_SECONDS,
    SAC_METRIC_BEST,
    SAC_METRIC_MEAN,
    SAC_METRIC_EVAL_MEAN,
    SAC_METRIC_EVAL_STD,
    SAC_METRIC_COLUMNS,
    SAC_METRICS_NAME_SIZE = 128
};

typedef struct sac_metrics
{
    double *values[SAC_METRIC_COLUMNS]; ///< [count] each; all in one allocation, owned by the first
    int count, evaluated;               ///< evaluated: rows that hold an evaluation
    char name[SAC_METRICS_NAME_SIZE];
} sac_metrics;

/// @param run  a run folder or its metrics.csv
/// @return SAC_ERROR_FILE or SAC_ERROR_FORMAT, naming file and line
SAC_CHECKED sac_status sac_metrics_read(sac_metrics *metrics, const char *run);

/// Release what reading has allocated. Zeros are fine.
void sac_metrics_clear(sac_metrics *metrics);
