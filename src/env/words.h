#pragma once

#include "saccade/base.h"

/// Variants of worlds that are made of words: "original", "any", or some of the words that a world knows, joined by
/// '+'.

/// Read such a variant.
/// @param[out] flags  [as many as words] which of the words it names
/// @param[out] any    it is "any"
/// @param      words  NULL at the end
/// @return SAC_ERROR_ARGUMENT for other words, with what was expected
SAC_CHECKED sac_status sac_env_words_read(bool *flags, bool *any, const char *const *words, const char *text);
