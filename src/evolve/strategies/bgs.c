#include "evolve/strategies/sensing.h"

/// bgs: blackbox gradient sensing (Choromanski et al. 2018, arXiv:1804.02395, and 2019, arXiv:1903.02993) with the
/// settings of SARA-RT: 50 orthogonal directions, the 30 % whose two returns differ most, sigma 0.02, step 0.02.

static const sac_option options[] = {
    SAC_COMMON_OPTIONS("100", "candidates in a generation, twice the directions; 0: 4 + 3 ln n", "0.02",
                       "standard deviation of the candidates, the radius of smoothing"),
    SAC_ASCENT_OPTIONS(sac_sensing_config, "sgd", "0.02", "step of the optimizer", "0"),
    SAC_SENSING_OPTION_TOP("0.3"),
    SAC_SENSING_OPTION_PICK("difference"),
    SAC_SENSING_OPTION_NORMALISE("std"),
    SAC_SENSING_OPTION_ORTHOGONAL("true"),
    {0},
};

const sac_search_method sac_bgs = {
    .name = "bgs",
    .summary = "blackbox gradient sensing: orthogonal directions, those that tell most; as in SARA-RT and IAP",
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
