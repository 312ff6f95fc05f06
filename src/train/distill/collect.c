#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "files/growing.h"
#include "rollout/baseline.h"
#include "train/distill/distill.h"

/// A round of episodes: who drives, what the teacher says, and how the frames join the data, the same on every rank.

enum
{
    NOISE_STREAM = 0x6e6f6973, ///< of the run's seed, apart from those of other draws
    PUSH_STREAM = 0x70757368
};

// --- while an episode runs ---------------------------------------------------------------------------------------

static float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

// noise on what the teacher does: a pure function of (seed, round, unit, step)
static void add_noise(const sac_run *r, int unit, const sac_play *play, double noise)
{
    const sac_distill *d = sac_distill_of(r);
    const sac_env_spec *spec = sac_env_get_spec(play->env);
    const uint64_t seed = sac_mix_seed(r->task->train.seed, NOISE_STREAM, d->round);
    if (spec->action_choices)
    {
        sac_stream stream = sac_stream_create(seed, (uint64_t)unit, (uint64_t)play->steps);
        if (sac_stream_uniform(&stream, 0, 1) < noise)
            play->action[0] = (float)sac_stream_below(&stream, (uint32_t)spec->action_choices);
        return;
    }
    for (int i = 0; i < spec->action_size; i++)
    {
        const float low = spec->action_low[i], high = spec->action_high[i];
        double normal;
        sac_normals(&normal, 1, seed, (uint64_t)unit,
                    (uint64_t)play->steps * (uint64_t)spec->action_size + (uint64_t)i);
        play->action[i] =
            clamp((float)((double)play->action[i] + noise * normal * (double)(high - low) / 2), low, high);
    }
}

// whoever drives: now and then some drawn actions
static sac_status push(const sac_run *r, int unit, const sac_play *play)
{
    const sac_task_teacher *t = &r->task->teacher;
    sac_distill_push *p = &sac_distill_of(r)->pushes[unit];
    if (t->push <= 0) return SAC_OK;
    if (p->left == 0 && sac_stream_uniform(&p->stream, 0, 1) < t->push) p->left = t->push_steps;
    if (p->left == 0) return SAC_OK;
    p->left--;
    return sac_baseline_decide(SAC_BASELINE_RANDOM, play, &p->stream);
}

static sac_status decided(void *user, int unit, const sac_play *play)
{
    const sac_run *r = user;
    const sac_distill *d = sac_distill_of(r);
    if (unit < d->taught)
    {
        memcpy(play->action, play->advice, sizeof(float) * (size_t)sac_env_get_spec(play->env)->action_size);
        if (r->task->teacher.noise > 0) add_noise(r, unit, play, r->task->teacher.noise);
    }
    SAC_TRY(push(r, unit, play));
    return sac_recorder_decided(d->recorder, unit, play);
}

static sac_status stepped(void *user, int unit, const sac_play *play, bool last)
{
    return sac_recorder_stepped(sac_distill_of(user)->recorder, unit, play, last);
}

static void student(const void *user, int individual, float *parameters)
{
    const sac_run *r = user;
    (void)individual;
    memcpy(parameters, sac_distill_of(r)->driving, sizeof(float) * (size_t)sac_policy_parameter_count(r->policy));
}

// --- frames of this process ----------------------------------------------------------------------------------------

/// Where the frames of a unit go.
typedef struct taking
{
    sac_distill *d;
    int64_t first;
    int inputs;
} taking;

static void take_frames(void *user, const sac_recorded_frames *frames)
{
    const taking *t = user;
    const uint8_t *parts[SAC_MAX_PARTS];
    for (int i = 0; i < t->inputs; i++) parts[i] = frames->parts[t->d->columns[i]];
    sac_dataset_put(t->d->dataset, t->first + frames->first, frames->count, frames->first == 0, parts, frames->actions,
                    frames->costs);
}

// a return that is not a number comes of an episode from which nothing is learned
static bool counts(const sac_unit *unit)
{
    return !isnan(unit->episode_return);
}

static sac_status absorb_own(sac_run *r)
{
    sac_distill *d = sac_distill_of(r);
    taking t = {d, 0, sac_policy_get_def(r->policy)->input_count};
    for (int i = 0; i < d->options.episodes; i++)
    {
        if (!counts(&r->units[i])) continue;
        t.first = sac_dataset_add(d->dataset, sac_recorder_unit(d->recorder, i).frames);
        SAC_TRY(sac_recorder_read(d->recorder, i, take_frames, &t));
    }
    return SAC_OK;
}

