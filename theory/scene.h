#pragma once

#include "saccade/attention.h"

/// Gaussian queries and keys, scored in several ways: what hashing and feature maps are compared on. Queries and keys
/// are normalised before anything else.
///
/// The queries share a mean, half as long as they spread, as the patches of one image do: without one every key gets
/// nearly the same score, and which ten are the best is noise.

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

/// Draw the index-th scene. `mean`: the queries' common part against their spread, THEORY_MEAN unless it is varied.
void theory_scene_draw(theory_scene *scene, int size, int count, double mean, uint64_t index);

/// r of brute force attention: the mean over queries of exp(sqrt(D) cos(angle)).
void theory_scene_brute(const theory_scene *scene, double *scores);

/// The library's importance by a form, normalised; m = 0 for the relu of the tokens themselves.
sac_status theory_scene_importance(const theory_scene *scene, float *scores, const char *form, int m, int r,
                                   uint64_t seed);

/// The library's scores by `bits` signs of projections of m trigonometric features of the same seed.
sac_status theory_scene_hash(const theory_scene *scene, float *scores, int m, int bits, uint64_t seed);

/// How many of the ten best by brute force are among the ten best by these scores, as a share.
double theory_scene_recall(const double *brute, const float *scores, int count);

/// A way to score, and its recall averaged over `draws` scenes of 529 tokens.
typedef struct theory_scorer
{
    const char *form;
    int m, r; ///< r: of hybrid
    int bits; ///< 0: no hashing
} theory_scorer;

sac_status theory_recall(double *recall, const theory_scorer *scorer, int size, double mean, int draws);
