#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/writer.h"
#include "files/arrays/mapped.h"
#include "policy/json.h"

/// Reading demonstrations.

struct sac_demonstrations_file
{
    sac_demonstrations content;
    sac_mapped mapped; // {0}: the bytes are the caller's
    sac_tensors *tensors;
    sac_space *parts, *action;
    sac_policy_info world;
    const void *frames[SAC_MAX_PARTS];
};

static sac_status get_text(const char **out, const sac_tensors *tensors, const char *key)
{
    *out = sac_tensors_metadata(tensors, key);
    return *out ? SAC_OK : sac_fail(SAC_ERROR_FORMAT, "the metadata has no '%s'", key);
}

static sac_status check_kind(const sac_tensors *tensors, const char *where)
{
    const char *kind = sac_tensors_metadata(tensors, "format"), *version = sac_tensors_metadata(tensors, "version");
    if (!kind || strcmp(kind, SAC_DEMONSTRATIONS_FORMAT) != 0 || !version)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s is no file of demonstrations: its metadata does not say '%s'", where,
                        SAC_DEMONSTRATIONS_FORMAT);
    if (strcmp(version, SAC_DEMONSTRATIONS_VERSION) != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: demonstrations of version %.20s are unknown, expected %s", where,
                        version, SAC_DEMONSTRATIONS_VERSION);
    return sac_tensors_verify(tensors);
}

static sac_status read_facts(sac_demonstrations_file *f)
{
    sac_demonstrations *d = &f->content;
    const char *parts, *action, *world;
    int actions;
    SAC_TRY(get_text(&parts, f->tensors, "parts"));
    SAC_TRY(get_text(&action, f->tensors, "action"));
    SAC_TRY(get_text(&world, f->tensors, "world"));
    SAC_TRY(get_text(&d->driver, f->tensors, "driver"));
    SAC_TRY(sac_parts_from_text(&f->parts, &d->part_count, parts, "the demonstrations' parts"));
    SAC_TRY(sac_parts_from_text(&f->action, &actions, action, "the demonstrations' action"));
    if (actions != 1 || (f->action->kind != SAC_SPACE_VECTOR && f->action->kind != SAC_SPACE_CHOICE))
        return sac_fail(SAC_ERROR_FORMAT, "the demonstrations' action is neither a vector nor a choice");
    SAC_TRY(sac_policy_info_from_text(&f->world, world));
    d->parts = f->parts;
    d->action = *f->action;
    d->environment = f->world.environment;
    d->variant = f->world.variant;
    d->settings = f->world.settings;
    d->setting_count = f->world.setting_count;
    return SAC_OK;
}

// an array whose first size decides or obeys a count
static sac_status get_array(const void **out, sac_demonstrations_file *f, const char *name, sac_dtype dtype,
                            int64_t count)
{
    const sac_tensor *t;
    SAC_TRY(sac_tensors_get(&t, f->tensors, name, dtype, 1, (int64_t[]){count}));
    *out = t->data;
    return SAC_OK;
}

static sac_status read_episodes(sac_demonstrations_file *f, const char *where)
{
    sac_demonstrations *d = &f->content;
    const sac_tensor *lengths;
    SAC_TRY(sac_tensors_get(&lengths, f->tensors, "lengths", SAC_I64, 1, (int64_t[]){-1}));
    if (lengths->shape[0] < 1 || lengths->shape[0] > INT32_MAX)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s: %lld episodes, expected one at least", where,
                        (long long)lengths->shape[0]);
    const int64_t count = lengths->shape[0];
    d->episode_count = (int)count;
    d->lengths = lengths->data;
    const void *found[4];
    SAC_TRY(get_array(&found[0], f, "seeds", SAC_I64, count));
    SAC_TRY(get_array(&found[1], f, "returns", SAC_F64, count));
    SAC_TRY(get_array(&found[2], f, "terminated", SAC_U8, count));
    SAC_TRY(get_array(&found[3], f, "truncated", SAC_U8, count));
    d->seeds = found[0];
    d->returns = found[1];
    d->terminated = found[2];
    d->truncated = found[3];
    return SAC_OK;
}

static sac_status read_frames(sac_demonstrations_file *f)
{
    sac_demonstrations *d = &f->content;
    const sac_tensor *t;
    SAC_TRY(
        sac_tensors_get(&t, f->tensors, "actions", SAC_F32, 2, (int64_t[]){-1, (int64_t)sac_space_size(&d->action)}));
    d->frame_count = t->shape[0];
    d->actions = t->data;
    const void *rewards;
    SAC_TRY(get_array(&rewards, f, "rewards", SAC_F64, d->frame_count));
    d->rewards = rewards;
    for (int i = 0; i < d->part_count; i++)
    {
        char name[SAC_DEMONSTRATIONS_NAME];
        const sac_tensor wanted = sac_demonstrations_tensor(name, &d->parts[i], d->frame_count);
        SAC_TRY(sac_tensors_get(&t, f->tensors, name, wanted.dtype, wanted.rank, wanted.shape));
        f->frames[i] = t->data;
    }
    d->frames = f->frames;
    return SAC_OK;
}

static sac_status read_file(sac_demonstrations_file *f, const void *bytes, size_t size, const char *where)
{
    SAC_TRY(sac_tensors_read_in_place(&f->tensors, bytes, size, where));
    SAC_TRY(check_kind(f->tensors, where));
    sac_status status = read_facts(f);
    if (status != SAC_OK) return status == SAC_ERROR_FORMAT ? sac_fail_in(status, "%.400s", where) : status;
    SAC_TRY(read_episodes(f, where));
    SAC_TRY(read_frames(f));
    return sac_demonstrations_check(&f->content, where, SAC_ERROR_FORMAT);
}

sac_status sac_demonstrations_read(sac_demonstrations_file **out, const void *bytes, size_t size, const char *where)
{
    *out = NULL;
    sac_demonstrations_file *f = SAC_NEW(sac_demonstrations_file);
    if (!f) return sac_fail_memory(where);
    sac_status status = read_file(f, bytes, size, where);
    if (status != SAC_OK)
    {
        sac_demonstrations_close(f);
        return status;
    }
    *out = f;
    return SAC_OK;
}

sac_status sac_demonstrations_open(sac_demonstrations_file **out, const char *path)
{
    *out = NULL;
    sac_mapped mapped;
    SAC_TRY(sac_map_file(&mapped, path));
    sac_status status = sac_demonstrations_read(out, mapped.bytes, mapped.size, path);
    if (status == SAC_OK)
        (*out)->mapped = mapped;
    else
        sac_unmap(&mapped);
    return status;
}

void sac_demonstrations_close(sac_demonstrations_file *f)
{
    if (!f) return;
    sac_space_free_parts(f->parts);
    sac_space_free_parts(f->action);
    sac_policy_info_clear(&f->world);
    sac_tensors_destroy(f->tensors);
    sac_unmap(&f->mapped);
    sac_free(f);
}

const sac_demonstrations *sac_demonstrations_get(const sac_demonstrations_file *f)
{
    return &f->content;
}
