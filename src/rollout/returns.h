#pragma once

#include "rollout/comm.h"

/// The returns of the rounds since the last checkpoint, in checkpoints/returns.bin: what a run needs beside the
/// checkpoint to go on from its last finished round, without having to write the whole state of the search each time.
/// A round is known by its fingerprint, so what was kept never stands for something else.

typedef struct sac_returns sac_returns;

/// Read the file of a run, for every rank.
/// @param[out] bytes  released by sac_free; NULL when there is none
SAC_CHECKED sac_status sac_returns_load(const char *run_dir, uint8_t **bytes, size_t *size);

/// @param run_dir  NULL: only what is in `bytes` is known, nothing is written; else the file keeps what is whole in
/// them
/// @param bytes    copied
SAC_CHECKED sac_status sac_returns_open(sac_returns **out, const char *run_dir, const uint8_t *bytes, size_t size);
void sac_returns_close(sac_returns *returns);

int sac_returns_count(const sac_returns *returns); ///< rounds that are known from the file

/// What came of a round's units.
typedef struct sac_results
{
    sac_unit *units; ///< [count]
    int count;
    double *seen;  ///< [count, seen_size] as in sac_round; NULL: none
    int seen_size; ///< even
} sac_results;

/// Fill results from a known round.
/// @param[out] seconds  that it took
/// @return false when the round is not known
bool sac_returns_find(const sac_returns *returns, uint64_t fingerprint, const sac_results *results, double *seconds);

/// Keep a round; a process that is killed afterwards has lost nothing of it. Without a file, nothing happens.
SAC_CHECKED sac_status sac_returns_add(sac_returns *returns, uint64_t fingerprint, const sac_results *results,
                                       double seconds);

/// Forget all: a checkpoint holds what came of them.
SAC_CHECKED sac_status sac_returns_clear(sac_returns *returns);