// --- frames of all ranks -----------------------------------------------------------------------------------------

/// A block of frames on its way between ranks; its parts, actions and costs follow, each at a multiple of 8 bytes.
typedef struct parcel
{
    int32_t unit, first, count, reserved;
} parcel;

typedef struct packing
{
    const sac_distill *d;
    sac_growing bytes;
    int unit, inputs, action, costs; // floats of the last two
} packing;

static void pack_column(sac_growing *bytes, const void *column, size_t size)
{
    static const char zeros[8];
    sac_grow(bytes, column, size);
    sac_grow(bytes, zeros, (8 - size % 8) % 8);
}

static void pack_frames(void *user, const sac_recorded_frames *frames)
{
    packing *p = user;
    const size_t count = (size_t)frames->count;
    const parcel head = {p->unit, frames->first, frames->count, 0};
    sac_grow(&p->bytes, &head, sizeof head);
    for (int i = 0; i < p->inputs; i++) pack_column(&p->bytes, frames->parts[p->d->columns[i]], count * p->d->sizes[i]);
    pack_column(&p->bytes, frames->actions, count * (size_t)p->action * sizeof(float));
    if (p->costs > 0) pack_column(&p->bytes, frames->costs, count * (size_t)p->costs * sizeof(float));
}

static sac_status pack(sac_run *r, packing *p)
{
    for (int i = 0; i < p->d->options.episodes; i++)
    {
        p->unit = i;
        if (counts(&r->units[i]) && sac_recorder_unit(p->d->recorder, i).frames > 0)
            SAC_TRY(sac_recorder_read(p->d->recorder, i, pack_frames, p));
    }
    return p->bytes.failed ? sac_fail_memory("the frames of a round") : SAC_OK;
}

static const uint8_t *take_column(const uint8_t **at, size_t size)
{
    const uint8_t *column = *at;
    *at += (size + 7) / 8 * 8;
    return column;
}

// blocks come in any order of units, so each unit's place is known before
static void unpack(sac_run *r, const int64_t *firsts, const uint8_t *bytes, size_t size)
{
    const sac_distill *d = sac_distill_of(r);
    const sac_policy_def *def = sac_policy_get_def(r->policy);
    const uint8_t *at = bytes, *end = bytes + size, *parts[SAC_MAX_PARTS];
    while (at < end)
    {
        parcel head;
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        for (int i = 0; i < def->input_count; i++) parts[i] = take_column(&at, (size_t)head.count * d->sizes[i]);
        const uint8_t *actions = take_column(&at, (size_t)head.count * (size_t)def->action_size * sizeof(float));
        const uint8_t *costs =
            d->costs > 0 ? take_column(&at, (size_t)head.count * (size_t)d->costs * sizeof(float)) : NULL;
        sac_dataset_put(d->dataset, firsts[head.unit] + head.first, head.count, head.first == 0, parts,
                        (const float *)(const void *)actions, (const float *)(const void *)costs);
    }
}

// Gathers what all ranks have packed, one behind the other.
static sac_status gather(sac_run *r, sac_status status, const sac_growing *own, uint8_t **all, size_t *size)
{
    const int ranks = sac_comm_size(r->comm), rank = sac_comm_rank(r->comm);
    size_t *sizes = SAC_NEW_ARRAY(size_t, (size_t)ranks), *words = SAC_NEW_ARRAY(size_t, (size_t)ranks), at = 0;
    *all = NULL;
    *size = 0;
    if (status == SAC_OK && (!sizes || !words)) status = sac_fail_memory("the frames of a round");
    for (int i = 0; sizes && words && i < ranks; i++) words[i] = sizeof *sizes;
    if (sizes) sizes[rank] = own->size;
    // first everyone learns how much everyone has
    status = sizes && words ? sac_comm_gather(r->comm, status, (uint8_t *)sizes, words) : status;
    for (int i = 0; status == SAC_OK && i < ranks; i++)
    {
        if (i == rank) at = *size;
        *size += sizes[i];
    }
    if (status == SAC_OK && !(*all = sac_alloc(*size))) status = sac_fail_memory("the frames of a round");
    if (*all && own->size) memcpy(*all + at, own->bytes, own->size);
    if (status == SAC_OK) status = sac_comm_gather(r->comm, status, *all, sizes);
    sac_free(sizes);
    sac_free(words);
    return status;
}

