#pragma once

#include "evolve/method.h"

/// Fitness shaping: what a method makes of a generation's fitness before it learns. One rule for numbers that are none.

/// Centred ranks, shaped [population] by candidate: -1/2 for the worst, 1/2 for the best, equals share their mean, and
/// all NaN are equally worst. `order` as in sac_search_method's tell.
void sac_shape_ranks(const sac_search *search, const int *order, double *shaped);

/// The fitness itself, shaped [population], where it is finite; infinity as the best finite number, anything else as
/// the worst, so that no candidate spoils a sum. At least one number of the generation is finite, or all become 0.
void sac_shape_values(const sac_search *search, double *shaped);
