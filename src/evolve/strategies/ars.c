#include "evolve/strategies/sensing.h"

/// ars: augmented random search after Mania et al. 2018 (arXiv:1803.07055), V1, and V1-t where `top` is below 1. V2 is
/// V1 on observations that are normalised by running statistics; that is done by the policy and not by the search.

static const sac_option options[] = {
    SAC_COMMON_OPTIONS("460", "candidates in a generation, twice the directions; 0: 4 + 3 ln n", "0.0075",
                       "standard deviation of the candidates"),
    SAC_ASCENT_OPTIONS(sac_sensing_config, "sgd", "0.02", "step of the optimizer", "0"),
    SAC_SENSING_OPTION_TOP("1"),
    SAC_SENSING_OPTION_PICK("max"),
    SAC_SENSING_OPTION_NORMALISE("std"),
    SAC_SENSING_OPTION_ORTHOGONAL("false"),
    {0},
};

const sac_search_method sac_ars = {
    .name = "ars",
    .summary = "augmented random search: plain differences over the deviation of the returns; for small policies",
    .options = options,
    .config_size = sizeof(sac_sensing_config),
    .create = sac_sensing_create,
    .destroy = sac_sensing_destroy,
    .prepare = sac_sensing_prepare,
    .ask = sac_sensing_ask,
    .tell = sac_sensing_tell,
    .stop = sac_common_stop,
    .state = sac_sensing_state,
    .constants = sac_sensing_constants,
    .restored = sac_sensing_restored,
};
