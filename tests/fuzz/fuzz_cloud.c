#include <math.h>

#include "saccade/cloud.h"

#include "mend.h"

enum
{
    MOST_SIDE = 64
};

// A picture that was read gives objects within the bounds, or a sentence.
static void segment(const sac_cloud_file *f)
{
    if (f->depth.height > MOST_SIDE || f->depth.width > MOST_SIDE) return;
    sac_segmenter_def def = sac_segmenter_default_def();
    sac_segmenter *segmenter;
    sac_segments found;
    def.max_points = MOST_SIDE * MOST_SIDE;
    def.least_points = 2;
    fuzz_require(sac_segmenter_create(&segmenter, &def) == SAC_OK);
    const sac_status status = sac_segmenter_run(segmenter, &found, &f->depth, &f->camera, &f->pose);
    fuzz_require(status == SAC_OK || (status == SAC_ERROR_ARGUMENT && sac_last_error()[0]));
    for (int i = 0; status == SAC_OK && i < found.object_count; i++)
        for (int d = 0; d < 3; d++)
            fuzz_require(fabsf(found.objects[i].center[d]) <= 1 && fabsf(found.objects[i].axis[d]) <= 1.001f);
    sac_segmenter_destroy(segmenter);
}

static void read_cloud(const uint8_t *data, size_t size)
{
    sac_cloud_file file;
    const sac_status status = sac_cloud_file_read(&file, data, size, "input");
    fuzz_check_result(status, file.internal);
    if (status == SAC_OK) segment(&file);
    sac_cloud_file_clear(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_cloud(data, size);
    fuzz_mend(data, size, read_cloud);
    return 0;
}
