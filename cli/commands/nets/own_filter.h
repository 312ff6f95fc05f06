#pragma once

#include "saccade/filter.h"

/// A convolution of one's own, from a safetensors file: `weight` [K, K, channels, outputs] and, where there is one,
/// `bias` [outputs], both F32 and nothing else.
/// @param[out] filter         points into the two arrays
/// @param[out] weights, bias  released by sac_free; NULL on failure, bias also where the file has none
/// @param      most           channels and outputs at most
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT or SAC_ERROR_MEMORY
SAC_CHECKED sac_status cli_load_filter(sac_filter *filter, float **weights, float **bias, const char *path, int most);
