#pragma once

#include "policy/finder/survey.h"
#include "policy/kind.h"
#include "saccade/words.h"
#include "words/encoder.h"

/// A policy that goes where words say, after Leal et al. 2023 (SARA-RT), section II-A. Patches of a picture get keys
/// and the words a query by a dual encoder (words/encoder.h), which is what of it is learned; the scores of patches
/// follow from these by a kernel (saccade/words.h). Of the highest few one is drawn. Where it is like the words, what
/// it shows is put on a map that is drawn from depth while the robot drives (survey.h), and the robot goes there.
/// Otherwise it goes to an edge of what the map knows. Keys and query may also be given, by an encoder of the user's;
/// then nothing of it is learned but how it drives.

typedef struct finder_config
{
    bool words;
    char kernel[SAC_TEXT_SIZE], frontier[SAC_TEXT_SIZE];
    int features, kept, every, size, thick, rows;
    bool orthogonal;
    uint64_t seed;
    double scale, sure, extent, angle, eye_ahead, eye_up, steering, narrow;
} finder_config;

enum
{
    FINDER_MOTION = 9, ///< numbers of the part `motion` (docs/words.md)
    FINDER_WEIGHTS = 2,
    FINDER_MOST_KEPT = 16,
    FINDER_REFUSED = 32 ///< places that were gone to and were not it
};

/// What is fixed.
typedef struct finder
{
    int image, depth, motion, words; ///< inputs; -1: there is none
    int keys, query;                 ///< inputs that hold embeddings, in place of `words`; -1: they are learned
    words_encoder encoder;           ///< where they are learned
    int rows, columns, count, size;  ///< of the grid of patches; N; numbers of an embedding
    int cell;                        ///< pixels a side of a patch; 0: there is no picture to show it on
    sac_words *kernel;
    survey_camera camera;
    int side;       ///< squares of the map
    size_t weights; ///< offset of what its parameters scale by 1 + their values: steering, narrow
} finder;

/// What the robot is about to do.
typedef enum finder_aim
{
    FINDER_NOWHERE, ///< it turns, to see more
    FINDER_EDGE,    ///< of what it knows
    FINDER_THING    ///< that looks like the words
} finder_aim;

typedef struct finder_state
{
    sac_policy_state base; // first
    float *parameters;
    survey survey;
    sac_learn learn;
    void *scratch;
    float *keys, *scaled, *scores, *kept, *workspace; ///< of the picture
    float *query, *scaled_query, *lengths, *centers;
    void *kernel_room;
    int top[FINDER_MOST_KEPT], chosen; ///< patches
    float shares[FINDER_MOST_KEPT];
    int steps, draws, begun; ///< begun: the step in which the map was
    finder_aim aim;
    double target[2], like; ///< the thing's place, and the cosine by which it was chosen
    int square;             ///< that ways lead to
    double behind[2];       ///< what is looked at from there
    int waited;             ///< steps near it
    double refused[FINDER_REFUSED][2];
    int refused_count, backing;
    float output[2];
} finder_state;

static inline const finder *finder_of(const finder_state *s)
{
    return s->base.policy->self;
}

static inline const finder_config *finder_config_of(const finder_state *s)
{
    return s->base.policy->config;
}

/// Tell whether it looks for what words say, by embeddings that are learned or given.
static inline bool sac_finder_searches(const finder *f)
{
    return f->count > 0;
}

/// Look at the picture and the words, or take their embeddings, and decide whether a patch shows what they say.
/// @param inputs  the policy's
void sac_finder_look(finder_state *s, const survey_place *place, const void *const *inputs);

/// Decide where to go, after the map has changed.
void sac_finder_decide(finder_state *s, const survey_place *place);

/// Notice what the last step has come to: a place that was reached, or something that stood in the way.
void sac_finder_notice(finder_state *s, const survey_place *place, const float *motion);

/// The point to steer for.
void sac_finder_corner(const finder_state *s, const survey_place *place, double corner[2]);

/// The encoder of a policy that is a finder and learns one; NULL: it is none.
const words_encoder *sac_finder_encoder(const sac_policy *policy);
