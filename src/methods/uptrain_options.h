#pragma once

#include "saccade/options.h"

/// What can be said of an up-training: the options of `saccade uptrain`, which a recipe's part has under the same
/// names.
typedef struct sac_uptrain_options
{
    char attention[SAC_TEXT_SIZE];      ///< "": the default of the policy's kind
    int features, frames, tune, rounds; ///< 0, of tune -1: the default of the policy's kind
    int match, match_rounds;
    double match_rate, rate; ///< rate 0: the default of the policy's kind
    bool random;
    uint64_t seed, from;
} sac_uptrain_options;

extern const sac_option sac_uptrain_option_table[];

/// Read options as typed.
/// @return SAC_ERROR_ARGUMENT for an unknown name (with "did you mean") or a bad value
SAC_CHECKED sac_status sac_uptrain_options_read(sac_uptrain_options *options, const sac_setting *settings, int count,
                                                const char *where);

/// The first of these settings that means nothing for a policy whose maps are its layers of queries and keys, as those
/// of action-tokens and point-cloud are; NULL: there is none.
const char *sac_uptrain_option_of_maps(const sac_setting *settings, int count);
