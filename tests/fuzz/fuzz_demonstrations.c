#include "saccade/demonstrations.h"

#include "mend.h"

// whatever was read can be walked through from end to end
static void walk(const sac_demonstrations *d)
{
    int64_t frames = 0;
    uint64_t sum = 0;
    for (int i = 0; i < d->episode_count; i++)
    {
        fuzz_require(d->lengths[i] >= 1 && d->seeds[i] >= -1);
        frames += d->lengths[i];
        sum += d->terminated[i] + d->truncated[i] + (d->returns[i] > 0);
    }
    fuzz_require(frames == d->frame_count);
    const size_t actions = sac_space_size(&d->action);
    for (int64_t t = 0; t < frames; t++)
    {
        sum += d->rewards[t] > 0;
        for (size_t a = 0; a < actions; a++) fuzz_require(d->actions[(size_t)t * actions + a] * 0 == 0);
    }
    for (int p = 0; p < d->part_count; p++)
    {
        const uint8_t *bytes = d->frames[p];
        const size_t size = (size_t)frames * sac_space_bytes(&d->parts[p]);
        for (size_t i = 0; i < size; i++) sum += bytes[i];
    }
    fuzz_require(sum < UINT64_MAX);
}

static void read_demonstrations(const uint8_t *data, size_t size)
{
    uint64_t *aligned = malloc(size + 8);
    fuzz_require(aligned);
    memcpy(aligned, data, size);
    sac_demonstrations_file *file;
    sac_status status = sac_demonstrations_read(&file, aligned, size, "input");
    fuzz_check_result(status, file);
    if (file) walk(sac_demonstrations_get(file));
    sac_demonstrations_close(file);
    free(aligned);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_demonstrations(data, size);
    fuzz_mend(data, size, read_demonstrations);
    return 0;
}