static sac_status absorb_all(sac_run *r)
{
    sac_distill *d = sac_distill_of(r);
    const sac_policy_def *def = sac_policy_get_def(r->policy);
    packing p = {.d = d, .inputs = def->input_count, .action = def->action_size, .costs = d->costs};
    int64_t *firsts = SAC_NEW_ARRAY(int64_t, (size_t)d->options.episodes);
    uint8_t *bytes;
    size_t size;
    sac_status status = firsts ? pack(r, &p) : sac_fail_memory("the frames of a round");
    status = gather(r, status, &p.bytes, &bytes, &size);
    sac_grow_clear(&p.bytes);
    for (int i = 0; status == SAC_OK && i < d->options.episodes; i++)
        if (counts(&r->units[i])) firsts[i] = sac_dataset_add(d->dataset, r->units[i].steps);
    if (status == SAC_OK) unpack(r, firsts, bytes, size);
    sac_free(bytes);
    sac_free(firsts);
    return status;
}

// --- a round -----------------------------------------------------------------------------------------------------

static int taught_episodes(const sac_distill *d, uint64_t round)
{
    int at = round < (uint64_t)d->share_count ? (int)round : d->share_count - 1;
    return (int)(d->shares[at] * d->options.episodes + 0.5);
}

static void set_units(sac_run *r)
{
    const sac_distill *d = sac_distill_of(r);
    const uint64_t seed = r->task->train.seed;
    for (int i = 0; i < d->options.episodes; i++)
    {
        uint64_t mixed = sac_mix_seed(sac_mix_seed(seed, SAC_RUN_EPISODES, 0), d->round, (uint64_t)i);
        r->units[i] = (sac_unit){.seed = SAC_TRAINING_SEED_FIRST + (mixed >> 12)};
        d->pushes[i] =
            (sac_distill_push){sac_stream_create(sac_mix_seed(seed, PUSH_STREAM, 0), d->round, (uint64_t)i), 0};
    }
}

static double mean_of(const sac_unit *units, int first, int last)
{
    double sum = 0;
    int count = 0;
    for (int i = first; i < last; i++)
        if (counts(&units[i])) sum += units[i].episode_return, count++;
    return count ? sum / count : NAN;
}

static void sum_up(const sac_run *r, sac_distill_round *out)
{
    const sac_distill *d = sac_distill_of(r);
    const int count = d->options.episodes;
    int numbers = 0;
    double squares = 0;
    *out = (sac_distill_round){.taught = d->taught, .best = -INFINITY, .mean = mean_of(r->units, 0, count)};
    out->teacher = mean_of(r->units, 0, d->taught);
    out->student = mean_of(r->units, d->taught, count);
    for (int i = 0; i < count; i++)
    {
        out->steps += (uint64_t)r->units[i].steps;
        if (!counts(&r->units[i])) continue;
        numbers++;
        squares += (r->units[i].episode_return - out->mean) * (r->units[i].episode_return - out->mean);
        out->best = fmax(out->best, r->units[i].episode_return);
    }
    out->std = numbers > 1 ? sqrt(squares / (numbers - 1)) : 0;
}

sac_status sac_distill_collect(sac_run *r, uint64_t round, const float *parameters, sac_distill_round *out)
{
    sac_distill *d = sac_distill_of(r);
    const sac_rollout_watch watch = {decided, stepped, r};
    d->round = round;
    d->taught = taught_episodes(d, round);
    d->driving = parameters;
    SAC_TRY(sac_recorder_begin(d->recorder));
    set_units(r);
    const sac_rollout_job job = {.units = r->units,
                                 .unit_count = d->options.episodes,
                                 .steps = r->now.steps,
                                 .patience = r->now.patience,
                                 .parameters = student,
                                 .user = r,
                                 .watch = &watch,
                                 .fingerprint = sac_mix_seed(r->fingerprint ^ d->teacher_hash, round, 0),
                                 .interrupt = r->def->interrupt};
    SAC_TRY(sac_rollouts_run(r->rollouts, &job));
    SAC_TRY(sac_comm_size(r->comm) > 1 ? absorb_all(r) : absorb_own(r));
    sum_up(r, out);
    return SAC_OK;
}
