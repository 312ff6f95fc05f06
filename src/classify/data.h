#pragma once

#include "images/set.h"

/// Which pictures a run learns from, as its checkpoints keep it: a run that goes on must find them again, wherever they
/// lie by then.

enum
{
    SAC_CLASSIFY_KNOWN = 8 ///< numbers
};

/// Numbers that name the two parts of a data set: how many pictures each has, their rows, columns and channels, the
/// classes, and what all bytes of each part come to.
void sac_classify_know(int64_t known[SAC_CLASSIFY_KNOWN], const sac_image_set *train, const sac_image_set *test);

/// Compare a run's data with those that are there.
/// @param theirs  of the run
/// @param folder  with the data that are there
/// @return SAC_ERROR_ARGUMENT with what differs
SAC_CHECKED sac_status sac_classify_check_known(const int64_t known[SAC_CLASSIFY_KNOWN],
                                                const int64_t theirs[SAC_CLASSIFY_KNOWN], const char *folder);
