#pragma once

#include "saccade/base.h"

/// Words for error messages.

/// Find the candidate nearest to `word` by edit distance; NULL when none is near enough to be meant.
/// `candidates` is asked for names by index until it gives NULL.
const char *sac_nearest(const char *word, const char *(*candidates)(const void *user, int index), const void *user);

/// The same over an array that ends with NULL.
const char *sac_nearest_of(const char *word, const char *const *names);

/// Give "s" where there is not exactly one of something: "1 episode", "2 episodes".
const char *sac_plural(long long count);

/// Give ", did you mean 'x'?", or "" when `nearest` is NULL. The result lives in the calling thread until its next
/// call.
const char *sac_did_you_mean(const char *nearest);

/// Say what might have been meant in place of an unknown word: ", did you mean 'x'?", or, where no candidate is near,
/// all of them: ", expected x, y or z". The result lives in the calling thread until its next call.
const char *sac_expected(const char *word, const char *(*candidates)(const void *user, int index), const void *user);

/// The same over an array that ends with NULL.
const char *sac_expected_of(const char *word, const char *const *names);

/// Tell whether a name has this ending and something before it.
bool sac_ends_in(const char *name, const char *ending);
