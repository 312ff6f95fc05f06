#pragma once

#include "files/atomic.h"
#include "saccade/train.h"

/// The plan of a sweep: which task, which fields of it take which values, which seeds.

enum
{
    SWEEP_FIELDS = 16,
    SWEEP_VALUES = 64,
    SWEEP_RUNS = 10000
};

/// A field of the task and what it takes: listed values, or (random sweeps only) a range.
typedef struct sac_sweep_field
{
    char key[SAC_TEXT_SIZE];
    char values[SWEEP_VALUES][SAC_TEXT_SIZE];
    int count; ///< of values; 0: a range
    double low, high;
    char scale[SAC_TEXT_SIZE]; ///< "linear", "log" or "whole"
} sac_sweep_field;

typedef struct sac_plan
{
    char task[SAC_TEXT_SIZE], method[SAC_TEXT_SIZE];
    char found[SAC_PATH_SIZE]; ///< where the task lies: as it is named, or beside the sweep file
    int samples;               ///< random: points
    uint64_t seed;             ///< random: of the draws
    sac_sweep_field fields[SWEEP_FIELDS];
    int field_count;
    uint64_t seeds[SWEEP_VALUES]; ///< of training, for every point
    int seed_count;
} sac_plan;

/// Read a sweep file.
SAC_CHECKED sac_status sac_plan_load(sac_plan **out, const char *path);

int sac_plan_points(const sac_plan *plan);

/// The value of a field at a point: a pure function of the plan.
void sac_plan_value(const sac_plan *plan, int point, int field, char text[SAC_TEXT_SIZE]);
