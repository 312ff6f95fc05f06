#include "classify/data.h"

#include <string.h>

#include "base/error.h"

// places in the list of numbers
enum
{
    TRAIN,
    TEST,
    ROWS,
    COLUMNS,
    CHANNELS,
    CLASSES,
    TRAIN_DIGEST,
    TEST_DIGEST
};

void sac_classify_know(int64_t known[SAC_CLASSIFY_KNOWN], const sac_image_set *train, const sac_image_set *test)
{
    int rows, columns, channels;
    sac_image_set_shape(train, &rows, &columns, &channels);
    known[TRAIN] = sac_image_set_count(train);
    known[TEST] = sac_image_set_count(test);
    known[ROWS] = rows;
    known[COLUMNS] = columns;
    known[CHANNELS] = channels;
    known[CLASSES] = sac_image_set_classes(train);
    known[TRAIN_DIGEST] = (int64_t)sac_image_set_digest(train);
    known[TEST_DIGEST] = (int64_t)sac_image_set_digest(test);
}

sac_status sac_classify_check_known(const int64_t known[SAC_CLASSIFY_KNOWN], const int64_t theirs[SAC_CLASSIFY_KNOWN],
                                    const char *folder)
{
    if (memcmp(known, theirs, TRAIN_DIGEST * sizeof *known) != 0)
        return sac_fail(
            SAC_ERROR_ARGUMENT,
            "%.300s holds %lld and %lld pictures of %lld x %lld x %lld numbers in %lld classes, and the run "
            "learned from %lld and %lld of %lld x %lld x %lld in %lld; use another --run",
            folder, (long long)known[TRAIN], (long long)known[TEST], (long long)known[ROWS], (long long)known[COLUMNS],
            (long long)known[CHANNELS], (long long)known[CLASSES], (long long)theirs[TRAIN], (long long)theirs[TEST],
            (long long)theirs[ROWS], (long long)theirs[COLUMNS], (long long)theirs[CHANNELS],
            (long long)theirs[CLASSES]);
    const bool train = known[TRAIN_DIGEST] != theirs[TRAIN_DIGEST], test = known[TEST_DIGEST] != theirs[TEST_DIGEST];
    if (!train && !test) return SAC_OK;
    return sac_fail(
        SAC_ERROR_ARGUMENT,
        "%.300s: the pictures or labels for %s%s%s are not those that the run began with; use another --run", folder,
        train ? "training" : "", train && test ? " and " : "", test ? "testing" : "");
}
