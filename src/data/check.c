#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "data/writer.h"

/// What every file of demonstrations fulfils.

sac_tensor sac_demonstrations_tensor(char name[SAC_DEMONSTRATIONS_NAME], const sac_space *part, int64_t frames)
{
    snprintf(name, SAC_DEMONSTRATIONS_NAME, "observation.%s", part->name);
    sac_tensor t = {.name = name, .dtype = part->kind == SAC_SPACE_PICTURE ? SAC_U8 : SAC_F32, .shape = {frames}};
    const int ranks[] = {3, 2, 1, 1, 3}; // by sac_space_kind
    t.rank = 1 + ranks[part->kind];
    for (int i = 1; i < t.rank; i++) t.shape[i] = part->shape[i - 1] > 0 ? part->shape[i - 1] : 1;
    if (part->kind == SAC_SPACE_CHOICE) t.shape[1] = 1;
    return t;
}

static sac_status check_lengths(const sac_demonstrations *d, const char *where, sac_status status)
{
    int64_t sum = 0;
    for (int i = 0; i < d->episode_count; i++)
    {
        if (d->lengths[i] < 1 || d->lengths[i] > d->frame_count - sum)
            return sac_fail(status,
                            "%.400s: episode %d has %" PRId64 " frames, and %" PRId64 " are left of %" PRId64
                            ": expected lengths from 1 on that add up",
                            where, i, d->lengths[i], d->frame_count - sum, d->frame_count);
        sum += d->lengths[i];
    }
    if (sum == d->frame_count) return SAC_OK;
    return sac_fail(status, "%.400s: the lengths of the episodes add up to %" PRId64 ", expected %" PRId64 " frames",
                    where, sum, d->frame_count);
}

static sac_status check_actions(const sac_demonstrations *d, const char *where, sac_status status)
{
    const int64_t size = (int64_t)sac_space_size(&d->action), count = d->frame_count * size;
    const float choices = (float)d->action.choices;
    for (int64_t i = 0; i < count; i++)
    {
        const float x = d->actions[i];
        if (d->action.kind == SAC_SPACE_CHOICE ? x >= 0 && x < choices && floorf(x) == x : isfinite(x)) continue;
        return sac_fail(status, "%.400s: the action of frame %" PRId64 " is %g, expected %s", where, i / size,
                        (double)x, d->action.kind == SAC_SPACE_CHOICE ? "one of the choices" : "finite numbers");
    }
    return SAC_OK;
}

sac_status sac_demonstrations_check(const sac_demonstrations *d, const char *where, sac_status status)
{
    SAC_TRY(check_lengths(d, where, status));
    for (int i = 0; d->seeds && i < d->episode_count; i++)
        if (d->seeds[i] < -1)
            return sac_fail(status, "%.400s: the seed of episode %d is %" PRId64 ", expected 0 or more, or -1", where,
                            i, d->seeds[i]);
    for (int i = 0; i < d->episode_count; i++)
        if ((d->terminated && d->terminated[i] > 1) || (d->truncated && d->truncated[i] > 1))
            return sac_fail(status, "%.400s: the ends of episode %d are not 0 or 1", where, i);
    return check_actions(d, where, status);
}
