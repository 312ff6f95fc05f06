#include "data/dataset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "data/spool.h"

struct sac_dataset
{
    sac_dataset_def def;
    sac_spool file; // where the frames lie in a file
    size_t mapped;  // bytes of it; 0: memory
    uint8_t *frames, *starts;
    uint8_t *parts[SAC_MAX_PARTS];       // in `frames`, [capacity, size]
    const void *readable[SAC_MAX_PARTS]; // the same, for readers
    size_t sizes[SAC_MAX_PARTS];
    float *actions, *costs;
    int64_t next, known; // numbers of the next frame and of the oldest one there was
};

// frames beyond the memory that they may have: a file whose pages the system keeps where there is room for them
static sac_status map_frames(sac_dataset *d, size_t size)
{
    SAC_TRY(sac_spool_open(&d->file, d->def.beside, size));
    errno = posix_fallocate(d->file.descriptor - 1, 0, (off_t)size);
    void *map = errno ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, d->file.descriptor - 1, 0);
    if (map == MAP_FAILED)
        return sac_fail(SAC_ERROR_FILE, "search.keep: no room for %zu MB of frames: %s", size / 1000000,
                        strerror(errno));
    d->frames = map;
    d->mapped = size;
    return SAC_OK;
}

static void cut(sac_dataset *d, sac_workspace *workspace)
{
    for (int i = 0; i < d->def.part_count; i++)
    {
        d->sizes[i] = sac_space_bytes(&d->def.parts[i]); // 2^34 at most, and the capacity is below 2^31
        d->readable[i] = d->parts[i] = sac_take(workspace, (size_t)d->def.capacity, d->sizes[i]);
    }
}

static sac_status create(sac_dataset *d)
{
    const size_t capacity = (size_t)d->def.capacity;
    sac_workspace measured = {0};
    cut(d, &measured);
    d->starts = SAC_NEW_ARRAY(uint8_t, capacity);
    d->actions = SAC_NEW_MATRIX(float, capacity, (size_t)d->def.action);
    d->costs = SAC_NEW_MATRIX(float, capacity, (size_t)d->def.costs);
    if (!d->starts || !d->actions || !d->costs) return sac_fail_memory("frames");
    if (measured.used > d->def.memory)
        SAC_TRY(map_frames(d, measured.used));
    else if (!(d->frames = sac_alloc(measured.used)))
        return sac_fail_memory("frames");
    cut(d, &(sac_workspace){.memory = d->frames});
    return SAC_OK;
}

sac_status sac_dataset_create(sac_dataset **out, const sac_dataset_def *def)
{
    *out = NULL;
    sac_dataset *d = SAC_NEW(sac_dataset);
    if (!d) return sac_fail_memory("frames");
    d->def = *def;
    sac_status status = create(d);
    if (status != SAC_OK)
    {
        sac_dataset_destroy(d);
        return status;
    }
    *out = d;
    return SAC_OK;
}

void sac_dataset_destroy(sac_dataset *d)
{
    if (!d) return;
    if (d->mapped)
        munmap(d->frames, d->mapped);
    else
        sac_free(d->frames);
    sac_spool_close(&d->file);
    sac_free(d->starts);
    sac_free(d->actions);
    sac_free(d->costs);
    sac_free(d);
}

int64_t sac_dataset_next(const sac_dataset *d)
{
    return d->next;
}

void sac_dataset_restart(sac_dataset *d, int64_t next)
{
    d->next = d->known = next;
}

int64_t sac_dataset_add(sac_dataset *d, int64_t frames)
{
    const int64_t first = d->next;
    d->next += frames;
    return first;
}

static int row_of(const sac_dataset *d, int64_t number)
{
    return (int)(number % d->def.capacity);
}

void sac_dataset_put(sac_dataset *d, int64_t first, int count, bool begins, const uint8_t *const *parts,
                     const float *actions, const float *costs)
{
    for (int i = 0; i < count; i++)
    {
        const int64_t number = first + i;
        if (number < d->next - d->def.capacity) continue; // of an episode that is longer than all that is kept
        const size_t row = (size_t)row_of(d, number), action = (size_t)d->def.action, choices = (size_t)d->def.costs;
        for (int p = 0; p < d->def.part_count; p++)
            memcpy(d->parts[p] + row * d->sizes[p], parts[p] + (size_t)i * d->sizes[p], d->sizes[p]);
        memcpy(d->actions + row * action, actions + (size_t)i * action, action * sizeof(float));
        if (choices > 0) memcpy(d->costs + row * choices, costs + (size_t)i * choices, choices * sizeof(float));
        d->starts[row] = begins && i == 0;
    }
}

sac_examples sac_dataset_examples(sac_dataset *d)
{
    int64_t count = d->next - d->known;
    if (count > d->def.capacity) count = d->def.capacity;
    SAC_ASSERT(count == d->def.capacity || d->known == 0);
    // the oldest frame follows the newest one in memory and does not go on with its episode
    if (count == d->def.capacity) d->starts[row_of(d, d->next)] = 1;
    return (sac_examples){.count = (int)count,
                          .actions = d->actions,
                          .starts = d->starts,
                          .parts = d->readable,
                          .costs = d->def.costs > 0 ? d->costs : NULL};
}
