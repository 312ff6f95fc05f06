#pragma once

#include "saccade/attention.h"

/// Gaussian queries and keys that are scored in several ways; hashing and feature maps are compared on them. Queries
/// and keys are normalised before anything else.
///
/// The queries share a mean that is half as long as their spread, as the patches of one image do. Without it every key
/// would get nearly the same score, and noise would decide which ten are the best.

enum
{
    THEORY_TOKENS = 529,
    THEORY_SIZE = 16,
    THEORY_TOP = 10
};

#define THEORY_MEAN 0.5

typedef struct theory_scene
{
    int size, count;                                                                ///< D, L
    double queries[THEORY_TOKENS * THEORY_SIZE], keys[THEORY_TOKENS * THEORY_SIZE]; ///< [L, D]
    float planar[2][THEORY_SIZE * THEORY_TOKENS];                                   ///< the same, [D, THEORY_TOKENS]
} theory_scene;

/// Draw the index-th scene. `mean` is the length of the queries' common part over their spread, THEORY_MEAN unless it
/// is varied.
void theory_scene_draw(theory_scene *scene, int size, int count, double mean, uint64_t index);

/// Compute r of brute-force attention: the mean over queries of exp(sqrt(D) cos(angle)).
void theory_scene_brute(const theory_scene *scene, double *scores);

/// Compute the library's importance by a form, normalised; m = 0 stands for the relu of the tokens themselves.
sac_status theory_scene_importance(const theory_scene *scene, float *scores, const char *form, int m, int r,
                                   uint64_t seed);

/// Compute the library's scores by `bits` signs of projections of m trigonometric features of the same seed.
sac_status theory_scene_hash(const theory_scene *scene, float *scores, int m, int bits, uint64_t seed);

/// Compute which share of the ten best tokens by brute force is among the ten best by these scores.
double theory_scene_recall(const double *brute, const float *scores, int count);

/// A way to score, with its recall averaged over `draws` scenes of 529 tokens.
typedef struct theory_scorer
{
    const char *form;
    int m, r; ///< r: of hybrid
    int bits; ///< 0: no hashing
} theory_scorer;

sac_status theory_recall(double *recall, const theory_scorer *scorer, int size, double mean, int draws);
