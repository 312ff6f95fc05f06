#pragma once

#include "base/random.h"
#include "data/dataset.h"
#include "data/recorder.h"
#include "methods/distill_options.h"
#include "run/rows.h"
#include "saccade/demonstrations.h"
#include "train/run.h"

/// Learning from a teacher (DAgger, Ross et al. 2011). A round drives episodes, some by the teacher and the others by
/// the student; whoever drives, the teacher says in every frame what it would do. These frames join those of earlier
/// rounds, and the student is fitted to all that are kept.
///
/// What is kept is not part of a checkpoint. A round follows from the run's seed, its number and the student's
/// parameters when it began, so a run that goes on plays the rounds again whose frames it still needs.

/// Numbers of the learner's state, in the order of the array "numbers".
enum
{
    SAC_DISTILL_ROUNDS,  ///< whose frames are kept
    SAC_DISTILL_NEXT,    ///< number of the next frame
    SAC_DISTILL_STEPS,   ///< of the fit
    SAC_DISTILL_CALLS,   ///< likewise
    SAC_DISTILL_TEACHER, ///< a hash of the teacher's file
    SAC_DISTILL_NUMBERS
};

/// What came of a round's episodes.
typedef struct sac_distill_round
{
    int taught;              ///< episodes that the teacher drove: the first ones
    uint64_t steps;          ///< of all
    double best, mean, std;  ///< of the returns that are numbers
    double student, teacher; ///< means over their own episodes; NaN: they had none
} sac_distill_round;

/// A unit's noise and pushes.
typedef struct sac_distill_push
{
    sac_stream stream;
    int left; ///< drawn actions still to be done
} sac_distill_push;

typedef struct sac_distill
{
    sac_distill_options options;
    double shares[SAC_DISTILL_SHARES];
    int share_count;
    int flip[SAC_DISTILL_FLIP]; ///< what pictures mean from right to left, where options.flip says so
    uint64_t teacher_hash;
    sac_policy *teacher;                    ///< NULL: demonstrations
    sac_demonstrations_file *shown;         ///< NULL: a teacher
    const void *shown_parts[SAC_MAX_PARTS]; ///< by the student's inputs
    uint8_t *shown_starts;                  ///< [frames]
    int columns[SAC_MAX_PARTS];             ///< the recorder's column of each input of the student
    size_t sizes[SAC_MAX_PARTS];            ///< bytes of each input
    uint32_t parts;                         ///< the world's parts that these are
    int costs;                              ///< choices of which the teacher says what each costs; 0: it does not
    sac_fit *fit;
    sac_recorder *recorder;
    sac_dataset *dataset;
    sac_distill_push *pushes; ///< [episodes]
    int taught;               ///< episodes of the round under way that the teacher drives
    uint64_t round;           ///< its number
    const float *driving;     ///< the student's parameters in it
    int64_t numbers[SAC_DISTILL_NUMBERS];
    int64_t *firsts; ///< [rounds] number of the first frame of each round that is kept
    float *vectors;  ///< [rounds, parameters] the student's when it began
    int round_count, round_room;
    sac_rows *rows; ///< rank 0
    double loss[2]; ///< of the last fit: at its beginning and at its end
} sac_distill;

static inline sac_distill *sac_distill_of(const sac_run *r)
{
    return r->learned;
}

/// Load the task's teacher or demonstrations, and check that they and the student fit.
SAC_CHECKED sac_status sac_distill_load(sac_run *r);

/// Play a round with the student's parameters as they were, and add its frames to the data.
SAC_CHECKED sac_status sac_distill_collect(sac_run *r, uint64_t round, const float *student, sac_distill_round *out);

/// Remember the round whose first frame has that number, so that it can be played again, and forget those of which no
/// frame is left.
SAC_CHECKED sac_status sac_distill_remember(sac_run *r, int64_t first, const float *student);
