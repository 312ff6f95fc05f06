#pragma once

#include "gradient/gradient.h"

/// Examples as minibatches: sequences of frames with the loss of what a policy makes of them.

/// A minibatch of a fit.
typedef struct sac_fit_batch
{
    const sac_gradient *gradient;
    const float *parameters;
    const sac_examples *examples;
    int *first;      ///< [sequences] the example of each sequence's first output that counts
    int steps, lead; ///< outputs that count, and frames before them
    double share;    ///< 1 / total weight of the loss terms
    double huber, softness, spread, temperature;
    const float *told;      ///< [N, told_size] of the examples, where it never changes; NULL: frames are looked at
    const int *flip;        ///< as in sac_fit_def; NULL: none
    const uint8_t *flipped; ///< [sequences] of the minibatch, as those of `first`: learned from right to left
} sac_fit_batch;

/// Where one slice of a minibatch runs.
typedef struct sac_fit_room
{
    const void **parts;    ///< [lead + steps, sequences, input_count]
    uint8_t *starts;       ///< likewise
    const float **told;    ///< likewise
    float *outputs;        ///< [lead + steps, sequences, output_size]
    float *doutputs;       ///< likewise
    float *targets;        ///< [output_size]
    float *flipped;        ///< [output_size] an action or costs as they are flipped
    float *said;           ///< [lead + steps, sequences, action_size] of a policy that says its actions by tokens
    const float **actions; ///< [lead + steps, sequences] those; NULL: another policy
    int *labels;           ///< [tokens] of such a policy's action
    uint8_t *pictures;     ///< [lead + steps, sequences, bytes of a picture] flipped ones; NULL: none
    void *workspace;
} sac_fit_room;

/// @param sequences  of a slice, at most
/// @param flips    some sequences are flipped
SAC_CHECKED sac_status sac_fit_room_create(sac_fit_room *room, const sac_gradient *gradient, int steps, int sequences,
                                           bool flips);
void sac_fit_room_destroy(sac_fit_room *room);

/// Check that the examples can be fitted.
SAC_CHECKED sac_status sac_fit_check(const sac_fit_batch *batch);

/// 1 / total weight of the loss terms of `sequences` sequences.
double sac_fit_share(const sac_fit_batch *batch, int sequences);

/// Add to seen [2, F] the sums, then the sums of squares, of what the policy's normaliser is told of the frames of some
/// sequences that count.
void sac_fit_see(const sac_fit_batch *batch, const sac_fit_room *room, int first, int sequences, double *seen);

/// What is told of examples first..first + count - 1, to told [N, told_size]; count frames of a room at most.
void sac_fit_tell(const sac_fit_batch *batch, const sac_fit_room *room, int first, int count, float *told);

/// Add the gradient of some sequences of the minibatch. @return their part of the loss
double sac_fit_slice(const sac_fit_batch *batch, const sac_fit_room *room, const sac_learn *l, int first, int sequences,
                     float *gradient);
