#pragma once

#include "evolve/method.h"

/// Antithetic pairs: candidates 2k and 2k + 1 are m + sigma e_k and m - sigma e_k. The search learns from the
/// difference of a pair, in which everything that both have in common, such as an easy track, cancels.

typedef struct sac_pairs
{
    int count;       ///< pairs in a generation
    double *noise;   ///< [count, n], e
    double *shaped;  ///< [population], shaped fitness
    double *weights; ///< [count], weight of each pair's noise in the gradient
} sac_pairs;

sac_status sac_pairs_create(sac_pairs *pairs, sac_search *search);
void sac_pairs_destroy(sac_pairs *pairs);

/// Draw this generation's e: standard normal numbers, those of pair k a function of (seed, generation, k).
void sac_pairs_draw(sac_pairs *pairs, const sac_search *search);

/// Make the e of each block of n pairs orthogonal (Gram and Schmidt) and give them back their lengths, so that each one
/// by itself is still standard normal (Choromanski et al. 2018). This takes count^2 n operations.
void sac_pairs_orthogonalise(sac_pairs *pairs, int n);

/// Write candidate `index`, as sac_search_ask does.
void sac_pairs_ask(const sac_pairs *pairs, const sac_search *search, int index, float *x);

/// Take the caller's candidates x [population, n] in place of the asked ones: e_k = (x_2k - x_2k+1) / (2 sigma).
void sac_pairs_replace(sac_pairs *pairs, const sac_search *search, const double *x);

/// Compute half of the difference and the mean of pair k's shaped fitness.
double sac_pairs_half(const sac_pairs *pairs, int k);
double sac_pairs_mean(const sac_pairs *pairs, int k);
