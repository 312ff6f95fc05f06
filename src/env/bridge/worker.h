#pragma once

#include "env/bridge/process.h"
#include "saccade/env.h"

/// A worker that has introduced itself: its spaces, and the memory that both sides see.
///
///     0 seed u64, 8 reward f64, 16 terminated u8, 17 truncated u8, 20 scene u32, 64 a sentence, 512 action f32 [A],
///     then at multiples of 64: columns f64 [C], and each part of the observation

enum
{
    SAC_WORKER_PROTOCOL = 3,
    SAC_WORKER_MAX_ACTION = 256,
    SAC_WORKER_MAX_COLUMNS = 128,
    SAC_WORKER_NAME = 64,
    SAC_WORKER_MAX_BOUNDS = 1024, ///< numbers of all parts that have bounds
};

/// What a worker offers; plain data, compared when it is replaced.
typedef struct sac_worker_spaces
{
    int part_count;
    struct
    {
        char name[SAC_WORKER_NAME];
        sac_space_kind kind;
        int shape[3];
        bool privileged;
        int first_bound; ///< of its bounds in part_low and part_high; -1: none
    } parts[SAC_MAX_PARTS];
    float part_low[SAC_WORKER_MAX_BOUNDS], part_high[SAC_WORKER_MAX_BOUNDS];
    int bound_count;
    int action_size, action_choices;
    float low[SAC_WORKER_MAX_ACTION], high[SAC_WORKER_MAX_ACTION];
    int column_count;
    char columns[SAC_WORKER_MAX_COLUMNS][SAC_WORKER_NAME];
    int max_steps;      ///< 0: none of its own
    char versions[256]; ///< "gymnasium 1.4.0, numpy 2.4.6, python 3.11.2"
} sac_worker_spaces;

/// What to start.
typedef struct sac_worker_def
{
    const char *python; ///< "": $SACCADE_PYTHON, .venv/bin/python, python3
    const char *config; ///< JSON for saccade-worker.py
    double timeout;     ///< seconds for an answer
    /// Write the scenario that the worker asks for; NULL: it asks for none.
    sac_status (*scenario)(const void *user, const char *path, int descriptor);
    const void *user;
} sac_worker_def;

typedef struct sac_worker
{
    sac_process process;
    sac_worker_spaces spaces;
    uint8_t *memory; ///< NULL: not there
    size_t size;
    uint64_t *seed;
    double *reward;
    uint8_t *ends;   ///< [2]
    uint32_t *scene; ///< in which a reset begins its episode
    float *action;
    double *columns;
    uint8_t *parts[SAC_MAX_PARTS]; ///< each as its space says
} sac_worker;

/// The parts as spaces, [part_count]; their names and bounds are those of `spaces`.
void sac_worker_observations(const sac_worker_spaces *spaces, sac_space *observations);

/// Start a worker and learn what it offers.
/// @return SAC_ERROR_UNAVAILABLE when it cannot run here, such as for a module that is not installed;
///         SAC_ERROR_ENVIRONMENT when it has ended or does not speak this protocol
SAC_CHECKED sac_status sac_worker_start(sac_worker *worker, const sac_worker_def *def);

/// End a worker; orderly, or at once. Harmless where there is none.
void sac_worker_stop(sac_worker *worker, bool at_once);

/// Ask for a reset ('r') or a step ('s') without waiting.
void sac_worker_ask(const sac_worker *worker, char command);

/// Wait for what was asked for.
/// @return false when it has failed, for a reason in words, never ""
bool sac_worker_wait(sac_worker *worker, double timeout, sac_reason *reason);
