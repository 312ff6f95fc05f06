#pragma once

#include "classify/heads.h"

/// What a fit tells those who watch it, in its run folder: progress.json, what it does just now; heads.csv, what the
/// heads of an attention net look at before training and after each evaluation; events.jsonl. It is the same whether
/// anybody watches or not, and nothing of it is needed to go on.

typedef struct sac_classify_told sac_classify_told;

/// What a fit does just now.
typedef struct sac_classify_now
{
    uint64_t epoch, epochs; ///< finished; in all
    uint64_t step, steps;   ///< the same of minibatches
    double seconds;         ///< of training, resumed parts included
    double stepping;        ///< seconds that this process has spent on steps, evaluations left out
    double limit_left;      ///< seconds to the end that was asked for; NaN: there is none
    double rate;            ///< of the last step
    double loss, accuracy;  ///< of the epoch under way, as pictures were seen; NaN: it has not begun
} sac_classify_now;

/// @param      run_dir  lives as long as what is made
/// @param      net      as it trains: its numbers are read when heads are told
/// @param      test     the test part of its data set
/// @param      epoch    finished: what was told of later ones is cut
/// @param      step     the same; 0: the run begins
/// @param[out] out      released by sac_classify_told_close; NULL on failure
SAC_CHECKED sac_status sac_classify_told_open(sac_classify_told **out, const char *run_dir, const sac_trained_net *net,
                                              const sac_image_set *test, uint64_t epoch, uint64_t step);

/// Flush and close. NULL is ignored. The result tells whether everything was written.
sac_status sac_classify_told_close(sac_classify_told *told);

/// An event in words.
SAC_CHECKED sac_status sac_classify_tell_event(sac_classify_told *told, uint64_t epoch, const char *event,
                                               const char *format, ...) __attribute__((format(printf, 4, 5)));

/// Measure the heads and add a row for each; nothing for a net that has none.
SAC_CHECKED sac_status sac_classify_tell_heads(sac_classify_told *told, uint64_t epoch);

/// Tell whether it is time for the next progress.json.
bool sac_classify_told_is_due(const sac_classify_told *told);

/// Write progress.json.
SAC_CHECKED sac_status sac_classify_tell_now(sac_classify_told *told, const sac_classify_now *now);
