#pragma once

#include "learn/optimiser.h"
#include "learn/slices.h"
#include "methods/contrast_options.h"
#include "run/rows.h"
#include "train/run.h"
#include "words/encoder.h"

/// Learning by contrast (Radford et al. 2021): a finder's encoder is shown pictures of a world that knows the names of
/// its things and what each pixel shows of them. A generation draws pictures anew, as a pure function of the run's seed
/// and its number, and takes some steps of an optimiser over minibatches of them. So a checkpoint holds the parameters
/// and the optimiser's moments alone.

/// The parts of a world that are learned from.
enum
{
    CONTRAST_IMAGE,
    CONTRAST_WORDS, ///< the goal's caption as a bag of words
    CONTRAST_NAME,  ///< the goal's name
    CONTRAST_SHOWN, ///< what each pixel of depth shows: 0, or 1 more than a name
    CONTRAST_PARTS
};

/// Pictures and what they show.
typedef struct contrast_pool
{
    uint8_t *pictures; ///< [count, height, width, channels]
    float *bags;       ///< [count, W]
    int *names;        ///< [count]
    int *shown;        ///< [count, N] a name, WORDS_NOTHING or WORDS_HALF
} contrast_pool;

/// Where a thread draws pictures.
typedef struct contrast_eye
{
    sac_env *env;
    sac_env_row row;
    void *parts[SAC_MAX_PARTS];
    float *shown, *action, name; ///< [height, width] of depth
    double reward;
    uint8_t ended[2];
    sac_status status;
    char failure[512];
} contrast_eye;

/// A minibatch on its way.
typedef struct contrast_batch
{
    int *members, *shown, *captions; ///< [batch] pictures; [batch, N] captions; [names] of a name
    float *bags, *keys, *queries, *lengths, *dkeys, *dqueries, *kept, *logits, *slopes;
    int caption_count;
} contrast_batch;

typedef struct sac_contrast
{
    sac_contrast_options options;
    const words_encoder *encoder;
    int names, parts[CONTRAST_PARTS], cells[2]; ///< pixels of depth in a patch, along rows and columns
    contrast_pool pool;
    contrast_batch batch;
    contrast_eye *eyes; ///< [threads]
    uint64_t round;     ///< whose pictures are drawn
    sac_threads *threads;
    sac_slices *slices;
    sac_optimiser *optimiser;
    void **scratch; ///< [threads]
    float **rooms;  ///< [threads]
    float *parameters, *gradient;
    const float *current;
    int64_t steps;  ///< of the optimiser
    double loss[2]; ///< the first and the last of a generation
    sac_rows *rows;
} sac_contrast;

static inline sac_contrast *sac_contrast_of(const sac_run *r)
{
    return r->learned;
}

/// Open the worlds in which pictures are drawn, and make room for these.
SAC_CHECKED sac_status sac_contrast_open(sac_run *r);
void sac_contrast_close(sac_contrast *c);

/// Draw the pictures of a generation.
SAC_CHECKED sac_status sac_contrast_draw(sac_run *r, uint64_t round);

/// One step over a minibatch. @return its loss
double sac_contrast_step(sac_contrast *c, uint64_t seed, uint64_t number);
