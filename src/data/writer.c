#include "data/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/json.h"

/// What a file has beside the parts.
enum
{
    ACTIONS,
    REWARDS,
    RETURNS,
    LENGTHS,
    SEEDS,
    TERMINATED,
    TRUNCATED,
    OTHERS
};

struct sac_demonstrations_writer
{
    sac_tensors_writer *file;
    char names[SAC_MAX_PARTS][SAC_DEMONSTRATIONS_NAME];
    sac_tensor tensors[SAC_MAX_PARTS + OTHERS]; // the parts first
};

/// The metadata's texts.
typedef struct texts
{
    char *parts, *action, *world;
} texts;

static sac_status check_shape(const sac_demonstrations *d, const char *path)
{
    SAC_TRY(sac_space_check_parts(d->parts, d->part_count, path));
    SAC_TRY(sac_space_check_parts(&d->action, 1, path));
    if (d->action.kind != SAC_SPACE_VECTOR && d->action.kind != SAC_SPACE_CHOICE)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.400s: an action is a vector or a choice", path);
    if (d->episode_count < 1 || d->frame_count < d->episode_count)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.400s: %d episodes of %lld frames, expected one of one frame at least",
                        path, d->episode_count, (long long)d->frame_count);
    return SAC_OK;
}

// the facts on the world, with the returns as the score
static char *world_text(const sac_demonstrations *d)
{
    sac_policy_info info = {.score = NAN, .score_std = NAN, .score_episodes = d->episode_count};
    info.settings = (sac_setting *)d->settings;
    info.setting_count = d->setting_count;
    snprintf(info.environment, sizeof info.environment, "%s", d->environment ? d->environment : "");
    snprintf(info.variant, sizeof info.variant, "%s", d->variant ? d->variant : "");
    snprintf(info.version, sizeof info.version, "%s", sac_version());
    double sum = 0, squares = 0;
    for (int i = 0; i < d->episode_count; i++) sum += d->returns[i];
    info.score = sum / d->episode_count;
    for (int i = 0; i < d->episode_count; i++) squares += (d->returns[i] - info.score) * (d->returns[i] - info.score);
    info.score_std = d->episode_count > 1 ? sqrt(squares / (d->episode_count - 1)) : 0;
    return sac_policy_info_text(&info);
}

static void lay_out(sac_demonstrations_writer *w, const sac_demonstrations *d)
{
    const int64_t size = (int64_t)sac_space_size(&d->action), frames = d->frame_count, episodes = d->episode_count;
    const sac_tensor others[OTHERS] = {
        [ACTIONS] = {"actions", SAC_F32, 2, {frames, size}, NULL},
        [REWARDS] = {"rewards", SAC_F64, 1, {frames}, NULL},
        [RETURNS] = {"returns", SAC_F64, 1, {episodes}, NULL},
        [LENGTHS] = {"lengths", SAC_I64, 1, {episodes}, NULL},
        [SEEDS] = {"seeds", SAC_I64, 1, {episodes}, NULL},
        [TERMINATED] = {"terminated", SAC_U8, 1, {episodes}, NULL},
        [TRUNCATED] = {"truncated", SAC_U8, 1, {episodes}, NULL},
    };
    for (int i = 0; i < d->part_count; i++)
        w->tensors[i] = sac_demonstrations_tensor(w->names[i], &d->parts[i], frames);
    memcpy(w->tensors + d->part_count, others, sizeof others);
}

static void place(const sac_demonstrations_writer *w, int parts, sac_demonstrations_room *room)
{
    for (int i = 0; i < parts; i++) room->frames[i] = (uint8_t *)w->tensors[i].data;
    const sac_tensor *others = w->tensors + parts;
    room->actions = (float *)others[ACTIONS].data;
    room->rewards = (double *)others[REWARDS].data;
    room->returns = (double *)others[RETURNS].data;
    room->lengths = (int64_t *)others[LENGTHS].data;
    room->seeds = (int64_t *)others[SEEDS].data;
    room->terminated = (uint8_t *)others[TERMINATED].data;
    room->truncated = (uint8_t *)others[TRUNCATED].data;
}

