#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/recorder.h"
#include "data/writer.h"
#include "env/parts.h"
#include "rollout/baseline.h"

/// Episodes that are played and written to a file.

enum
{
    LANES = 16
};

/// A recording under way.
typedef struct recording
{
    const sac_record_def *def;
    sac_env *env; // for its spec alone
    uint32_t parts;
    sac_comm *comm;
    sac_rollouts *rollouts;
    sac_recorder *recorder;
    sac_unit *units;
    sac_stream *streams; // of drawn actions
    int64_t *lengths;
    double *returns;
} recording;

static sac_status choose_parts(recording *r)
{
    const sac_env_spec *spec = sac_env_get_spec(r->env);
    const char *given = r->def->parts ? r->def->parts : "";
    int parts[SAC_MAX_PARTS], count;
    SAC_TRY(sac_env_read_parts(r->env, given, "parts", parts, &count));
    for (int i = 0; i < count; i++) r->parts |= UINT32_C(1) << parts[i];
    for (int i = 0; i < spec->observation_count && !given[0]; i++)
        if (!spec->observations[i].privileged) r->parts |= UINT32_C(1) << i;
    if (r->parts) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "parts: '%.60s' names none", given);
}

static sac_status decided(void *user, int unit, const sac_play *play)
{
    recording *r = user;
    if (!r->def->policy)
        SAC_TRY(sac_baseline_decide(r->def->random ? SAC_BASELINE_RANDOM : SAC_BASELINE_IDLE, play, &r->streams[unit]));
    return sac_recorder_decided(r->recorder, unit, play);
}

static sac_status stepped(void *user, int unit, const sac_play *play, bool last)
{
    recording *r = user;
    return sac_recorder_stepped(r->recorder, unit, play, last);
}

static sac_status allocate(recording *r)
{
    const size_t count = (size_t)r->def->count;
    r->units = SAC_NEW_ARRAY(sac_unit, count);
    r->streams = SAC_NEW_ARRAY(sac_stream, count);
    r->lengths = SAC_NEW_ARRAY(int64_t, count);
    r->returns = SAC_NEW_ARRAY(double, count);
    if (!r->units || !r->streams || !r->lengths || !r->returns) return sac_fail_memory("a recording");
    for (size_t i = 0; i < count; i++)
    {
        if (r->def->seeds[i] > INT64_MAX)
            return sac_fail(SAC_ERROR_ARGUMENT, "seeds: %" PRIu64 ", expected 2^63 - 1 at most", r->def->seeds[i]);
        r->units[i].seed = r->def->seeds[i];
        r->streams[i] = sac_baseline_stream(r->def->seeds[i]);
    }
    return SAC_OK;
}

static sac_status drive(recording *r)
{
    const sac_record_def *def = r->def;
    const int threads = def->threads < def->count ? def->threads : def->count;
    const int share = (def->count + threads - 1) / threads, lanes = share < LANES ? share : LANES;
    SAC_TRY(sac_recorder_create(&r->recorder, &(sac_recorder_def){.spec = sac_env_get_spec(r->env),
                                                                  .parts = r->parts,
                                                                  .units = def->count,
                                                                  .live = threads * lanes,
                                                                  .beside = def->path}));
    SAC_TRY(sac_comm_create_self(&r->comm));
    SAC_TRY(sac_rollouts_create_def(&r->rollouts, &(sac_rollouts_def){.policy = def->policy,
                                                                      .env = def->env,
                                                                      .parts = r->parts,
                                                                      .comm = r->comm,
                                                                      .threads = threads,
                                                                      .lanes = lanes}));
    const sac_rollout_watch watch = {decided, stepped, r};
    return sac_rollouts_run(
        r->rollouts,
        &(sac_rollout_job){.units = r->units, .unit_count = def->count, .watch = &watch, .interrupt = def->interrupt});
}

/// Where the frames of a unit go.
typedef struct place
{
    const sac_demonstrations *shape;
    const sac_demonstrations_room *room;
    int64_t first; // frame of the file
} place;

static void take_frames(void *user, const sac_recorded_frames *frames)
{
    const place *p = user;
    const size_t at = (size_t)(p->first + frames->first), count = (size_t)frames->count;
    const size_t action = sac_space_size(&p->shape->action);
    for (int i = 0; i < p->shape->part_count; i++)
    {
        const size_t bytes = sac_space_bytes(&p->shape->parts[i]);
        memcpy(p->room->frames[i] + at * bytes, frames->parts[i], count * bytes);
    }
    memcpy(p->room->actions + at * action, frames->actions, count * action * sizeof(float));
    memcpy(p->room->rewards + at, frames->rewards, count * sizeof(double));
}

static sac_status fill(recording *r, const sac_demonstrations *shape, const sac_demonstrations_room *room)
{
    place p = {shape, room, 0};
    for (int i = 0; i < r->def->count; i++)
    {
        const sac_recorded unit = sac_recorder_unit(r->recorder, i);
        SAC_TRY(sac_recorder_read(r->recorder, i, take_frames, &p));
        p.first += unit.frames;
        room->lengths[i] = unit.frames;
        room->seeds[i] = (int64_t)r->units[i].seed;
        room->returns[i] = r->units[i].episode_return;
        room->terminated[i] = unit.terminated;
        room->truncated[i] = unit.truncated;
    }
    return SAC_OK;
}

static sac_status write(recording *r)
{
    const sac_env_spec *spec = sac_env_get_spec(r->env);
    sac_space parts[SAC_MAX_PARTS];
    sac_demonstrations shape = {.environment = r->def->env->id,
                                .variant = r->def->env->variant,
                                .settings = r->def->env->settings,
                                .setting_count = r->def->env->setting_count,
                                .driver = r->def->driver,
                                .parts = parts,
                                .action = sac_env_action_space(spec),
                                .returns = r->returns,
                                .episode_count = r->def->count};
    for (int i = 0; i < spec->observation_count; i++)
        if (r->parts >> i & 1) parts[shape.part_count++] = spec->observations[i];
    for (int i = 0; i < r->def->count; i++)
    {
        shape.frame_count += r->units[i].steps;
        r->returns[i] = r->units[i].episode_return;
    }
    sac_demonstrations_writer *w;
    sac_demonstrations_room room = {0};
    SAC_TRY(sac_demonstrations_begin(&w, r->def->path, &shape, &room));
    sac_status status = fill(r, &shape, &room);
    if (status == SAC_OK) return sac_demonstrations_commit(w);
    sac_demonstrations_abort(w);
    return status;
}

static sac_status record(recording *r, sac_episode *episodes)
{
    SAC_TRY(sac_env_create(&r->env, r->def->env));
    SAC_TRY(choose_parts(r));
    SAC_TRY(allocate(r));
    SAC_TRY(drive(r));
    for (int i = 0; i < r->def->count; i++)
        episodes[i] = (sac_episode){r->units[i].seed, r->units[i].episode_return, r->units[i].steps};
    return write(r);
}

sac_status sac_record(const sac_record_def *def, sac_episode *episodes)
{
    SAC_ASSERT(def->count >= 1 && def->threads >= 1);
    recording r = {.def = def};
    sac_status status = record(&r, episodes);
    sac_rollouts_destroy(r.rollouts);
    sac_recorder_destroy(r.recorder);
    sac_comm_close(r.comm, status);
    sac_env_destroy(r.env);
    sac_free(r.units);
    sac_free(r.streams);
    sac_free(r.lengths);
    sac_free(r.returns);
    return status;
}
