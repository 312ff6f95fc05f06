#pragma once

#include "evolve/method.h"

/// Fitness shaping is what a method does to a generation's fitness before it learns. All methods treat NaN and infinity
/// by the same rule.

/// Compute centred ranks, shaped [population] by candidate: -1/2 for the worst, 1/2 for the best. Equal candidates
/// share their mean, and all NaN are equally worst. `order` is as in sac_search_method's tell.
void sac_shape_ranks(const sac_search *search, const int *order, double *shaped);

/// Copy the fitness itself, shaped [population], where it is finite. Infinity becomes the best finite number, and
/// anything else becomes the worst, so that no candidate spoils a sum. If no number of the generation is finite, all
/// become 0.
void sac_shape_values(const sac_search *search, double *shaped);