static sac_status begin(sac_demonstrations_writer *w, const char *path, const sac_demonstrations *d, const texts *t)
{
    const sac_metadata metadata[] = {
        {"format", SAC_DEMONSTRATIONS_FORMAT},
        {"version", SAC_DEMONSTRATIONS_VERSION},
        {"checksum", NULL},
        {"parts", t->parts},
        {"action", t->action},
        {"world", t->world},
        {"driver", d->driver ? d->driver : ""},
    };
    if (!t->parts || !t->action || !t->world) return sac_fail_memory(path);
    lay_out(w, d);
    return sac_tensors_begin(&w->file, path, w->tensors, d->part_count + OTHERS, metadata,
                             sizeof metadata / sizeof *metadata);
}

sac_status sac_demonstrations_begin(sac_demonstrations_writer **out, const char *path, const sac_demonstrations *shape,
                                    sac_demonstrations_room *room)
{
    *out = NULL;
    SAC_TRY(check_shape(shape, path));
    sac_demonstrations_writer *w = SAC_NEW(sac_demonstrations_writer);
    if (!w) return sac_fail_memory(path);
    texts t = {sac_parts_text(shape->parts, shape->part_count), sac_parts_text(&shape->action, 1), world_text(shape)};
    sac_status status = begin(w, path, shape, &t);
    sac_free(t.parts);
    sac_free(t.action);
    sac_free(t.world);
    if (status != SAC_OK)
    {
        sac_free(w);
        return status;
    }
    place(w, shape->part_count, room);
    *out = w;
    return SAC_OK;
}

sac_status sac_demonstrations_commit(sac_demonstrations_writer *w)
{
    sac_status status = sac_tensors_commit(w->file);
    sac_free(w);
    return status;
}

void sac_demonstrations_abort(sac_demonstrations_writer *w)
{
    if (!w) return;
    sac_tensors_abort(w->file);
    sac_free(w);
}

// --- from arrays -------------------------------------------------------------------------------------------------

static void sum_returns(double *returns, const sac_demonstrations *d)
{
    int64_t at = 0;
    for (int i = 0; i < d->episode_count; i++)
    {
        returns[i] = 0;
        for (int64_t t = 0; t < d->lengths[i]; t++) returns[i] += d->rewards[at++];
    }
}

static void copy(void *out, const void *in, size_t count, size_t size)
{
    if (in && out) memcpy(out, in, count * size);
}

static void fill(const sac_demonstrations_room *room, const sac_demonstrations *d)
{
    const size_t frames = (size_t)d->frame_count, episodes = (size_t)d->episode_count;
    for (int i = 0; i < d->part_count; i++) copy(room->frames[i], d->frames[i], frames, sac_space_bytes(&d->parts[i]));
    copy(room->actions, d->actions, frames, sac_space_size(&d->action) * sizeof(float));
    copy(room->rewards, d->rewards, frames, sizeof(double));
    copy(room->returns, d->returns, episodes, sizeof(double));
    copy(room->lengths, d->lengths, episodes, sizeof(int64_t));
    for (size_t i = 0; i < episodes; i++) room->seeds[i] = d->seeds ? d->seeds[i] : -1;
    copy(room->terminated, d->terminated, episodes, 1);
    copy(room->truncated, d->truncated, episodes, 1);
}

sac_status sac_demonstrations_save(const char *path, const sac_demonstrations *demonstrations)
{
    sac_demonstrations d = *demonstrations;
    sac_demonstrations_writer *w;
    sac_demonstrations_room room = {0};
    SAC_TRY(check_shape(&d, path));
    SAC_TRY(sac_demonstrations_check(&d, path, SAC_ERROR_ARGUMENT));
    double *sums = SAC_NEW_ARRAY(double, (size_t)d.episode_count);
    if (!sums) return sac_fail_memory(path);
    sum_returns(sums, &d);
    if (!d.returns) d.returns = sums;
    sac_status status = sac_demonstrations_begin(&w, path, &d, &room);
    if (status == SAC_OK)
    {
        fill(&room, &d);
        status = sac_demonstrations_commit(w);
    }
    sac_free(sums);
    return status;
}
