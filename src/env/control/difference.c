#include "env/control/difference.h"

#include "base/error.h"
#include "base/memory.h"

struct control_difference
{
    size_t size;
    bool has_first;
    uint8_t first[]; // [size]
};

sac_status sac_difference_create(control_difference **out, size_t size)
{
    *out = sac_alloc(sizeof **out + size);
    if (!*out) return sac_fail_memory("an episode's first picture");
    (*out)->size = size;
    (*out)->has_first = false;
    return SAC_OK;
}

void sac_difference_destroy(control_difference *difference)
{
    sac_free(difference);
}

void sac_difference_restart(control_difference *difference)
{
    difference->has_first = false;
}

uint8_t *sac_difference_missing(control_difference *difference)
{
    uint8_t *missing = difference->has_first ? NULL : difference->first;
    difference->has_first = true;
    return missing;
}

void sac_difference_take(control_difference *difference, uint8_t *rgb)
{
    for (size_t i = 0; i < difference->size; i++)
    {
        int d = 128 + rgb[i] - difference->first[i];
        rgb[i] = (uint8_t)(d < 0 ? 0 : d > 255 ? 255 : d);
    }
}

void sac_difference_snapshot(control_difference *difference, sac_snapshot *snapshot)
{
    sac_snapshot_part(snapshot, &difference->has_first, sizeof difference->has_first);
    sac_snapshot_part(snapshot, difference->first, difference->size);
}
